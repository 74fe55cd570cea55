/** What could be read of a config, even where other parts of it are wrong, so that every rule can be applied at once. */
import type { z } from 'zod';
import type { Target } from '../types/config.ts';
import type { Prefix } from './addresses.ts';
import { read, type ConfigPath } from './leaf.ts';
import { nodeSchema } from './schema/node.ts';
import { policySchema } from './schema/policy.ts';
import { rootSchema } from './schema/root.ts';
import { serviceSchema } from './schema/services.ts';
import { rowsOf, targetSchema, type TargetEntry } from './schema/targets.ts';
import { peerSchema, uplinkSchema } from './schema/uplinks.ts';

/** A prefix that could be read. */
export interface PrefixView {
  readonly path: ConfigPath;
  readonly service: string;
  readonly prefix: Prefix;
}

/** A target that could be read; without rows where its keys do not fit together. */
export interface TargetView {
  readonly path: ConfigPath;
  readonly entry: TargetEntry;
  readonly rows: readonly Target[];
}

/** An uplink with those of its keys that could be read. */
export interface UplinkView {
  readonly name: string;
  readonly path: ConfigPath;
  readonly self: Partial<z.output<typeof uplinkSchema>>;
  readonly peer: Partial<z.output<typeof peerSchema>>;
  /** The kernel table, given or by default. */
  readonly table: number | null;
  readonly targets: readonly TargetView[];
  /** Whether every target could be read, so that counting them is fair. */
  readonly targetsComplete: boolean;
}

/** What the rules look at. */
export interface View {
  readonly node: Partial<z.output<typeof nodeSchema>>;
  readonly root: Partial<z.output<typeof rootSchema>>;
  readonly policy: Partial<z.output<typeof policySchema>>;
  readonly prefixes: readonly PrefixView[];
  readonly uplinks: readonly UplinkView[];
}

/** The table of the uplink that stands at `index` in the file, where none is given. */
export function defaultTable(index: number): number {
  return 1001 + index;
}

/** Reads each part by its own schema and leaves out what is wrong. */
export function viewOf(value: unknown): View {
  const root = mapping(value);
  return {
    node: partial(nodeSchema, root['node']),
    root: partial(rootSchema, root),
    policy: partial(policySchema.unwrap(), root['policy']),
    prefixes: Object.entries(mapping(root['services'])).flatMap(([name, service]) =>
      prefixesOf(name, service),
    ),
    uplinks: Object.entries(mapping(root['uplinks'])).map(([name, uplink], index) =>
      uplinkOf(name, uplink, index),
    ),
  };
}

function prefixesOf(service: string, value: unknown): readonly PrefixView[] {
  return list(mapping(value)['prefixes']).flatMap((text, index) => {
    const prefix = read(serviceSchema.shape.prefixes.element, text);
    return prefix === null ? [] : [{ path: ['services', service, 'prefixes', index], service, prefix }];
  });
}

function uplinkOf(name: string, value: unknown, index: number): UplinkView {
  const raw = mapping(value);
  const path = ['uplinks', name];
  const entries = list(raw['targets']);
  const targets = entries.flatMap((target, at): readonly TargetView[] => {
    const entry = read(targetSchema, target);
    if (entry === null) return [];
    const rows = rowsOf(entry);
    return [{ path: [...path, 'targets', at], entry, rows: rows.kind === 'ok' ? rows.value : [] }];
  });
  const table =
    raw['table'] === undefined ? defaultTable(index) : read(uplinkSchema.shape.table, raw['table']);
  return {
    name,
    path,
    self: partial(uplinkSchema, raw),
    peer: partial(peerSchema, raw['peer']),
    table: table ?? null,
    targets,
    targetsComplete:
      Array.isArray(raw['targets']) &&
      targets.length === entries.length &&
      targets.every((target) => target.rows.length > 0),
  };
}

/** The keys of a section that could be read, each by its own schema. */
function partial<S extends z.ZodObject>(schema: S, value: unknown): Partial<z.output<S>> {
  const raw = mapping(value);
  const found = Object.entries(schema.shape).flatMap(([key, field]) => {
    const parsed = field.safeParse(raw[key]);
    return parsed.success && parsed.data !== undefined ? [[key, parsed.data] as const] : [];
  });
  // Each value has passed the schema of its key.
  return Object.fromEntries(found) as Partial<z.output<S>>;
}

function mapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What could be read of a config, even where other parts of it are wrong, so that every rule can be applied at once. */
import type { z } from 'zod';
import type { Target } from '../types/config.ts';
import type { Prefix } from './addresses.ts';
import { read, type ConfigPath } from './leaf.ts';
import { windowSchema } from './schema/maintenance.ts';
import { nodeSchema } from './schema/node.ts';
import { peerSchema } from './schema/peer.ts';
import { policySchema } from './schema/policy.ts';
import { rootSchema } from './schema/root.ts';
import { serviceSchema } from './schema/services.ts';
import { rowsOf, targetSchema, type TargetEntry } from './schema/targets.ts';
import { uplinkSchema } from './schema/uplinks.ts';
import { webhookSchema } from './schema/webhooks.ts';

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
  /** The kernel table of what is learnt, given or by default. */
  readonly egressTable: number | null;
  readonly targets: readonly TargetView[];
  /** Whether every target could be read, so that counting them is fair. */
  readonly targetsComplete: boolean;
}

/** Whom a maintenance window names; null where that could not be read or is left out. */
export interface WindowView {
  readonly path: ConfigPath;
  readonly uplink: string | null;
  readonly service: string | null;
}

/** A webhook with those of its keys that could be read. */
export interface WebhookView {
  readonly path: ConfigPath;
  /** Those that stand there, whether they could be read or not. */
  readonly keys: ReadonlySet<string>;
  readonly self: Partial<z.output<typeof webhookSchema>>;
}

/** A service with those of its keys that could be read. */
export interface ServiceView {
  readonly name: string;
  readonly path: ConfigPath;
  readonly self: Partial<z.output<typeof serviceSchema>>;
}

/** What the rules look at. */
export interface View {
  readonly node: Partial<z.output<typeof nodeSchema>>;
  readonly root: Partial<z.output<typeof rootSchema>>;
  readonly policy: Partial<z.output<typeof policySchema>>;
  readonly services: readonly ServiceView[];
  readonly prefixes: readonly PrefixView[];
  readonly uplinks: readonly UplinkView[];
  readonly windows: readonly WindowView[];
  readonly webhooks: readonly WebhookView[];
}

/** The table of the uplink that stands at `index` in the file, where none is given. */
export function defaultTable(index: number): number {
  return 1001 + index;
}

/** The table of what is learnt on the uplink with this `table`, where none is given. */
export function defaultEgressTable(table: number): number {
  const last = 4_294_967_295;
  return table + 1000 <= last ? table + 1000 : table - 1000;
}

/** Reads each part by its own schema and leaves out what is wrong. */
export function viewOf(value: unknown): View {
  const root = mapping(value);
  return {
    node: partial(nodeSchema, root['node']),
    root: partial(rootSchema, root),
    policy: partial(policySchema.unwrap(), root['policy']),
    services: Object.entries(mapping(root['services'])).map(([name, service]) => ({
      name,
      path: ['services', name],
      self: partial(serviceSchema, service),
    })),
    prefixes: Object.entries(mapping(root['services'])).flatMap(([name, service]) =>
      prefixesOf(name, service),
    ),
    uplinks: Object.entries(mapping(root['uplinks'])).map(([name, uplink], index) =>
      uplinkOf(name, uplink, index),
    ),
    windows: list(root['maintenance']).map((window, index) => windowOf(window, index)),
    webhooks: list(root['webhooks']).map((webhook, index) => ({
      path: ['webhooks', index],
      keys: new Set(Object.keys(mapping(webhook))),
      self: partial(webhookSchema, webhook),
    })),
  };
}

function prefixesOf(service: string, value: unknown): readonly PrefixView[] {
  return list(mapping(value)['prefixes']).flatMap((text, index) => {
    const prefix = read(serviceSchema.shape.prefixes.element, text);
    return prefix === null ? [] : [{ path: ['services', service, 'prefixes', index], service, prefix }];
  });
}

function windowOf(value: unknown, index: number): WindowView {
  const self = partial(windowSchema, value);
  return { path: ['maintenance', index], uplink: self.uplink ?? null, service: self.service ?? null };
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
  const given = raw['egress_table'];
  const egressTable =
    given === undefined
      ? typeof table === 'number'
        ? defaultEgressTable(table)
        : null
      : read(uplinkSchema.shape.egress_table, given);
  return {
    name,
    path,
    self: partial(uplinkSchema, raw),
    peer: partial(peerSchema, raw['peer']),
    table: table ?? null,
    egressTable: egressTable ?? null,
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

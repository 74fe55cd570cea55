/** What differs between two configs, key by key, in the form of the file. */
import type { NodeConfig } from '../types/config.ts';
import { fileForm } from './explain.ts';

export interface ConfigDifference {
  /** `policy.patience`, `uplinks.cmi.med`, `uplinks.cmi.targets[2].ping`. */
  readonly path: string;
  /** As in the file; null: it is not there. */
  readonly from: string | null;
  readonly to: string | null;
}

/** In the order of the file; empty where both say the same. Holds no secret: those are in files of their own. */
export function configDifference(before: NodeConfig, after: NodeConfig): readonly ConfigDifference[] {
  const [old, fresh] = [leavesOf(fileForm(before), ''), leavesOf(fileForm(after), '')];
  const paths = [...new Set([...old.keys(), ...fresh.keys()])];
  return paths.flatMap((path) => {
    const [from, to] = [old.get(path) ?? null, fresh.get(path) ?? null];
    return from === to ? [] : [{ path, from, to }];
  });
}

/** One line: `policy.patience: 5s → 2s`. */
export function differenceText({ path, from, to }: ConfigDifference): string {
  return `${path}: ${from ?? '–'} → ${to ?? '–'}`;
}

function leavesOf(value: unknown, path: string): ReadonlyMap<string, string> {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.every((item) => typeof item !== 'object' || item === null))
      return new Map([[path, `[${items.map(String).join(', ')}]`]]);
    return new Map(items.flatMap((item, index) => [...leavesOf(item, `${path}[${index}]`)]));
  }
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, one]) => [...leavesOf(one, path === '' ? key : `${path}.${key}`)]),
  );
}

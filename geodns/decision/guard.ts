/**
 * The guard against mass removal. When a probe target, not the carriers, dies, every node tells us that its uplinks are
 * down within seconds; believing them all would move or lose every user at once. So of the reports of `down` that come
 * within one window of each other only the first ones, up to the share that rules allow (never less than one), count;
 * the later ones are held: those targets stay in the answers and an alarm stands, until one of the burst recovers or an
 * operator speaks by an override. Reports further apart than the window are believed one by one.
 */
import { families, type Family } from '../../src/types/units.ts';
import { type Rules, targetsOf } from '../rules/model.ts';
import { overrideOf, scopesOf, type State } from './state.ts';

/** `hk1/cmi 4/ID`. */
export function heldKey(target: string, scope: string): string {
  return `${target} ${scope}`;
}

interface Removal {
  readonly target: string;
  readonly atMillis: number;
}

/** The reports of `down` that do not count, as `heldKey`. A function of the records alone: the same after a restart. */
export function heldReports(rules: Rules, state: State, nowMillis: number): ReadonlySet<string> {
  const held = new Set<string>();
  for (const family of families) {
    const total = targetsOf(rules, family).length;
    const most = Math.max(1, Math.floor(total * rules.guards.maxRemoved));
    for (const [scope, removals] of removalsByScope(rules, state, family, nowMillis)) {
      for (const target of beyond(removals, most, rules.guards.windowMillis))
        held.add(heldKey(target, scope));
    }
  }
  return held;
}

function removalsByScope(
  rules: Rules,
  state: State,
  family: Family,
  nowMillis: number,
): ReadonlyMap<string, readonly Removal[]> {
  const byScope = new Map<string, Removal[]>();
  for (const { name: target } of targetsOf(rules, family)) {
    const record = state.records.get(target);
    if (record === undefined || (record.expiresAtMillis ?? Infinity) <= nowMillis) continue;
    if (overrideOf(state, target, family, nowMillis) !== null) continue;
    for (const [scope, told] of Object.entries(scopesOf(record))) {
      if (told !== 'down' || !(scope === String(family) || scope.startsWith(`${family}/`))) continue;
      const list = byScope.get(scope) ?? [];
      byScope.set(scope, list);
      list.push({ target, atMillis: record.changedAtMillis[scope] ?? record.receivedAtMillis });
    }
  }
  return byScope;
}

function beyond(removals: readonly Removal[], most: number, windowMillis: number): readonly string[] {
  const sorted = [...removals].sort((a, b) => a.atMillis - b.atMillis || (a.target < b.target ? -1 : 1));
  const believed: Removal[] = [];
  const held: string[] = [];
  for (const removal of sorted) {
    const recent = believed.filter((earlier) => removal.atMillis - earlier.atMillis < windowMillis);
    if (recent.length + 1 > most) held.push(removal.target);
    else believed.push(removal);
  }
  return held;
}

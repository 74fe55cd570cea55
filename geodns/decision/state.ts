/**
 * What nodes have told and operators have said, as a pure fold over events. An event is in the journal before it is
 * folded in, so a restart ends in the same state. A report is accepted only if its (epoch, seq) is above what its uplink
 * has: a late `down` never overtakes a newer `up`, however often and in whatever order messages are repeated.
 */
import { compareOrder, type Order } from '../../src/types/wire/common.ts';
import type { Guard, ToldState } from '../../src/types/wire/enums.ts';
import { families, type Family, type PerFamily } from '../../src/types/units.ts';
import { unreachable } from '../../src/types/unreachable.ts';
import { matchesGlob } from '../rules/glob.ts';
import { type SteeredRule, type Steering, steeringKey } from '../steering/entry.ts';

/** Of one family of an uplink, in the words of the node. */
export interface FamilyReport {
  readonly state: ToldState;
  readonly regions: Readonly<Record<string, ToldState>>;
  readonly services: Readonly<Record<string, ToldState>>;
}

/** What a node says in one message about one uplink. */
export interface Report {
  readonly carrier: string;
  readonly families: PerFamily<FamilyReport>;
  readonly order: Order;
  readonly held: Guard | null;
  readonly reason: string;
  readonly evidence: Readonly<Record<string, number | null>> | null;
  /** Of compatible calls alone, which have no order: forgotten then, unless repeated. Wall time. */
  readonly expiresAtMillis: number | null;
}

/** The last report of a target, and since when each of its states stands (wall time of this machine). */
export interface UplinkRecord extends Report {
  readonly target: string;
  readonly receivedAtMillis: number;
  /** Key of a scope (`4`, `4/ID`) → since when. */
  readonly changedAtMillis: Readonly<Record<string, number>>;
}

export interface Override {
  /** `hk1/cmi`, `hk1/*`… */
  readonly glob: string;
  /** null: both. */
  readonly family: Family | null;
  readonly state: ToldState;
  readonly untilMillis: number;
  readonly author: string;
  readonly reason: string;
}

/** While it stands, nothing is changed that no operator and no node asked for: measured steering and weekly databases wait. */
export interface Freeze {
  readonly author: string;
  readonly reason: string;
  readonly atMillis: number;
}

export interface State {
  readonly records: ReadonlyMap<string, UplinkRecord>;
  /** Later ones win. */
  readonly overrides: readonly Override[];
  readonly steering: Steering;
  readonly freeze: Freeze | null;
  /** Serial of the zone that was last decided; 0: none yet. */
  readonly revision: number;
}

export type StateEvent =
  | { readonly kind: 'report'; readonly record: UplinkRecord }
  | { readonly kind: 'override'; readonly override: Override; readonly atMillis: number }
  | {
      readonly kind: 'release';
      readonly glob: string;
      readonly family: Family | null;
      readonly author: string;
      readonly atMillis: number;
    }
  | { readonly kind: 'steer'; readonly entry: SteeredRule; readonly atMillis: number }
  | {
      readonly kind: 'freeze';
      /** null: thawed. */
      readonly freeze: Freeze | null;
      readonly author: string;
      readonly atMillis: number;
    }
  | {
      readonly kind: 'revision';
      readonly revision: number;
      readonly atMillis: number;
      readonly text: string;
    };

export const emptyState: State = {
  records: new Map(),
  overrides: [],
  steering: new Map(),
  freeze: null,
  revision: 0,
};

export function fold(state: State, event: StateEvent): State {
  switch (event.kind) {
    case 'report':
      return { ...state, records: new Map(state.records).set(event.record.target, event.record) };
    case 'override':
      return { ...state, overrides: [...without(state.overrides, event.override), event.override] };
    case 'release':
      return { ...state, overrides: without(state.overrides, event) };
    case 'steer':
      return { ...state, steering: new Map(state.steering).set(steeringKey(event.entry), event.entry) };
    case 'freeze':
      return { ...state, freeze: event.freeze };
    case 'revision':
      return { ...state, revision: event.revision };
    default:
      return unreachable(event);
  }
}

const keptSteeringMillis = 30 * 86_400_000;

/** The shortest events that lead to this state: what a compacted journal holds. */
export function snapshot(state: State, atMillis: number): readonly StateEvent[] {
  return [
    ...[...state.records.values()].map((record): StateEvent => ({ kind: 'report', record })),
    ...state.overrides
      .filter((override) => override.untilMillis > atMillis)
      .map((override): StateEvent => ({ kind: 'override', override, atMillis })),
    // Also those that ended: what was left lately is not taken again at once.
    ...[...state.steering.values()]
      .filter(
        (entry) => Math.max(entry.untilMillis, entry.blockedUntilMillis) > atMillis - keptSteeringMillis,
      )
      .map((entry): StateEvent => ({ kind: 'steer', entry, atMillis })),
    ...(state.freeze === null
      ? []
      : [{ kind: 'freeze', freeze: state.freeze, author: state.freeze.author, atMillis } as const]),
    { kind: 'revision', revision: state.revision, atMillis, text: 'snapshot' },
  ];
}

export type Acceptance =
  | { readonly kind: 'accepted'; readonly event: StateEvent }
  /** The same message again: nothing to do, and no error. */
  | { readonly kind: 'replay' }
  /** Something newer stands, or something else under the same order. */
  | { readonly kind: 'stale'; readonly current: UplinkRecord }
  /** A call without order about an uplink whose node sends orders. */
  | { readonly kind: 'order-required'; readonly current: UplinkRecord };

/** Judges a report; `nowMillis` is wall time. Reports without order have epoch 0 and get their seq here. */
export function accept(state: State, target: string, report: Report, nowMillis: number): Acceptance {
  const current = state.records.get(target);
  if (current === undefined)
    return { kind: 'accepted', event: recordOf(target, report, undefined, nowMillis) };
  if (report.order.epoch === 0) {
    if (current.order.epoch > 0) return { kind: 'order-required', current };
    const next = { ...report, order: { epoch: 0, seq: current.order.seq + 1 } };
    return { kind: 'accepted', event: recordOf(target, next, current, nowMillis) };
  }
  const newer = compareOrder(report.order, current.order);
  if (newer > 0) return { kind: 'accepted', event: recordOf(target, report, current, nowMillis) };
  if (newer === 0 && sameStates(report, current)) return { kind: 'replay' };
  return { kind: 'stale', current };
}

function recordOf(
  target: string,
  report: Report,
  before: UplinkRecord | undefined,
  nowMillis: number,
): StateEvent {
  const at = Math.max(nowMillis, before?.receivedAtMillis ?? 0);
  const old = before === undefined ? {} : scopesOf(before);
  const changedAtMillis = Object.fromEntries(
    Object.entries(scopesOf(report)).map(([scope, state]) => [
      scope,
      old[scope] === state ? (before?.changedAtMillis[scope] ?? at) : at,
    ]),
  );
  return { kind: 'report', record: { ...report, target, receivedAtMillis: at, changedAtMillis } };
}

/** Each told state under its key: `4` for the family, `4/ID` for a region of it. */
export function scopesOf(report: Pick<Report, 'families'>): Readonly<Record<string, ToldState>> {
  const scopes: Record<string, ToldState> = {};
  for (const family of families) {
    const told = report.families[family];
    if (told === undefined) continue;
    scopes[String(family)] = told.state;
    for (const [region, state] of Object.entries(told.regions)) scopes[`${family}/${region}`] = state;
  }
  return scopes;
}

function sameStates(a: Report, b: Report): boolean {
  return JSON.stringify(statesOf(a)) === JSON.stringify(statesOf(b));
}

function statesOf(report: Report): unknown {
  const sorted = (states: Readonly<Record<string, ToldState>>): readonly string[] =>
    Object.entries(states)
      .map(([key, state]) => `${key} ${state}`)
      .sort();
  return [
    sorted(scopesOf(report)),
    ...families.map((family) => sorted(report.families[family]?.services ?? {})),
  ];
}

function without(
  overrides: readonly Override[],
  { glob, family }: Pick<Override, 'glob' | 'family'>,
): readonly Override[] {
  return overrides.filter((override) => override.glob !== glob || override.family !== family);
}

/** The override that stands above a target's reports now; null: none. */
export function overrideOf(state: State, target: string, family: Family, nowMillis: number): Override | null {
  const found = state.overrides.findLast(
    (override) =>
      override.untilMillis > nowMillis &&
      (override.family === null || override.family === family) &&
      matchesGlob(override.glob, target),
  );
  return found ?? null;
}

/** When something ends by itself next, after `nowMillis`; null: nothing does. */
export function nextExpiryMillis(state: State, nowMillis: number): number | null {
  const ends = [
    ...state.overrides.map((override) => override.untilMillis),
    ...[...state.records.values()].map((record) => record.expiresAtMillis ?? 0),
    ...[...state.steering.values()].map((entry) => entry.untilMillis),
  ].filter((end) => end > nowMillis);
  return ends.length === 0 ? null : Math.min(...ends);
}

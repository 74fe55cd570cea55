/** Whether a target should be in the answers: override, then guard, then the worst of what its node tells. */
import type { ToldState } from '../../src/types/wire/enums.ts';
import type { Family } from '../../src/types/units.ts';
import type { Rules, Target } from '../rules/model.ts';
import { heldKey, heldReports } from './guard.ts';
import { overrideOf, type State } from './state.ts';

/** Rules and state at one time, with what follows from both. */
export interface View {
  readonly rules: Rules;
  readonly state: State;
  readonly nowMillis: number;
  readonly held: ReadonlySet<string>;
}

export function viewOf(rules: Rules, state: State, nowMillis: number): View {
  return { rules, state, nowMillis, held: heldReports(rules, state, nowMillis) };
}

/** For whom: the country of the user (null: not known) and the service of the policy (null: none). */
export interface Audience {
  readonly family: Family;
  readonly country: string | null;
  readonly service: string | null;
}

export interface Availability {
  readonly state: ToldState;
  /** unreported: no node has said anything (or a compatible call has expired), so the target is taken as up. */
  readonly by: 'unreported' | 'override' | 'guard' | 'uplink' | 'region' | 'service';
  readonly text: string;
}

const badness: Readonly<Record<ToldState, number>> = { up: 0, drain: 1, down: 2 };

export function availabilityOf(view: View, target: Target, audience: Audience): Availability {
  const { family } = audience;
  const override = overrideOf(view.state, target.name, family, view.nowMillis);
  if (override !== null)
    return { state: override.state, by: 'override', text: `${override.author}: ${override.reason}` };
  const record = view.state.records.get(target.name);
  const told = record?.families[family];
  if (record === undefined || told === undefined || (record.expiresAtMillis ?? Infinity) <= view.nowMillis)
    return { state: 'up', by: 'unreported', text: 'no report' };
  const regions = regionsOf(view.rules, audience.country).filter(
    (region) => told.regions[region] !== undefined,
  );
  const candidates: readonly Availability[] = [
    believed(view, target.name, String(family), { state: told.state, by: 'uplink', text: record.reason }),
    ...regions.map((region) =>
      believed(view, target.name, `${family}/${region}`, {
        state: told.regions[region] ?? 'up',
        by: 'region',
        text: `${region}: ${record.reason}`,
      }),
    ),
    ...serviceState(told.services, audience.service),
  ];
  return candidates.reduce((worst, next) => (badness[next.state] > badness[worst.state] ? next : worst));
}

function believed(view: View, target: string, scope: string, told: Availability): Availability {
  if (!view.held.has(heldKey(target, scope))) return told;
  return {
    state: 'up',
    by: 'guard',
    text: `held: too many removals at once; told ${told.state}: ${told.text}`,
  };
}

function serviceState(
  services: Readonly<Record<string, ToldState>>,
  service: string | null,
): readonly Availability[] {
  const state = service === null ? undefined : services[service];
  return state === undefined ? [] : [{ state, by: 'service', text: `service ${service} is ${state}` }];
}

/** The names under which nodes may speak of a user's country: its code, and the regions that hold it. */
export function regionsOf(rules: Rules, country: string | null): readonly string[] {
  if (country === null) return [];
  return [
    country,
    ...[...rules.regions].filter(([, members]) => members.includes(country)).map(([name]) => name),
  ];
}

/** Countries about which some report says anything of its own: the only ones whose answers may differ. */
export function countriesToldOf(view: View): readonly string[] {
  const countries = new Set<string>();
  for (const record of view.state.records.values()) {
    for (const told of [record.families[4], record.families[6]]) {
      for (const [region, state] of Object.entries(told?.regions ?? {})) {
        if (state === 'up') continue;
        for (const country of view.rules.regions.get(region) ?? [region]) countries.add(country);
      }
    }
  }
  return [...countries].filter((country) => /^[A-Z]{2}$/.test(country)).sort();
}

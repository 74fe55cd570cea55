/** A policy in a simulated world: what it does, when, and what users have of it. Pure. */
import { announcementKey } from '../../types/keys.ts';
import { instant } from '../../types/units.ts';
import type { NodeConfig } from '../../types/config.ts';
import type { ProbeTask } from '../../types/outcome.ts';
import { emptyDecideMemory } from '../decide/memory.ts';
import { type Episode, startTrack, stateChangesIn, withdrawalsIn } from './episodes.ts';
import { badShare, type Fault, type Users } from './fault.ts';
import { type RecordedWish, recordedWish } from './recording.ts';
import { type RunConfig, run, waitOf } from './run.ts';
import { faultsOver, scenarioAmbient, type SimulatedScenario } from './scenarios.ts';
import { trace } from './trace.ts';

export interface SimulateOptions {
  readonly config: RunConfig;
  readonly tasks: readonly ProbeTask[];
  readonly scenario: SimulatedScenario;
  readonly seed: number;
  readonly lengthMillis: number;
}

export interface Simulation {
  readonly faults: readonly Fault[];
  /** Every change of an announcement, in the order of time; ms since the beginning. */
  readonly changes: readonly { readonly atMillis: number; readonly wish: RecordedWish }[];
  readonly totals: SimulationTotals;
}

export interface SimulationTotals {
  readonly probes: number;
  /** Service-minutes that were bad for users if everything stayed announced, and as it was decided. */
  readonly badMinutesWithout: number;
  readonly badMinutesWith: number;
  readonly withdrawals: number;
  /** Of uplinks that were good enough for their users just before. */
  readonly falseWithdrawals: number;
  /** Changes that carriers see, of all announcements; and of the one with the most in any hour. */
  readonly changes: number;
  readonly mostChangesInAnHour: number;
  /** Of services with nothing announced at all. */
  readonly darkMinutes: number;
}

export const simulatedTickMillis = 200;
const hourMillis = 3_600_000;
const minuteMillis = 60_000;
/** Any monotonic clock begins somewhere. */
const beganAt = instant(1_000_000);
/** A withdrawal this long after a fault's end still answers it. */
const graceMillis = 30_000;

export function simulate(options: SimulateOptions): Simulation {
  const { config, tasks, scenario, seed, lengthMillis } = options;
  const faults = faultsOver(scenario, config, seed, lengthMillis);
  const ambient = scenarioAmbient(scenario);
  const times = { beganAt, lengthMillis, tickMillis: simulatedTickMillis };
  const ticks = trace({ tasks, faults, ambient, seed, ...times });
  const start = { config, tasks, health: '', decide: emptyDecideMemory, at: beganAt };
  const users = usersOf(config, tasks);
  const track = startTrack();
  const changes: { atMillis: number; wish: RecordedWish }[] = [];
  const felt = { without: 0, with: 0, dark: 0 };
  let probes = 0;
  for (const step of run(
    start,
    counted(ticks, (count) => (probes += count)),
  )) {
    const atMillis = step.at - beganAt;
    const wishes = recordedWish(step.wish);
    for (const wish of track.note(atMillis, wishes)) changes.push({ atMillis, wish });
    feel(felt, wishes, (uplink) => badShare(faults, usersNamed(users, uplink), config.policy, atMillis));
  }
  const episodes = track.episodes(lengthMillis);
  const left = withdrawalsIn(episodes);
  const minutes = simulatedTickMillis / minuteMillis;
  return {
    faults,
    changes,
    totals: {
      probes,
      badMinutesWithout: felt.without * minutes,
      badMinutesWith: felt.with * minutes,
      darkMinutes: felt.dark * minutes,
      withdrawals: left.length,
      falseWithdrawals: left.filter((one) => isFalse(one, faults, users, config)).length,
      changes: stateChangesIn(episodes),
      mostChangesInAnHour: mostInAnHour(episodes),
    },
  };
}

function* counted<T extends { readonly samples: readonly unknown[] }>(
  ticks: Iterable<T>,
  count: (samples: number) => void,
): Generator<T> {
  for (const tick of ticks) {
    count(tick.samples.length);
    yield tick;
  }
}

/** Users of a service come in equal parts over the uplinks that announce it undrained, or else over the drained ones. */
function feel(
  felt: { without: number; with: number; dark: number },
  wishes: readonly RecordedWish[],
  badOf: (uplink: string) => number,
): void {
  const bad = new Map<string, number>();
  const badness = (wish: RecordedWish): number => {
    const known = bad.get(wish.uplink);
    if (known !== undefined) return known;
    const found = badOf(wish.uplink);
    bad.set(wish.uplink, found);
    return found;
  };
  const mean = (list: readonly RecordedWish[]): number =>
    list.reduce((sum, wish) => sum + badness(wish), 0) / list.length;
  for (const group of groupsOf(wishes)) {
    const announced = group.filter(({ state }) => state === 'announce');
    const drained = group.filter(({ state }) => state === 'drain');
    const carrying = announced.length > 0 ? announced : drained;
    felt.without += mean(group);
    felt.with += carrying.length === 0 ? 1 : mean(carrying);
    if (carrying.length === 0) felt.dark += 1;
  }
}

function groupsOf(wishes: readonly RecordedWish[]): readonly (readonly RecordedWish[])[] {
  const groups = new Map<string, RecordedWish[]>();
  for (const wish of wishes) {
    const key = `${wish.service}${wish.family}`;
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [wish]);
    else own.push(wish);
  }
  return [...groups.values()];
}

function usersOf({ uplinks }: Pick<NodeConfig, 'uplinks'>, tasks: readonly ProbeTask[]): readonly Users[] {
  return uplinks.map(({ name: uplink }) => {
    const own = tasks.filter((task) => task.uplink === uplink && task.class === 'target');
    return { uplink, regions: [...new Set(own.map(({ region }) => region))] };
  });
}

function usersNamed(users: readonly Users[], uplink: string): Users {
  return users.find((one) => one.uplink === uplink) ?? { uplink, regions: [] };
}

/** Nothing that users felt explains it: not now, nor within the time that a verdict takes. */
function isFalse(
  { wish, fromMillis }: Episode,
  faults: readonly Fault[],
  users: readonly Users[],
  config: RunConfig,
): boolean {
  const { policy } = config;
  const since = fromMillis - waitOf(config) - graceMillis;
  for (let at = Math.max(0, since); at <= fromMillis; at += 1000) {
    const bad = badShare(faults, usersNamed(users, wish.uplink), policy, at);
    if (bad > 0 && bad >= policy.regions.share) return false;
  }
  return true;
}

/** Of one announcement, what its carrier saw within any hour. */
function mostInAnHour(episodes: readonly Episode[]): number {
  const times = new Map<string, number[]>();
  const last = new Map<string, string>();
  for (const { wish, fromMillis } of episodes.toSorted((a, b) => a.fromMillis - b.fromMillis)) {
    const key = announcementKey(wish.uplink, wish.service, wish.family);
    const before = last.get(key);
    last.set(key, wish.state);
    if (before !== undefined && before !== wish.state)
      times.set(key, [...(times.get(key) ?? []), fromMillis]);
  }
  const counts = [...times.values()].flatMap((own) =>
    own.map((from) => own.filter((at) => at >= from && at < from + hourMillis).length),
  );
  return Math.max(0, ...counts);
}

/** A new memory for a plan of probes: nothing observed, every verdict unknown. */
import type { VerdictSubject } from '../../types/health.ts';
import type { ProbeTask } from '../../types/outcome.ts';
import type { Policy } from '../../types/policy.ts';
import { type Instant, type Millis, millis } from '../../types/units.ts';
import { newCellRing } from './cell-ring.ts';
import { partsWithout } from './left-out.ts';
import type { Group, HealthMemory, Region, Stream, Subject, Place } from './memory.ts';
import { type PoolScale, newPoolTest } from './pool-test.ts';
import { newFullSize } from './full-size.ts';
import { sharedTargets } from './relative.ts';
import { newRoundTrips } from './round-trips.ts';
import { newHistogram } from './rtt-histogram.ts';
import { cellMillis, evidenceCells, firstWindowMillis, thresholds } from './thresholds.ts';

/** Cells that are kept at least; recovery and patience may need more. */
const windowMillis = 120_000;
const windowSpareMillis = 10_000;
/** The fixed-window rule looks back this far at most, whatever its number of probes. */
const mostWindowMillis = 3_600_000;
/** How far samples may run ahead of the judging. */
const openMillis = 30_000;
/** Silence: this long, or this many intervals, beyond the timeout. */
const silentMillis = 2000;
const silentIntervals = 3;
/** Targets that a verdict takes: with one fewer, leaving one out leaves nothing to compare. */
const targetsNeeded = { uplink: 3, region: 2, target: 1, gateway: 1 } as const;

/**
 * Makes the memory for `tasks`; observation begins at `now`. A plan that changes needs a new memory; what fits is
 * carried over by `checkpoint` and `restoreHealth`.
 */
export function createHealth(tasks: readonly ProbeTask[], policy: Policy, now: Instant): HealthMemory {
  const byGroup = new Map<string, ProbeTask[]>();
  for (const task of tasks) {
    // An origin that is down says nothing of the uplink.
    if (task.class === 'origin') continue;
    const key = `${task.uplink}/${task.family}`;
    const list = byGroup.get(key);
    if (list === undefined) byGroup.set(key, [task]);
    else list.push(task);
  }
  const places = new Map<number, Place>();
  const groups: Group[] = [];
  for (const own of byGroup.values()) {
    const first = own[0];
    if (first === undefined) continue;
    const group = newGroup(own, first, policy, now);
    groups.push(group);
    for (const task of own)
      places.set(task.id, { group, stream: streamOf(group.streams, task), kind: task.kind });
  }
  return {
    tasks,
    policy,
    cellMillis: cellMillis(policy),
    now,
    groups,
    places,
    shared: sharedTargets(groups),
    ignored: 0,
  };
}

function newGroup(all: readonly ProbeTask[], first: ProbeTask, policy: Policy, now: Instant): Group {
  const cell = cellMillis(policy);
  // Full-size echoes are not of the path's loss: they have neither a rate nor a silence in it.
  const tasks = all.filter(({ kind }) => kind !== 'mtu');
  const streams = streamsOf(tasks, now);
  const rates = streams.map((stream) =>
    tasks
      .filter((task) => isOf(stream, task))
      .reduce((sum, task) => sum + 1000 / Math.max(1, task.intervalMillis), 0),
  );
  const scale: PoolScale = {
    thresholds: (rate) => thresholds(policy, rate),
    cellSeconds: cell / 1000,
    gapCells: evidenceCells(policy),
    rates,
  };
  const slowest = Math.min(...rates);
  const longestMillis = Math.max(
    policy.recovery.cleanMillis,
    policy.patienceMillis,
    Math.min(mostWindowMillis, ((policy.windowProbes ?? 0) / slowest) * 1000),
  );
  const keptMillis = Math.max(windowMillis, longestMillis + windowSpareMillis);
  const windowCells = Math.ceil(keptMillis / cell);
  const nextClose = Math.floor(now / cell);
  const timeoutMillis = millis(Math.max(...tasks.map((task) => task.timeoutMillis)));
  const longest = Math.max(...tasks.map((task) => task.intervalMillis));
  const make = subjectMaker(streams, scale, nextClose, firstText(policy, timeoutMillis), now);
  const counts = () => new Uint32Array(streams.length);
  return {
    uplink: first.uplink,
    family: first.family,
    interface: first.interface,
    cellMillis: cell,
    timeoutMillis,
    silentMillis: millis(Math.max(silentMillis, silentIntervals * longest) + timeoutMillis),
    scale,
    streams,
    ring: newCellRing(streams.length, windowCells, Math.ceil(openMillis / cell), nextClose),
    recent: { answered: counts(), lost: counts(), notRun: counts() },
    countsFrom: { loss: new Float64Array(streams.length), slow: new Float64Array(streams.length) },
    ...make,
    leftOut: { loss: '', slow: '' },
    blamed: { loss: [], slow: [] },
    signs: { loss: '', slow: '' },
    health: null,
  };
}

function subjectMaker(
  streams: readonly Stream[],
  scale: PoolScale,
  cell: number,
  text: string,
  now: Instant,
): Pick<Group, 'uplinkSubject' | 'gateway' | 'regions' | 'targets' | 'targetOf' | 'regionOf'> {
  const subject = (who: VerdictSubject, parts: readonly (readonly number[])[]): Subject => ({
    who,
    streams: parts.flat(),
    targetsNeeded: targetsNeeded[who.kind],
    loss: newPoolTest('loss', parts, scale, cell),
    slow: newPoolTest('slow', parts, scale, cell),
    failedBy: 'loss',
    slowBy: 'latency',
    why: { loss: '', slow: '' },
    observedFrom: null,
    observedTo: cell,
    failedBefore: false,
    shown: { health: 'unknown', reason: 'first-window', text, since: now },
    rtts: newHistogram(),
  });
  const of = (keep: (stream: Stream) => boolean) =>
    streams.flatMap((stream, index) => (keep(stream) ? [index] : []));
  const all = of((stream) => stream.class === 'target');
  const names = new Set(all.map((index) => streams[index]?.region ?? ''));
  const regions: Region[] = [...names].map((name) => ({
    name,
    subject: subject(
      { kind: 'region', region: name },
      of((stream) => stream.class === 'target' && stream.region === name).map((index) => [index]),
    ),
  }));
  const gateways = of((stream) => stream.class === 'gateway');
  const targets = new Map(
    all.map((index) => {
      const target = streams[index]?.name ?? '';
      return [target, subject({ kind: 'target', target }, [[index]])];
    }),
  );
  return {
    uplinkSubject: subject({ kind: 'uplink' }, partsWithout(regions, [])),
    gateway: gateways.length > 0 ? subject({ kind: 'gateway' }, [gateways]) : null,
    regions,
    targets,
    targetOf: streams.map((stream) =>
      stream.class === 'target' ? (targets.get(stream.name) ?? null) : null,
    ),
    regionOf: streams.map((stream) =>
      stream.class === 'target'
        ? (regions.find((region) => region.name === stream.region)?.subject ?? null)
        : null,
    ),
  };
}

function firstText(policy: Policy, timeoutMillis: Millis): string {
  return `measuring: the first verdict takes ${firstWindowMillis(policy, { timeoutMillis }) / 1000} s`;
}

function streamsOf(tasks: readonly ProbeTask[], now: Instant): readonly Stream[] {
  const streams: Stream[] = [];
  for (const task of tasks) {
    if (streams.some((stream) => isOf(stream, task))) continue;
    // One name with two addresses is two targets; the second one's name says which it is.
    const taken = streams.some((stream) => stream.name === task.target && stream.class === task.class);
    streams.push({
      name: taken ? `${task.target} (${task.address})` : task.target,
      address: task.address,
      region: task.region,
      class: task.class,
      plannedAt: now,
      lastCountedAt: null,
      lastNotRunAt: null,
      lastNotRunWhy: null,
      trips: newRoundTrips(),
      full: newFullSize(),
      recentKinds: { icmp: { answered: 0, lost: 0 }, tcp: { answered: 0, lost: 0 } },
    });
  }
  return streams;
}

function streamOf(streams: readonly Stream[], task: ProbeTask): number {
  return streams.findIndex((stream) => isOf(stream, task));
}

function isOf(stream: Stream, task: ProbeTask): boolean {
  const sameName = stream.name === task.target || stream.name === `${task.target} (${task.address})`;
  return sameName && stream.address === task.address && stream.class === task.class;
}

/**
 * Which origins answer. Each is judged over each of its uplinks by TCP handshakes in a row, as a readiness check is; one
 * uplink that reaches it is enough. Health has no part in it: an origin that is dead says nothing of the uplinks.
 *
 *   known over an uplink that reaches it          up
 *   known, and none of them reaches it            down
 *   known over no uplink (just started, our own   as it was told last; up where nothing was told
 *   fault, the prober is silent)
 */
import type { EdgeConfig, Origin } from '../../types/edge-config.ts';
import type { ProbeTask, Sample } from '../../types/outcome.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { elapsed, type Instant } from '../../types/units.ts';
import { originName } from '../probe-tasks.ts';
import { count, type ReadyCount, startCount } from '../ready/count.ts';

/** Of one origin over one uplink. */
export interface OriginStream {
  readonly uplink: string;
  /** As tasks call it: `192.0.2.10 443`. */
  readonly origin: string;
  readonly count: ReadyCount;
  /** When the latest handshake was sent that ran; null: none has. */
  readonly ranAt: Instant | null;
  /** Without one for this long nothing is known. */
  readonly silentMillis: number;
}

/** By task id. */
export type OriginStreams = ReadonlyMap<number, OriginStream>;

/** Intervals without a handshake after which nothing is known any more. */
const silentIntervals = 5;

/** Streams of the plan's origins; those that were in the plan before go on where they were. */
export function planOrigins(tasks: readonly ProbeTask[], before: OriginStreams, now: Instant): OriginStreams {
  const known = new Map([...before.values()].map((stream) => [keyOf(stream), stream]));
  return new Map(
    tasks
      .filter((task) => task.class === 'origin')
      .map(({ id, uplink, target: origin, intervalMillis, timeoutMillis }) => {
        const silentMillis = silentIntervals * intervalMillis + timeoutMillis;
        const was = known.get(keyOf({ uplink, origin }));
        const stream = was ?? { uplink, origin, count: startCount(now), ranAt: null };
        return [id, { ...stream, silentMillis }];
      }),
  );
}

function keyOf({ uplink, origin }: Pick<OriginStream, 'uplink' | 'origin'>): string {
  return `${uplink} ${origin}`;
}

/** Counts outcomes in the order of their sending; those of other tasks are left out. */
export function noteOrigins(
  streams: OriginStreams,
  samples: readonly Sample[],
  { rise, fall }: EdgeConfig['probe'],
  now: Instant,
): OriginStreams {
  const own = samples.filter(({ task }) => streams.has(task));
  if (own.length === 0) return streams;
  const next = new Map(streams);
  for (const { task, sentAt, outcome } of own.toSorted((one, other) => one.sentAt - other.sentAt)) {
    const stream = next.get(task);
    if (stream === undefined) continue;
    const counted = count(stream.count, readyOutcome(outcome), { rise, fall }, now);
    const ranAt = outcome.kind === 'not-run' ? stream.ranAt : sentAt;
    next.set(task, { ...stream, count: counted, ranAt });
  }
  return next;
}

function readyOutcome(outcome: Sample['outcome']): ReadyOutcome {
  switch (outcome.kind) {
    case 'answered':
      return outcome.wrong === undefined
        ? { kind: 'pass', text: 'it accepts connections' }
        : { kind: 'fail', text: outcome.wrong };
    case 'lost':
      return { kind: 'fail', text: 'no answer in time' };
    case 'not-run':
      return { kind: 'not-run', text: outcome.why };
  }
}

/** What is known of an origin over one uplink. */
export interface OriginView {
  readonly uplink: string;
  readonly state: 'up' | 'down' | 'unknown';
  /** What the last handshake that ran found; null: none has. */
  readonly text: string | null;
}

/** One for each uplink of the origin that is probed. */
export function viewOrigin(
  streams: OriginStreams,
  origin: Pick<Origin, 'address' | 'port'>,
  now: Instant,
): readonly OriginView[] {
  const name = originName(origin);
  return [...streams.values()]
    .filter((stream) => stream.origin === name)
    .map(({ uplink, count: { state, text }, ranAt, silentMillis }) => {
      const silent = ranAt === null || elapsed(ranAt, now) > silentMillis;
      const known = state === 'ready' ? 'up' : 'down';
      return { uplink, state: silent || state === 'unknown' ? 'unknown' : known, text };
    });
}

/** Whether it is to be called up. `last`: what was told last. */
export function isOriginUp(views: readonly OriginView[], last: boolean): boolean {
  const known = views.filter(({ state }) => state !== 'unknown');
  return known.length === 0 ? last : known.some(({ state }) => state === 'up');
}

/**
 * A simulated prober: the outcomes that a plan of probes would have on carriers with these faults, tick by tick, in the
 * times at which the daemon would know them. Pure: the same seed gives the same trace.
 */
import { uplinkKey } from '../../types/keys.ts';
import type { Outcome, ProbeTask, Sample } from '../../types/outcome.ts';
import { type Instant, instant, millis } from '../../types/units.ts';
import { type Bursts, burstsOf, type Chance, chanceOf } from './chance.ts';
import { type Fault, suffers } from './fault.ts';
import type { DecideFacts } from './recording.ts';
import type { RunTick } from './run.ts';

export interface TraceOptions {
  readonly tasks: readonly ProbeTask[];
  readonly faults: readonly Fault[];
  /** What is normal: losses of each probe by itself, and moments in which an uplink loses everything. */
  readonly ambient: { readonly share: number; readonly bursts: Bursts };
  readonly seed: number;
  readonly beganAt: Instant;
  readonly lengthMillis: number;
  readonly tickMillis: number;
}

const baseRttMillis = 30;
const rttSpreadMillis = 40;
const jitterMillis = 4;

/** One for each tick; `judgedAt` and `decidedAt` are its time. */
export function* trace(options: TraceOptions): Generator<RunTick> {
  const { tasks, seed, beganAt, lengthMillis, tickMillis } = options;
  const facts = quietFacts(tasks);
  const links = new Map([...new Set(tasks.map(({ uplink }) => uplink))].map((name) => [name, 'up'] as const));
  const streams = streamsOf(options, chanceOf(seed));
  const longest = Math.max(...tasks.map(({ timeoutMillis }) => timeoutMillis)) + 10 * tickMillis;
  const slots = Math.ceil(longest / tickMillis) + 2;
  const known: Sample[][] = Array.from({ length: slots }, () => []);
  for (let tick = 1; tick * tickMillis <= lengthMillis; tick += 1) {
    const until = tick * tickMillis;
    for (const stream of streams) {
      for (; stream.nextMillis <= until; stream.nextMillis += stream.task.intervalMillis) {
        const { sample, knownMillis } = probe(stream, options);
        known[Math.max(tick, Math.ceil(knownMillis / tickMillis)) % slots]?.push(sample);
      }
    }
    const at = instant(beganAt + until);
    const samples = known[tick % slots] ?? [];
    known[tick % slots] = [];
    yield { judgedAt: at, decidedAt: at, reportedAt: at, links, facts, samples };
  }
}

interface Stream {
  readonly task: ProbeTask;
  readonly chance: Chance;
  readonly inBurst: (atMillis: number) => boolean;
  readonly rttMillis: number;
  nextMillis: number;
}

/** Bursts are the uplink's: all of its streams are in them together. */
function streamsOf({ tasks, ambient }: TraceOptions, chance: Chance): readonly Stream[] {
  const seeds = new Map<string, number>();
  return tasks.map((task) => {
    const key = uplinkKey(task.uplink, task.family);
    if (!seeds.has(key)) seeds.set(key, Math.floor(chance() * 4_294_967_296));
    // One for each stream, of the same seed: each is asked in the order of its own probes.
    const inBurst = burstsOf(ambient.bursts, chanceOf(seeds.get(key) ?? 0));
    return {
      task,
      chance,
      inBurst,
      rttMillis: baseRttMillis + chance() * rttSpreadMillis,
      nextMillis: chance() * task.intervalMillis,
    };
  });
}

function probe(
  { task, chance, inBurst, rttMillis, nextMillis }: Stream,
  { faults, ambient, beganAt }: TraceOptions,
): { readonly sample: Sample; readonly knownMillis: number } {
  const { loss, addedMillis } = suffers(faults, task, nextMillis);
  const share = 1 - (1 - loss) * (1 - ambient.share);
  const rtt = rttMillis + addedMillis + chance() * jitterMillis;
  const isLost = inBurst(nextMillis) || chance() < share || rtt > task.timeoutMillis;
  const outcome: Outcome = isLost ? { kind: 'lost' } : { kind: 'answered', rttMillis: millis(rtt) };
  const knownMillis = nextMillis + (isLost ? task.timeoutMillis : rtt);
  return { sample: { task: task.id, sentAt: instant(beganAt + nextMillis), outcome }, knownMillis };
}

/** Sessions are up, nobody has spoken, nothing else is known: only the outcomes tell the uplinks apart. */
export function quietFacts(tasks: readonly ProbeTask[]): DecideFacts {
  const keys = new Set(tasks.map(({ uplink, family }) => uplinkKey(uplink, family)));
  return {
    sessions: new Map([...keys].map((key) => [key, 'up'] as const)),
    usableDefaults: keys,
    overrides: [],
    readiness: new Map(),
    booting: false,
    freeze: null,
    traffic: new Map(),
    fleet: null,
  };
}

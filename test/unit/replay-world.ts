/** A recorded run for the tests of recording and replay: three uplinks, four targets each, faults by a trace. */
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import type { Fault } from '../../src/core/replay/fault.ts';
import { type RecordedTick, recordedWish } from '../../src/core/replay/recording.ts';
import { type RunConfig, type RunStart, startRun } from '../../src/core/replay/run.ts';
import { trace } from '../../src/core/replay/trace.ts';
import type { Target } from '../../src/types/config.ts';
import type { ProbeTask } from '../../src/types/outcome.ts';
import { instant } from '../../src/types/units.ts';
import { inputAt } from '../support/world.ts';
import { tasksOf } from './health-world.ts';

export const beganAt = instant(1_000_000);
export const uplinkNames = ['cmi', 'pccw', 'hkbn'];

/** Four targets of an uplink, two in each of two regions, over IPv4. */
export function tasksOfNode(): readonly ProbeTask[] {
  const plans = uplinkNames.map((uplink) => tasksOf({ ID: 2, PH: 2 }, { uplink, gateway: true }));
  return plans.flat().map((task, index) => ({ ...task, id: index + 1 }));
}

export function runConfig(change: Partial<RunConfig> = {}): RunConfig {
  const { services, uplinks, policy, guards } = inputAt(0, { cmi: good, pccw: good, hkbn: good });
  const targets = ['id-1', 'id-2', 'ph-1', 'ph-2'].map(
    (name): Target => ({
      name,
      region: name.slice(0, 2).toUpperCase(),
      family: 4,
      address: '198.51.100.1',
      ping: true,
      tcpPort: null,
    }),
  );
  return { services, uplinks: uplinks.map((one) => ({ ...one, targets })), policy, guards, ...change };
}

const good = { health: 'healthy' } as const;

export function runStart(change: Partial<RunConfig> = {}): RunStart {
  return {
    config: runConfig(change),
    tasks: tasksOfNode(),
    health: '',
    decide: emptyDecideMemory,
    at: beganAt,
  };
}

export function deadFrom(uplink: string, fromMillis: number, toMillis: number, loss = 1): Fault {
  return {
    text: `${uplink} dead`,
    uplink,
    region: null,
    target: null,
    fromMillis,
    toMillis,
    loss: () => loss,
    addedMillis: 0,
  };
}

/** What a daemon with this config would have recorded. */
export function* recorded(
  faults: readonly Fault[],
  lengthMillis: number,
  change: Partial<RunConfig> = {},
): Generator<RecordedTick> {
  const start = runStart(change);
  const running = startRun(start);
  const ambient = { share: 0.002, bursts: { share: 0, meanMillis: 0 } };
  const options = { tasks: start.tasks, faults, ambient, seed: 7, beganAt, lengthMillis, tickMillis: 200 };
  for (const tick of trace(options)) yield { ...tick, happened: recordedWish(running.step(tick).wish) };
}

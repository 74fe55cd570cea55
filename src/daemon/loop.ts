/** The daemon's rounds: the operators' desk, then a tick, then a rest. */
import { checkpoint } from '../core/health/checkpoint.ts';
import { after, type Instant, millis } from '../types/units.ts';
import type { Turns } from '../http/turns.ts';
import type { Alarm } from './alarms.ts';
import type { StateFolder } from './checkpoint.ts';
import { monotonicNow } from './clock.ts';
import type { Metering } from './metering.ts';
import type { OperatorDesk } from './operators.ts';
import { pause } from './pause.ts';
import type { Probing } from './probing.ts';
import { tick, type TickReport, type TickTools, type World } from './tick.ts';

const tickMillis = 200;
/** After a command, the next look comes at once: what BIRD then shows is the read-back. */
const lookAgainMillis = 10;
const checkpointEveryMillis = 1000;
const keepMillis = 1000;

export interface LoopParts {
  readonly tools: TickTools;
  readonly world: World;
  readonly probing: Probing;
  readonly desk: OperatorDesk;
  readonly folder: StateFolder;
  readonly last: { report: TickReport | null };
  /** Of parts that no tick looks at. */
  readonly alarms: () => readonly Alarm[];
  /** Told of each tick when it is over; it must not wait for anything. */
  readonly afterTick: (report: TickReport) => void;
  /** Held while a tick is under way. */
  readonly turns: Turns;
  /** Told of the times of each round, and of what was probed before it. */
  readonly metering: Pick<Metering, 'round'>;
}

export interface Loop {
  /** One round; the rest after it ends early for a command, or for `stop`. */
  round(stop: AbortSignal): Promise<TickReport>;
  /** Keeps what is known for the next start; waits no longer than a second for the disk. */
  keep(): Promise<void>;
}

export function openLoop(parts: LoopParts): Loop {
  const { tools, world, probing, desk, folder, last, alarms, afterTick, turns, metering } = parts;
  let savedAt = 0;
  let dueAt: Instant | null = null;
  let isSaving = false;
  /** Beside the ticks: a disk that hangs must not hold a withdrawal up. */
  const save = async (): Promise<void> => {
    isSaving = true;
    const { decide, look } = world;
    await folder.saveCheckpoint({ health: checkpoint(world.health), decide, look });
    isSaving = false;
  };
  const bell = openBell();
  desk.queue.onCommand(bell.ring);
  return {
    async round(stop) {
      const began = monotonicNow();
      await desk.attend();
      turns.hold();
      const input = probing.take();
      const report = await tick(tools, world, {
        ...input,
        alarms: [...input.alarms, ...desk.alarms(), ...alarms()],
      });
      last.report = report;
      turns.go();
      afterTick(report);
      const { tasks } = tools;
      const prober = probing.prober();
      metering.round({ dueAt, began, ended: monotonicNow(), samples: input.samples, tasks, prober });
      if (began - savedAt >= checkpointEveryMillis && !isSaving) {
        savedAt = began;
        void save();
      }
      const rest = world.switched.size > 0 ? lookAgainMillis : tickMillis - (monotonicNow() - began);
      const restMillis = millis(Math.max(lookAgainMillis, rest));
      dueAt = after(monotonicNow(), restMillis);
      await bell.rest(restMillis, stop);
      return report;
    },
    keep: () => Promise.race([save(), pause(keepMillis)]),
  };
}

interface Bell {
  readonly ring: () => void;
  /** Rests until the time is over, the bell rings (also if it rang since the last rest), or `stop` is aborted. */
  readonly rest: (waitMillis: number, stop: AbortSignal) => Promise<void>;
}

function openBell(): Bell {
  let rang = false;
  let wake: () => void = () => undefined;
  return {
    ring() {
      rang = true;
      wake();
    },
    rest: (waitMillis, stop) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          stop.removeEventListener('abort', done);
          wake = () => undefined;
          rang = false;
          resolve();
        };
        const timer = setTimeout(done, waitMillis);
        stop.addEventListener('abort', done);
        wake = done;
        if (rang || stop.aborted) done();
      }),
  };
}

/** The daemon's rounds: the operators' desk, then a tick, then a rest. */
import { checkpoint } from '../core/health/checkpoint.ts';
import type { Alarm } from './alarms.ts';
import type { StateFolder } from './checkpoint.ts';
import { monotonicNow } from './clock.ts';
import type { OperatorDesk } from './operators.ts';
import type { Probing } from './probing.ts';
import { tick, type TickReport, type TickTools, type World } from './tick.ts';

const tickMillis = 200;
/** After a command, the next look comes at once: what BIRD then shows is the read-back. */
const lookAgainMillis = 10;
const checkpointEveryMillis = 1000;

export interface LoopParts {
  readonly tools: TickTools;
  readonly world: World;
  readonly probing: Probing;
  readonly desk: OperatorDesk;
  readonly folder: StateFolder;
  readonly last: { report: TickReport | null };
  /** Of parts that no tick looks at. */
  readonly alarms: () => readonly Alarm[];
}

export interface Loop {
  /** One round; the rest after it ends early for a command, or for `stop`. */
  round(stop: AbortSignal): Promise<TickReport>;
}

export function openLoop({ tools, world, probing, desk, folder, last, alarms }: LoopParts): Loop {
  let savedAt = 0;
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
      const input = probing.take();
      const report = await tick(tools, world, {
        ...input,
        alarms: [...input.alarms, ...desk.alarms(), ...alarms()],
      });
      last.report = report;
      if (began - savedAt >= checkpointEveryMillis && !isSaving) {
        savedAt = began;
        void save();
      }
      const rest = world.switched.size > 0 ? lookAgainMillis : tickMillis - (monotonicNow() - began);
      await bell.rest(Math.max(lookAgainMillis, rest), stop);
      return report;
    },
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

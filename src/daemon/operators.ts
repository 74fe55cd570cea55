/** The operators' desk: takes their commands between two ticks, and keeps the time of what they and windows said. */
import type { OperatorCommands } from '../http/operator-routes.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Override } from '../types/override.ts';
import { subjectKey } from '../core/hands/subject.ts';
import type { Alarm } from './alarms.ts';
import { openCommandQueue, type CommandQueue, NotTaken } from './command-queue.ts';
import { takeFleetOrders } from './fleet-take.ts';
import { freezeWish, lookAtFreeze, thawWish } from './freeze.ts';
import { freezeAlarms, overrideAlarms } from './operator-alarms.ts';
import { type OperatorResult, type OperatorScene, refused } from './operator-scene.ts';
import { endExpired, giveOverride, releaseOverrides } from './overrides.ts';
import type { Reloader } from './reload.ts';

export interface OperatorDesk {
  readonly commands: OperatorCommands;
  readonly queue: CommandQueue;
  /** Before each tick: commands, the freeze, expiries, windows. */
  attend(): Promise<void>;
  /** After an apply: what of the whole config still waits for something. */
  review(config: NodeConfig): void;
  alarms(): readonly Alarm[];
}

export function openDesk(scene: OperatorScene, reloader: Reloader): OperatorDesk {
  const queue = openCommandQueue();
  const queued =
    <T>(carryOut: (request: T) => Promise<OperatorResult>) =>
    (request: T): Promise<OperatorResult> =>
      queue
        .run(() => carryOut(request))
        .catch((error: unknown) => {
          if (error instanceof NotTaken) return refused(503, error.message);
          throw error;
        });
  return {
    queue,
    commands: {
      override: queued((request) => giveOverride(scene, request)),
      release: queued((request) => releaseOverrides(scene, request)),
      freeze: queued((request) => freezeWish(scene, request)),
      thaw: queued((request) => thawWish(scene, request)),
      reload: queued((request) => reloader.reload(request)),
    },
    async attend() {
      await lookAtFreeze(scene);
      // What a command would change is known from the first tick on.
      if (scene.world.operator.decided !== null) await queue.attend();
      await takeFleetOrders(scene);
      await endExpired(scene);
      lookAtWindows(scene);
      scene.store.retry();
    },
    review: (config) => reloader.review(config),
    alarms() {
      const trouble = scene.store.trouble();
      const { overrides, operator } = scene.world;
      return [
        ...(trouble === null ? [] : [{ code: 'overrides-not-kept', text: trouble } as const]),
        ...overrideAlarms(overrides, Date.parse(scene.wallTime())),
        ...freezeAlarms(operator.freeze),
        ...reloader.alarms(),
      ];
    },
  };
}

/** While frozen, the calendar stands still too: what was open at the freeze stays open. */
function lookAtWindows(scene: OperatorScene): void {
  const { operator } = scene.world;
  const wallMillis = Date.parse(operator.freeze?.at ?? scene.wallTime());
  const before = operator.maintenance;
  const now = scene.calendar.at(wallMillis);
  operator.maintenance = now;
  const keyOf = ({ subject, state }: Override): string => `${subjectKey(subject)} ${state}`;
  const known = new Set(before.map((one) => keyOf(one)));
  const open = new Set(now.map((one) => keyOf(one)));
  for (const one of now) if (!known.has(keyOf(one))) scene.words.maintenance('begins', one);
  for (const one of before) if (!open.has(keyOf(one))) scene.words.maintenance('ends', one);
}

/** Carries out `on_stop` with the daemon's own ticks. */
import type { Logger } from 'pino';
import type { OnStop } from '../types/config.ts';
import { unreachable } from '../types/unreachable.ts';
import { monotonicNow } from './clock.ts';
import { isWishDone, stillCarrying, stillExporting } from './stop.ts';
import type { TickReport, TickTools, World } from './tick.ts';
import type { TrafficWatch } from './traffic-watch.ts';

export interface Leaving {
  readonly tools: TickTools;
  readonly world: World;
  readonly traffic: TrafficWatch;
  /** One round of the loop: tick, and the pause after it. */
  readonly round: () => Promise<TickReport>;
  /** Ends the probes: what flows then is the users' alone. */
  readonly quietProbes: () => void;
  readonly log: Logger;
}

/** Traffic is judged over this. */
const recentMillis = 3000;
const averageMillis = 60_000;

/** Resolves when the daemon may end. False: the deadline came first, and the log says what is left. */
export async function leave(scene: Leaving, onStop: OnStop): Promise<boolean> {
  const { tools, world, log } = scene;
  const untilMillis = monotonicNow() + onStop.deadlineMillis;
  if (onStop.do === 'keep' || tools.config.mode === 'observe') {
    log.info('causeway stops; BIRD stays as it is');
    return true;
  }
  world.operator.leaving = onStop.do;
  log.warn({ do: onStop.do, deadlineMillis: onStop.deadlineMillis }, 'causeway stops in order');
  const before = scene.traffic.rates(averageMillis);
  let left = await rounds(scene, untilMillis, (report) =>
    isWishDone(report) ? [] : ['the wish is not in BIRD'],
  );
  if (left.length === 0) {
    switch (onStop.do) {
      case 'withdraw':
        left = await rounds(scene, untilMillis, ({ view }) => stillExporting(tools.config, view));
        break;
      case 'drain': {
        const drainedAt = monotonicNow();
        scene.quietProbes();
        left = await rounds(scene, untilMillis, () =>
          monotonicNow() - drainedAt < recentMillis
            ? ['too early to tell']
            : stillCarrying(before, scene.traffic.rates(recentMillis)),
        );
        break;
      }
      default:
        unreachable(onStop.do);
    }
  }
  if (left.length === 0) log.info({ do: onStop.do }, 'causeway stops; all is as on_stop says');
  else log.error({ do: onStop.do, left }, 'causeway stops at the deadline of on_stop');
  return left.length === 0;
}

/** Goes on until nothing is left or the deadline has passed; returns what is left then. */
async function rounds(
  { round }: Leaving,
  untilMillis: number,
  leftOf: (report: TickReport) => readonly string[],
): Promise<readonly string[]> {
  for (;;) {
    const left = leftOf(await round());
    if (left.length === 0 || monotonicNow() >= untilMillis) return left;
  }
}

/**
 * The flap budget: what may still change on an announcement before a carrier that damps would suppress it. Every step
 * leaves room for one withdrawal more, since the withdrawal of a failed uplink is never delayed.
 */
import type { AnnounceState } from '../../types/wire/enums.ts';
import { after, type Instant, millis } from '../../types/units.ts';
import { type DampingModel, fallMillis, type Penalty, pointsAt, type RouteChange } from './damping.ts';

/** What a carrier sees of a step from one state to another; null: nothing. */
export function changeBetween(from: AnnounceState, to: AnnounceState): RouteChange | null {
  if (from === to) return null;
  if (to === 'withdraw') return 'withdrawal';
  return from === 'withdraw' ? 'reannouncement' : 'attributes';
}

/** When these changes, and a withdrawal after them, stay below suppression; null: now. */
export function fitsFrom(
  model: DampingModel,
  penalty: Penalty | undefined,
  changes: readonly RouteChange[],
  now: Instant,
): Instant | null {
  const cost = changes.reduce((sum, change) => sum + model.cost[change], model.cost.withdrawal);
  const points = pointsAt(model, penalty, now);
  if (points + cost < model.suppress) return null;
  // One millisecond more: at the level itself it does not fit yet.
  const wait = fallMillis(model, points, Math.max(1, model.suppress - cost));
  return after(now, millis(Math.ceil(wait) + 1));
}

/** How many withdrawals, each with its return, fit now: the figure that people are shown. */
export function changesLeft(model: DampingModel, penalty: Penalty | undefined, now: Instant): number {
  const cycle = model.cost.withdrawal + model.cost.reannouncement;
  const room = model.suppress - pointsAt(model, penalty, now);
  return Math.max(0, Math.ceil(room / cycle) - 1);
}

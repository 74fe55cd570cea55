/**
 * Route flap damping as carriers run it (RFC 2439): each change of a route adds a penalty, which halves in a half-life;
 * above `suppress` the route is not used until the penalty is below `reuse`. Nobody tells us the penalty that a carrier
 * counts, so it is counted here in the same way, for each announcement.
 */
import type { FlapModelName } from '../../types/config.ts';
import { elapsed, type Instant, instant, type Millis, millis } from '../../types/units.ts';

export type RouteChange = 'withdrawal' | 'reannouncement' | 'attributes';

export interface DampingModel {
  readonly halfLifeMillis: Millis;
  readonly cost: Readonly<Record<RouteChange, number>>;
  /** A route with more than this is suppressed. */
  readonly suppress: number;
  /** A suppressed route with less than this is used again. */
  readonly reuse: number;
  /** No penalty grows above this; reuse × 2^(max-suppress-time / half-life), after which the route is used anyway. */
  readonly ceiling: number;
}

const quarterHour = millis(900_000);

/**
 * Defaults of Cisco IOS (`bgp dampening`: 15 750 2000 60) and Junos (`damping`: half-life 15, reuse 750, suppress 3000,
 * max-suppress 60; a readvertisement costs as much as a withdrawal); RFC 7196 §4 asks for 6000 and a ceiling of 50000.
 */
export const dampingModels: Readonly<Record<FlapModelName, DampingModel>> = {
  cisco: {
    halfLifeMillis: quarterHour,
    cost: { withdrawal: 1000, reannouncement: 0, attributes: 500 },
    suppress: 2000,
    reuse: 750,
    ceiling: 12_000,
  },
  juniper: {
    halfLifeMillis: quarterHour,
    cost: { withdrawal: 1000, reannouncement: 1000, attributes: 500 },
    suppress: 3000,
    reuse: 750,
    ceiling: 12_000,
  },
  rfc7196: {
    halfLifeMillis: quarterHour,
    cost: { withdrawal: 1000, reannouncement: 1000, attributes: 500 },
    suppress: 6000,
    reuse: 750,
    ceiling: 50_000,
  },
  /** Nobody damps: what is counted never comes near what is allowed. */
  off: {
    halfLifeMillis: quarterHour,
    cost: { withdrawal: 1, reannouncement: 0, attributes: 0 },
    suppress: 1_000_000,
    reuse: 1,
    ceiling: 1,
  },
};

/** What had gathered at a point of time. Plain data. */
export interface Penalty {
  readonly points: number;
  readonly at: Instant;
}

/** The penalty that is left now; undefined: no change was ever counted. */
export function pointsAt(model: DampingModel, penalty: Penalty | undefined, now: Instant): number {
  if (penalty === undefined) return 0;
  return penalty.points / 2 ** (elapsed(penalty.at, now) / model.halfLifeMillis);
}

/** The penalty after a change at `now`. */
export function addChange(
  model: DampingModel,
  penalty: Penalty | undefined,
  change: RouteChange,
  now: Instant,
): Penalty {
  const points = Math.min(model.ceiling, pointsAt(model, penalty, now) + model.cost[change]);
  return { points, at: instant(Math.max(now, penalty?.at ?? now)) };
}

/** How long so many points take to fall to a level above 0; 0 where they are below it. */
export function fallMillis(model: DampingModel, points: number, level: number): Millis {
  if (points <= level) return millis(0);
  return millis(model.halfLifeMillis * Math.log2(points / level));
}

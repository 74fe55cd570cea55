/** What this node tells of itself to the edges: of its own and, by the fleet, of the other nodes. */
import type { EdgeConfig } from '../../types/edge-config.ts';
import type { Uplink } from '../../types/config.ts';
import type { UplinkHealth } from '../../types/health.ts';
import { uplinkKey } from '../../types/keys.ts';
import type { Policy } from '../../types/policy.ts';
import { families, type Family } from '../../types/units.ts';
import type { Wish } from '../../types/wish.ts';
import type { ToldState } from '../../types/wire/enums.ts';
import type { EdgeNodeView } from '../../types/wire/node-to-edge.ts';
import { scoreOf, steadyScore } from './score.ts';

/** The words of DESIGN §7.12 about one uplink and family. */
export interface UplinkWord {
  readonly state: ToldState;
  readonly regions: ReadonlyMap<string, ToldState>;
}

export interface NodeFacts {
  readonly edge: Pick<EdgeConfig, 'host' | 'weight'>;
  readonly uplinks: readonly Uplink[];
  readonly policy: Policy;
  readonly health: readonly UplinkHealth[];
  readonly wish: Wish;
  /** By uplinkKey. */
  readonly told: ReadonlyMap<string, UplinkWord>;
  /** The view before this one; null: there is none. */
  readonly last: EdgeNodeView | null;
}

/** The node as the edges see it. A drained uplink is not up: users that have another one go there. */
export function nodeView(facts: NodeFacts): EdgeNodeView {
  const { edge, uplinks, policy, health, wish, told, last } = facts;
  const healthOf = new Map(health.map((one) => [uplinkKey(one.uplink, one.family), one]));
  const entries = uplinks.map(({ name, carrier }) => {
    const own = families.flatMap((family) => {
      const one = healthOf.get(uplinkKey(name, family));
      return one === undefined ? [] : [one];
    });
    const views = own.map(
      ({ family, regions }) =>
        [family, familyView(told.get(uplinkKey(name, family)), [...regions.keys()])] as const,
    );
    const ups = new Set(views.filter(([, { up }]) => up).map(([family]) => family));
    // Of the families that are up; one that is down is not chosen by its score.
    const scores = own
      .filter(({ family }) => ups.has(family))
      .map((one) => scoreOf(one.uplinkVerdict, policy));
    const measured = scores.length === 0 ? 0 : Math.min(...scores);
    const score = steadyScore(last?.uplinks[name]?.score ?? null, measured);
    return [name, { carrier, score, families: Object.fromEntries(views) }] as const;
  });
  return {
    host: edge.host,
    accepting: isAccepting(wish, told),
    weight: edge.weight,
    uplinks: Object.fromEntries(entries),
  };
}

function familyView(told: UplinkWord | undefined, regions: readonly string[]) {
  const up = told === undefined || told.state === 'up';
  const words = regions.map((region) => [region, told?.regions.get(region) !== 'down'] as const);
  return { up, ...(words.length === 0 ? {} : { regions: Object.fromEntries(words) }) };
}

/**
 * Whether users of other nodes may be sent here: something is announced on an uplink that is up. A node whose services
 * are not ready, or that an operator drained, accepts nobody.
 */
function isAccepting({ announcements }: Wish, told: ReadonlyMap<string, UplinkWord>): boolean {
  const isUp = (uplink: string, family: Family): boolean =>
    (told.get(uplinkKey(uplink, family))?.state ?? 'up') === 'up';
  return announcements.some(({ state, uplink, family }) => state === 'announce' && isUp(uplink, family));
}

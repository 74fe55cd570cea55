/** What the edge is told, without its order and time: nodes and origins. Pure. */
import type { EdgeConfig } from '../../types/edge-config.ts';
import type { Instant } from '../../types/units.ts';
import type { EdgeNodeView, EdgeSnapshot } from '../../types/wire/node-to-edge.ts';
import { isOriginUp, type OriginStreams, viewOrigin } from './origins.ts';

/** All of a snapshot but what counts messages. */
export type EdgeWord = Omit<EdgeSnapshot, 'epoch' | 'seq' | 'generatedAt'>;

/** What the fleet says of the other nodes. */
export interface OtherNodes {
  /** Those that are alive by a positive reading, and have an edge. */
  readonly nodes: ReadonlyMap<string, EdgeNodeView>;
  /** false: the fleet could not be read, so that nothing is known of them now. */
  readonly read: boolean;
}

export interface EdgeFacts {
  readonly self: string;
  readonly edge: EdgeConfig;
  readonly view: EdgeNodeView;
  readonly others: OtherNodes;
  readonly origins: OriginStreams;
  /** Carrier of each uplink. */
  readonly carriers: ReadonlyMap<string, string>;
  readonly now: Instant;
}

/**
 * The next word. `last` is the one before it, of this process or of the one before it: what is not known now is told as it
 * was. Nodes that are unknown are left out, so that nobody is sent to them; but while the fleet cannot be read their
 * number stays, since limits of the fleet are shared by it, and one node must not take all of a limit for itself just
 * when the Redis that they share is away.
 */
export function edgeWord(facts: EdgeFacts, last: EdgeWord | null): EdgeWord {
  const { self, edge, view, others } = facts;
  const nodes = Object.fromEntries([...others.nodes, [self, view] as const]);
  const counted = Object.keys(nodes).length;
  return {
    schema: 1,
    ttlMillis: edge.ttlMillis,
    self,
    nodesActive: others.read ? counted : Math.max(counted, last?.nodesActive ?? 1),
    nodes,
    origins: Object.fromEntries(
      edge.pools.map(({ name, origins }) => [
        name,
        origins.map((origin) => originWord(facts, name, origin, last)),
      ]),
    ),
  };
}

type OriginWord = NonNullable<EdgeWord['origins']>[string][number];

function originWord(
  { origins, carriers, now }: EdgeFacts,
  pool: string,
  origin: EdgeConfig['pools'][number]['origins'][number],
  last: EdgeWord | null,
): OriginWord {
  const { address, port, weight } = origin;
  const before = last?.origins?.[pool]?.find((one) => one.address === address && one.port === port);
  const views = viewOrigin(origins, origin, now);
  // An uplink of which nothing is known is told as it was, beside those that are known.
  const reaching = views.flatMap(({ uplink, state }) => {
    const carrier = carriers.get(uplink);
    if (carrier === undefined) return [];
    const isTold = state === 'up' || (state === 'unknown' && before?.carriers?.includes(carrier) === true);
    return isTold ? [carrier] : [];
  });
  return {
    address,
    port,
    weight,
    up: isOriginUp(views, before?.up ?? true),
    carriers: views.length === 0 ? (before?.carriers ?? []) : [...new Set(reaching)],
  };
}

/** What must be told at once when it changes; scores wait for the heartbeat. */
export function urgentText(word: EdgeWord): string {
  return JSON.stringify(word, (key, value: unknown) => (key === 'score' ? undefined : value));
}

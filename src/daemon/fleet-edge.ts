/** Nodes tell each other through the fleet what their edges are to know of them. */
import type { OtherNodes } from '../core/edge-feed/snapshot.ts';
import type { EdgeNodeView } from '../types/wire/node-to-edge.ts';
import type { Presence } from '../types/wire/node-to-fleet.ts';

/** `others`: presences of the nodes that are heard; null: the fleet cannot be read now. */
export function edgeNodes(others: readonly Presence[] | null): OtherNodes {
  if (others === null) return { nodes: new Map(), read: false };
  const nodes = others.flatMap(({ node, edge }) => (edge === undefined ? [] : [[node, edge] as const]));
  return { nodes: new Map(nodes), read: true };
}

/** Steps of the score that are worth telling: every word that changes is read by every node. */
const scoreStep = 10;

/** What of a node's view others should hear of at once, as a text that is equal where nothing of it changed. */
export function edgeMark(view: EdgeNodeView | null): string {
  return JSON.stringify(view, (key, value: unknown) =>
    key === 'score' && typeof value === 'number' ? Math.round(value / scoreStep) : value,
  );
}

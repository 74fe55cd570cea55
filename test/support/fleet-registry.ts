/**
 * What Redis decides by itself (src/adapters/fleet-lua.ts), as a pure function: for models of the fleet, and compared
 * with the real thing on a real Redis.
 */
import type { Answer, Ask } from '../../src/core/fleet/ask.ts';
import type { Beat } from '../../src/core/fleet/memory.ts';
import { isYounger, type VersionedOrder } from '../../src/core/fleet/orders.ts';

/** The data of one fleet in one Redis. */
export interface Registry {
  /** `process/history/generation`; null: no generation was made yet. */
  readonly master: string | null;
  readonly beats: ReadonlyMap<string, Beat>;
  /** By group and node: the epoch of the holder. */
  readonly tokens: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** By group and node: when it left, by Redis's clock. */
  readonly leaves: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

export interface Question {
  readonly ask: Ask;
  readonly node: string;
  readonly epoch: number;
  readonly master: string;
  readonly leavers: number;
  readonly windowMillis: number;
}

/** `nowMillis`: Redis's own wall clock, which may jump. */
export function serveAsk(
  registry: Registry,
  question: Question,
  nowMillis: number,
): { readonly registry: Registry; readonly answer: Answer } {
  const { ask, node, epoch, master, leavers, windowMillis } = question;
  if (registry.master !== master) return { registry, answer: { kind: 'anew' } };
  if (registry.beats.get(node)?.epoch !== epoch) return { registry, answer: { kind: 'fenced' } };
  const tokens = registry.tokens.get(ask.group) ?? new Map<string, number>();
  if (ask.kind === 'release') {
    const rest = new Map([...tokens].filter(([name]) => name !== node));
    return { registry: withTokens(registry, ask.group, rest), answer: { kind: 'released' } };
  }
  const given = withTokens(registry, ask.group, new Map(tokens).set(node, epoch));
  if (ask.kind !== 'leave') return { registry: given, answer: { kind: 'given' } };
  const leaves = new Map(
    [...(registry.leaves.get(ask.group) ?? [])]
      .map(([name, at]) => [name, Math.min(at, nowMillis)] as const)
      .filter(([, at]) => nowMillis - at < windowMillis),
  );
  const kept = { ...registry, leaves: new Map(registry.leaves).set(ask.group, leaves) };
  const recent = [...leaves.keys()].filter((name) => name !== node).length;
  const refuse = (answer: Answer) => ({ registry: kept, answer });
  if (recent >= leavers) return refuse({ kind: 'window', recent });
  if (recent > 0 && !ask.strong) return refuse({ kind: 'evidence', recent });
  const standing = ask.witnesses.filter((one) => {
    const beat = registry.beats.get(one.node);
    const held = tokens.get(one.node);
    const isFree = held === undefined || held < one.epoch;
    return one.node !== node && beat?.epoch === one.epoch && beat?.content === one.content && isFree;
  });
  const inSite = standing.filter((one) => one.inSite).length;
  if (standing.length < ask.need + recent)
    return refuse({ kind: 'few', count: standing.length, need: ask.need + recent });
  if (inSite < ask.needInSite) return refuse({ kind: 'few', count: inSite, need: ask.needInSite });
  const left = new Map(kept.leaves).set(ask.group, new Map(leaves).set(node, nowMillis));
  return { registry: { ...given, leaves: left }, answer: { kind: 'given' } };
}

function withTokens(registry: Registry, group: string, tokens: ReadonlyMap<string, number>): Registry {
  return { ...registry, tokens: new Map(registry.tokens).set(group, tokens) };
}

/** What stands after an order came. */
export function serveOrder(known: VersionedOrder | undefined, order: VersionedOrder): VersionedOrder {
  return known === undefined || isYounger(order, known) ? order : known;
}

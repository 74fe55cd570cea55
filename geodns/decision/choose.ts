/**
 * The ladder from a fallback order to addresses. It never ends in an empty answer while any pool has an address of the
 * family:
 *   normal     the first pool with at least min_healthy targets up: its targets that are up
 *   short      else the first pool with any target up
 *   drained    else the first pool with a drained target
 *   fail-open  else the first pool with addresses: all its targets but those that an operator took down
 *   all-down   else all of that pool, since a wrong address may still work and no address never does
 *   none       no pool has an address of the family: NODATA
 */
import type { Family } from '../../src/types/units.ts';
import type { Pool, Target } from '../rules/model.ts';
import { type Audience, type Availability, availabilityOf, type View } from './availability.ts';

export type Level = 'normal' | 'short' | 'drained' | 'fail-open' | 'all-down' | 'none';

/** all: every address; weighted: one of them by the client's address, in proportion. */
export type Answer =
  | { readonly kind: 'all'; readonly addresses: readonly string[] }
  | { readonly kind: 'weighted'; readonly choices: readonly Choice[] };

export interface Choice {
  readonly address: string;
  readonly weight: number;
}

export interface Chosen {
  readonly level: Level;
  readonly pool: string | null;
  readonly targets: readonly string[];
  readonly answer: Answer;
  /** Every target that was looked at, for the reasons. */
  readonly seen: readonly (Availability & { readonly pool: string; readonly target: string })[];
}

interface Candidate {
  readonly pool: Pool;
  readonly members: readonly { readonly target: Target; readonly availability: Availability }[];
}

/** `order`: the rule's pools, then the policy's default; a pool that comes twice counts once. */
export function choose(view: View, order: readonly Pool[], audience: Audience): Chosen {
  const candidates = [...new Set(order)]
    .map((pool) => candidateOf(view, pool, audience))
    .filter(({ members }) => members.length > 0);
  const seen = candidates.flatMap(({ pool, members }) =>
    members.map(({ target, availability }) =>
      Object.assign({ pool: pool.name, target: target.name }, availability),
    ),
  );
  for (const step of ladder) {
    for (const candidate of candidates) {
      const taken = step.take(candidate);
      if (taken.length > 0)
        return {
          level: step.level,
          pool: candidate.pool.name,
          targets: taken.map((target) => target.name),
          answer: answerOf(candidate.pool, taken, audience.family),
          seen,
        };
    }
  }
  return { level: 'none', pool: null, targets: [], answer: { kind: 'all', addresses: [] }, seen };
}

function candidateOf(view: View, pool: Pool, audience: Audience): Candidate {
  const members = pool.targets
    .filter((target) => (target.addresses[audience.family] ?? []).length > 0)
    .map((target) => ({ target, availability: availabilityOf(view, target, audience) }));
  return { pool, members };
}

const ladder: readonly {
  readonly level: Level;
  readonly take: (candidate: Candidate) => readonly Target[];
}[] = [
  {
    level: 'normal',
    take: (candidate) => {
      const up = inState(candidate, 'up');
      return up.length >= Math.min(candidate.pool.minHealthy, candidate.members.length) ? up : [];
    },
  },
  { level: 'short', take: (candidate) => inState(candidate, 'up') },
  { level: 'drained', take: (candidate) => inState(candidate, 'drain') },
  {
    level: 'fail-open',
    take: ({ members }) =>
      members.filter(({ availability }) => availability.by !== 'override').map(({ target }) => target),
  },
  { level: 'all-down', take: ({ members }) => members.map(({ target }) => target) },
];

/** Targets without weight take part in no share of a weighted pool; only the last steps of the ladder use them. */
function inState({ pool, members }: Candidate, state: 'up' | 'drain'): readonly Target[] {
  return members
    .filter(({ availability }) => availability.state === state)
    .map(({ target }) => target)
    .filter((target) => pool.pick === 'all' || target.weight > 0);
}

function answerOf(pool: Pool, targets: readonly Target[], family: Family): Answer {
  const groups = targets.map((target) => ({ target, addresses: target.addresses[family] ?? [] }));
  if (pool.pick === 'all') return { kind: 'all', addresses: groups.flatMap(({ addresses }) => addresses) };
  const choices = weigh(groups);
  const only = choices.length === 1 ? choices[0] : undefined;
  return only === undefined ? { kind: 'weighted', choices } : { kind: 'all', addresses: [only.address] };
}

/** A target's weight is shared by its addresses, in whole numbers. */
function weigh(
  groups: readonly { readonly target: Target; readonly addresses: readonly string[] }[],
): readonly Choice[] {
  const scale = groups.map(({ addresses }) => addresses.length).reduce(leastCommonMultiple, 1);
  return groups.flatMap(({ target, addresses }) =>
    addresses.map((address) => ({
      address,
      weight: (Math.max(1, target.weight) * scale) / addresses.length,
    })),
  );
}

function leastCommonMultiple(a: number, b: number): number {
  const divisor = (x: number, y: number): number => (y === 0 ? x : divisor(y, x % y));
  return (a / divisor(a, b)) * b;
}

/**
 * What a recording holds: where the daemon stood when it began, then what each tick was given, and what was wished. A
 * tick's inputs are complete: the same core makes the same decisions of them, and another policy others.
 */
import type { DecideInput } from '../decide/decide.ts';
import type { DecideMemory } from '../decide/memory.ts';
import type { LinkFact } from '../../types/health.ts';
import type { NotRunReason, ProbeTask, Sample } from '../../types/outcome.ts';
import type { Family, Instant } from '../../types/units.ts';
import type { AnnounceState, Guard, WishReason } from '../../types/wire/enums.ts';
import type { Wish } from '../../types/wish.ts';

/** All that decide is given besides the config, health and time; whatever is added to it is recorded too. */
export type DecideFacts = Omit<
  DecideInput,
  'services' | 'uplinks' | 'policy' | 'guards' | 'waitMillis' | 'health' | 'now'
>;

/** Once, at the beginning of each file. */
export interface RecordingHead {
  readonly schema: 1;
  readonly node: string;
  /** Wall time of `monotonicAt`, for people. */
  readonly wallAt: string;
  readonly monotonicAt: Instant;
  /** The effective config as YAML. */
  readonly config: string;
  readonly tasks: readonly ProbeTask[];
  /** The words that the samples' numbers stand for. */
  readonly notRunReasons: readonly NotRunReason[];
  /** Checkpoint of health before the first tick, and what decide remembered. */
  readonly health: string;
  readonly decide: DecideMemory;
}

/** Of one announcement. */
export interface RecordedWish {
  readonly service: string;
  readonly uplink: string;
  readonly family: Family;
  readonly state: AnnounceState;
  readonly reason: WishReason;
  readonly guard: Guard | null;
}

/** The inputs of one tick. */
export interface RecordedTick {
  readonly judgedAt: Instant;
  readonly decidedAt: Instant;
  readonly reportedAt: Instant | null;
  readonly links: ReadonlyMap<string, LinkFact>;
  readonly facts: DecideFacts;
  readonly samples: readonly Sample[];
  /** What the daemon wished in this tick. */
  readonly happened: readonly RecordedWish[];
}

export function recordedWish({ announcements }: Wish): readonly RecordedWish[] {
  return announcements.map(({ service, uplink, family, state, reason, held }) => ({
    service,
    uplink,
    family,
    state,
    reason,
    guard: held?.guard ?? null,
  }));
}

/** Everything that decide was asked but what the config says and what is computed from the samples. */
export function factsOf(asked: DecideInput): DecideFacts {
  const { services: _s, uplinks: _u, policy: _p, guards: _g, ...rest } = asked;
  const { waitMillis: _w, health: _h, now: _n, ...facts } = rest;
  return facts;
}

/** JSON in which maps and sets survive. */
export function packed(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (one instanceof Map) return { '%map': [...one] };
    if (one instanceof Set) return { '%set': [...one] };
    return one;
  });
}

/** The value that was packed. Throws a SyntaxError for text that is no JSON. */
export function unpacked(text: string): unknown {
  return JSON.parse(text, (_key, one: unknown) => {
    if (typeof one !== 'object' || one === null) return one;
    if ('%map' in one && Array.isArray(one['%map'])) return new Map(one['%map']);
    if ('%set' in one && Array.isArray(one['%set'])) return new Set(one['%set']);
    return one;
  });
}

/** Somebody who is told what a tick was given and what it decided: the recorder, the shadow. It never changes anything. */
import type { DecideInput } from '../core/decide/decide.ts';
import type { DecideMemory } from '../core/decide/memory.ts';
import type { HealthMemory } from '../core/health/memory.ts';
import type { LinkFact } from '../types/health.ts';
import type { Sample } from '../types/outcome.ts';
import type { Instant } from '../types/units.ts';
import type { Wish } from '../types/wish.ts';

/** The memories before the tick; they are changed in place afterwards, so what is kept of them must be copied. */
export interface MemoriesBefore {
  readonly health: HealthMemory;
  readonly decide: DecideMemory;
}

/** What is observed and judged. */
export interface JudgedInput {
  readonly samples: readonly Sample[];
  readonly reportedAt: Instant | null;
  readonly links: ReadonlyMap<string, LinkFact>;
}

export interface TickWitness {
  /** Before the samples are observed; `at` is the time of the judgement. */
  judging(before: MemoriesBefore, input: JudgedInput, at: Instant): void;
  /** After the decision; `asked` has its time and all that it was made from. */
  decided(asked: DecideInput, wish: Wish): void;
}

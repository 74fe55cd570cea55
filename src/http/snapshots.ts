/** The status document that all answers of one tick are made from. */
import type { StatusDocument } from '../types/wire/status.ts';
import { type KeptAnswer, type KeptAnswers, keepAnswers, type Slot, type Stamp } from './kept-answers.ts';

export interface Snapshots {
  /** Something else that is made at most once in a tick. */
  readonly value: KeptAnswers['value'];
  /** Made at most once in a tick. */
  document(): StatusDocument;
  /** An answer that is made from it; give only names whose number is bounded. */
  text(name: string, make: (document: StatusDocument) => string): KeptAnswer;
}

/** `stamp`: what changes with each tick; left out: each question makes the document anew. */
export function snapshotsOf(status: () => StatusDocument, stamp?: Stamp): Snapshots {
  const kept = keepAnswers(stamp);
  const slot: Slot<StatusDocument> = { held: null };
  const document = (): StatusDocument => kept.value(slot, status);
  return { value: kept.value, document, text: (name, make) => kept.text(name, () => make(document())) };
}

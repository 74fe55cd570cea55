/**
 * Answers that are made once and sent to all who ask until there is something new: at most once in a tick, and no more
 * than a twentieth of the time is spent on making one, however many ask.
 */

/** An answer as bytes. */
export interface KeptAnswer {
  readonly bytes: Buffer;
  /** Weak (RFC 9110 §8.8.1): the same where only the age of the tick differs. */
  readonly etag: string;
}

export interface KeptAnswers {
  /** A value of now, such as the status document. */
  readonly value: <T>(slot: Slot<T>, make: () => T) => T;
  /** The answer `name`; give only names whose number is bounded. */
  text(name: string, make: () => string): KeptAnswer;
}

/** Holds one value. */
export interface Slot<T> {
  held: Held<T> | null;
}

interface Held<T> {
  readonly value: T;
  readonly stamp: readonly unknown[];
  /** What making one is taken to cost. */
  readonly costMillis: number;
  /** Until then it is sent even where there is something newer. */
  readonly freshUntil: number;
}

/** The share of the time that making one answer may take. */
const share = 1 / 20;
/** However long it took. */
const longestFreshMillis = 2000;
/** Where no tick ends any more, ages still grow. */
const oldestMillis = 500;

/** What changes with each tick; each part is compared by identity. */
export type Stamp = () => readonly unknown[];

/** Without a stamp nothing is kept. */
export function keepAnswers(stamp?: Stamp, now: () => number = () => performance.now()): KeptAnswers {
  const slots = new Map<string, Slot<KeptAnswer>>();
  const begun = Date.now().toString(36);
  let count = 0;

  function value<T>(slot: Slot<T>, make: () => T): T {
    const at = now();
    const mark = stamp?.() ?? [];
    const { held } = slot;
    if (held !== null && isFresh(held, mark, at)) return held.value;
    const made = make();
    // Believed when it is so again and again: what took long because the program had just begun, or the machine did
    // something else, makes nobody read an old answer.
    const costMillis = Math.min(now() - at, 2 * (held?.costMillis ?? 0) + 1);
    const freshMillis = Math.min(longestFreshMillis, costMillis / share);
    slot.held = { value: made, stamp: mark, costMillis, freshUntil: at + freshMillis };
    return made;
  }

  return {
    value,
    text(name, make) {
      const slot = slots.get(name) ?? { held: null };
      slots.set(name, slot);
      const before = slot.held?.value;
      return value(slot, () => {
        const bytes = Buffer.from(make());
        if (before !== undefined && isSame(before.bytes, bytes)) return { bytes, etag: before.etag };
        count += 1;
        return { bytes, etag: `W/"${begun}-${count}"` };
      });
    },
  };
}

/** Without a stamp (an empty one) nothing is. */
function isFresh(held: Held<unknown>, stamp: readonly unknown[], at: number): boolean {
  if (stamp.length === 0) return false;
  if (at < held.freshUntil) return true;
  return stamp.every((part, index) => part === held.stamp[index]) && at < held.freshUntil + oldestMillis;
}

/** But for the age of the tick, which stands near the beginning. */
function isSame(a: Buffer, b: Buffer): boolean {
  return a.equals(b) || withoutAge(a) === withoutAge(b);
}

function withoutAge(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/"tickAgeMillis":[\d.e+-]+/, '');
}

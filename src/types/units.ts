/**
 * Branded units. Each has one maker, which is also its validator; nothing else in the source casts.
 * Makers throw a RangeError: bad input from people is caught by the config schema before it comes here.
 */
declare const unit: unique symbol;
type Unit<Base, Name extends string> = Base & { readonly [unit]: Name };

/** A length of time in milliseconds; may have a fraction. */
export type Millis = Unit<number, 'millis'>;
/** A point of CLOCK_MONOTONIC in milliseconds; the same clock in every process of a boot, never wall time. */
export type Instant = Unit<number, 'instant'>;
/** A share between 0 and 1 (loss, regions); shown to people in percent. */
export type Ratio = Unit<number, 'ratio'>;
/** An autonomous system number of 32 bits, RFC 6793. */
export type Asn = Unit<number, 'asn'>;

/** An address family: IPv4 or IPv6. */
export type Family = 4 | 6;
/** Both families, in the order of every output. */
export const families: readonly Family[] = [4, 6];
/** A value for each family that has one. */
export type PerFamily<T> = { readonly 4?: T; readonly 6?: T };

export function millis(value: number): Millis {
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`not a length of time: ${value}`);
  return value as Millis;
}

export function instant(value: number): Instant {
  if (!Number.isFinite(value)) throw new RangeError(`not a point of time: ${value}`);
  return value as Instant;
}

export function ratio(value: number): Ratio {
  if (!(value >= 0 && value <= 1)) throw new RangeError(`not a share between 0 and 1: ${value}`);
  return value as Ratio;
}

export function asn(value: number): Asn {
  if (!Number.isInteger(value) || value < 1 || value > 4294967295)
    throw new RangeError(`not an AS number: ${value}`);
  return value as Asn;
}

/** The time from one point to another; negative is clamped to 0, since monotonic time does not run back. */
export function elapsed(from: Instant, to: Instant): Millis {
  return millis(Math.max(0, to - from));
}

/** The point of time that lies `by` after `at`. */
export function after(at: Instant, by: Millis): Instant {
  return instant(at + by);
}

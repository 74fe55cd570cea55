/** One probe on its way, and what the kinds of probes and the loop that drives them know of each other. */
import type { NotRunReason, Outcome } from '../src/types/outcome.ts';
import type { Instant } from '../src/types/units.ts';
import type { Stream } from './stream.ts';

export type NotRun = Extract<Outcome, { readonly kind: 'not-run' }>;

export interface Flight {
  readonly stream: Stream;
  readonly sentAt: Instant;
  /** An answer that reaches the kernel after this is none. */
  readonly deadlineAt: Instant;
  /** Set once by the loop; a decided flight is never decided again. */
  decided: boolean;
  /** Reads what the kernel already has, before silence is taken for a loss. May decide the flight. */
  lastLook(): void;
  /** Frees what it holds; called once, when it is decided. */
  release(outcome: Outcome): void;
}

/** What a kind of probe is given by the loop. */
export interface Deck {
  now(): Instant;
  decide(flight: Flight, outcome: Outcome): void;
  /** Decides that no answer came in time: a loss, unless our own machine is to blame. */
  giveUp(flight: Flight): void;
  /** A late, duplicate or foreign reply. */
  stray(): void;
  /** Whether our own loop was late by more than `lagLimitMillis` since then. */
  laggedSince(at: Instant): boolean;
}

/** One kind of probe. */
export interface ProbeKindEngine {
  /** Null: it is on its way and the deck will hear of it. Otherwise why it did not go. */
  send(stream: Stream): Flight | NotRun;
  /** Reads what the kernel already has. */
  look(): void;
  /** Once for each plan, with the streams of this kind. */
  prepare(streams: readonly Stream[]): void;
  close(): void;
}

/** Delays of our own loop beyond this make a silence worthless as evidence. */
export const lagLimitMillis = 50;
/** A send that took longer than this did not leave when we say it did. */
export const slowSendMillis = 2;

export function notRun(why: NotRunReason, errno?: string): NotRun {
  return errno === undefined ? { kind: 'not-run', why } : { kind: 'not-run', why, errno };
}

/** What a refused send means, for errors that the state of interface and source do not explain. */
export function notRunOfErrno(errno: string): NotRun {
  switch (errno) {
    case 'ENODEV':
    case 'ENXIO':
      return notRun('interface-missing', errno);
    case 'ENETDOWN':
      return notRun('interface-down', errno);
    case 'EADDRNOTAVAIL':
      return notRun('source-missing', errno);
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      return notRun('route-missing', errno);
    case 'ENOBUFS':
    case 'EAGAIN':
      return notRun('send-queue', errno);
    default:
      return notRun('send-failed', errno);
  }
}

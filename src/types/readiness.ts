/** Whether a service can answer on this node, by its own checks. Monotonic `since`; the text names the check. */
import type { Instant } from './units.ts';

export interface ReadinessFact {
  /** `unknown` until the first rise or fall is counted; it changes nothing by itself. */
  readonly state: 'ready' | 'not-ready' | 'unknown';
  readonly since: Instant;
  /** One sentence: which check, what it found. */
  readonly text: string;
}

/** Counts what this node says to the fleet: epoch, seq, and the seq at which its presence last changed. */
import type { Publication } from '../adapters/fleet-session.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { EdgeNodeView } from '../types/wire/node-to-edge.ts';
import type { Presence } from '../types/wire/node-to-fleet.ts';
import { edgeMark } from './fleet-edge.ts';
import type { PresenceBody } from './fleet-presence.ts';

export class FleetSpeaker {
  #epoch: number;
  #seq = 0;
  #content = 0;
  #body: PresenceBody | null = null;
  #edge: EdgeNodeView | null = null;
  #text = '';
  #at: Instant | null = null;
  #isFresh = false;
  #last: Presence | null = null;

  constructor(epoch: number) {
    this.#epoch = epoch;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** What was said last; null: nothing yet. */
  get last(): Presence | null {
    return this.#last;
  }

  /** Above whoever spoke under this name; all is said anew. */
  goAbove(epoch: number): void {
    this.#epoch = epoch + 1;
    this.#isFresh = true;
  }

  /** What a tick found. True: others should hear of it at once. */
  note(body: PresenceBody, edge: EdgeNodeView | null, at: Instant): boolean {
    this.#at = at;
    const text = `${JSON.stringify(body)} ${edgeMark(edge)}`;
    if (text === this.#text) return false;
    this.#text = text;
    this.#body = body;
    this.#edge = edge;
    this.#isFresh = true;
    return true;
  }

  /** The next publication; null: no tick has ended yet. */
  next(now: Instant): Publication | null {
    if (this.#body === null || this.#at === null) return null;
    this.#seq += 1;
    const ring = this.#isFresh;
    if (ring) this.#content = this.#seq;
    this.#isFresh = false;
    const ageMillis = elapsed(this.#at, now);
    const counts = { epoch: this.#epoch, seq: this.#seq, content: this.#content };
    const edge = this.#edge === null ? {} : { edge: this.#edge };
    this.#last = { ...this.#body, ...edge, ...counts, ageMillis };
    return { node: this.#body.node, ...counts, ageMillis, text: JSON.stringify(this.#last), ring };
  }

  /** What was published did not arrive: others should look when it does. */
  unsaid(): void {
    this.#isFresh = true;
  }
}

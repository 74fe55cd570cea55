/** What the carriers heard of the node, and when: all that the figures of the comparison are made of. */
import type { WireEvent } from '../../lab/carrier/wire-log.ts';
import type { CarrierName } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import type { PeerStand } from './stand.ts';

/** Seconds from `began` until CMI hears what is wanted; null: not within the limit. */
export async function secondsUntil(
  stand: PeerStand,
  { from, began, limit }: { readonly from: number; readonly began: number; readonly limit: number },
  is: (event: WireEvent) => boolean,
): Promise<number | null> {
  const found = (): WireEvent | undefined =>
    stand.wire
      .events()
      .slice(from)
      .find((event) => event.at >= began && isOf(event, 'cmi') && is(event));
  const timeoutMillis = Math.max(0, began + limit * 1000 - Date.now());
  try {
    const event = await waitUntil('cmi to hear it', () => found(), { timeoutMillis, everyMillis: 50 });
    return (event.at - began) / 1000;
  } catch {
    return null;
  }
}

/** Of a session that falls a carrier's BIRD forgets the route without a word about it. */
export function isLost(event: WireEvent): boolean {
  return event.kind === 'withdrawn' || (event.kind === 'session' && !event.up);
}

/** Announced as before a fault: not with the mark of a drain (GRACEFUL_SHUTDOWN). */
export function isFull(event: WireEvent): boolean {
  return event.kind === 'announced' && !event.communities.includes('65535:0');
}

export function isOf(event: WireEvent, carrier: CarrierName): boolean {
  return event.carrier === carrier && event.family === 4;
}

export function count(stand: PeerStand, from: number, is: (event: WireEvent) => boolean): number {
  return stand.wire.events().slice(from).filter(is).length;
}

/** The time that is watched: the measurement itself, not a wait for something. */
export function pass(millis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, millis);
  });
}

/**
 * Orders to the whole fleet lie in a Redis that others may write to. With a key that all nodes share, each carries the
 * HMAC-SHA256 (RFC 2104) of its version and text behind its text, on a line of its own:
 *
 *     {"kind":"freeze",…}
 *     5d41402abc4b2a76b9719d911017c592…
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { VersionedOrder } from '../core/fleet/orders.ts';

/** What an order says, and whether the key vouches for it. `unsealed`: it carries no seal. */
export interface OpenedOrder {
  readonly text: string;
  readonly seal: 'fits' | 'differs' | 'unsealed' | 'no-key';
}

/** `key` null: no seal is asked for, and none is made. */
export function sealed(order: VersionedOrder, key: string | null): VersionedOrder {
  if (key === null) return order;
  return { version: order.version, text: `${order.text}\n${sealOf(order, key).toString('hex')}` };
}

export function opened({ version, text }: VersionedOrder, key: string | null): OpenedOrder {
  const match = /^([^\n]*)\n([0-9a-f]{64})$/.exec(text);
  const [, said = text, seal] = match ?? [];
  if (key === null) return { text: said, seal: 'no-key' };
  if (seal === undefined) return { text: said, seal: 'unsealed' };
  const fits = timingSafeEqual(Buffer.from(seal, 'hex'), sealOf({ version, text: said }, key));
  return { text: said, seal: fits ? 'fits' : 'differs' };
}

/** The version is in it: an older order that is told again under a new number is not believed. */
function sealOf({ version, text }: VersionedOrder, key: string): Buffer {
  return createHmac('sha256', key).update(`causeway order ${version}\n${text}`).digest();
}

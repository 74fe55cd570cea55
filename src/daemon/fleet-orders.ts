/**
 * Operators' words for the whole fleet: what this node knows of them, in memory and in paths.state/fleet-orders.json, so
 * that neither a restart nor a Redis that was wiped changes what counts.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { opened, sealed } from '../adapters/order-seal.ts';
import type { Secret } from '../adapters/secret-file.ts';
import { compareBooks, nextVersion, type OrderBook, type VersionedOrder } from '../core/fleet/orders.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { fleetOrder, type FleetOrder } from '../types/wire/fleet-order.ts';

/** What the operators' desk has of the fleet. */
export interface FleetOrders {
  /** Orders of other nodes that have not been carried out here yet; they are once this was called. */
  take(): readonly FleetOrder[];
  /** What was taken has been carried out. */
  carriedOut(): void;
  /** Gives an order to every node; the note says when they hear it. */
  give(order: FleetOrder): string;
  /** All that are known, ended ones too. */
  known(): readonly FleetOrder[];
  /** An order that was not carried out here, and why; shown as an alarm until another one replaces it. */
  refuse(order: FleetOrder, why: string): void;
}

export interface OrderExchange extends FleetOrders {
  /** Takes what lies in Redis and is to be believed; resolves with what Redis lacks. */
  exchange(stored: OrderBook): Promise<OrderBook>;
  /** By name: what was not carried out here. */
  refusals(): ReadonlyMap<string, string>;
}

const stored = z.object({
  version: z.literal(1),
  orders: z.record(z.string(), z.object({ version: z.int().min(0), text: z.string() })),
});

/**
 * `onGiven`: an order waits for Redis; `linkNote`: why Redis does not hear it now, or null; `readKey`: the key of the
 * seals, null: none is configured.
 */
export async function openOrders(
  stateFolder: string,
  onGiven: () => void,
  linkNote: () => string | null,
  readKey: () => Promise<Secret | null> = () => Promise.resolve(null),
): Promise<OrderExchange> {
  const path = join(stateFolder, 'fleet-orders.json');
  let key = await readKey();
  let known: OrderBook = await load(path);
  let inbox = new Map<string, FleetOrder>();
  const refused = new Map<string, string>();
  let writing: Promise<void> = Promise.resolve();
  const keep = (): void => {
    const text = `${JSON.stringify({ version: 1, orders: Object.fromEntries(known) })}\n`;
    writing = writing.then(() => write(path, text));
  };
  return {
    async exchange(inRedis) {
      // Read each time: a new key counts without a restart.
      key = await readKey();
      const { taken, told } = compareBooks(known, inRedis);
      for (const [name, order] of taken) {
        const read = believed(name, order, key);
        if (read.kind === 'not-ours') continue;
        if (read.kind === 'refused') {
          refused.set(name, read.why);
          continue;
        }
        refused.delete(name);
        known = new Map(known).set(name, order);
        inbox.set(name, read.order);
      }
      return told;
    },
    take() {
      const orders = [...inbox.values()];
      inbox = new Map();
      return orders;
    },
    carriedOut: keep,
    give(order) {
      const name = nameOf(order);
      refused.delete(name);
      if (key?.kind === 'unreadable')
        return `this node alone: fleet.orders_key_file cannot be read: ${key.text}`;
      const plain = { version: nextVersion(known, name), text: JSON.stringify(order) };
      known = new Map(known).set(name, sealed(plain, key?.text ?? null));
      keep();
      onGiven();
      const note = linkNote();
      return note === null
        ? 'the other nodes hear it within a second: `causeway fleet` shows them'
        : `this node alone for now, Redis does not hear it (${note}): the other nodes follow when it does, or say it on each`;
    },
    known: () => [...known.values()].flatMap((one) => orderIn(one) ?? []),
    refuse(order, why) {
      refused.set(nameOf(order), why);
    },
    refusals: () => refused,
  };
}

/** One order at a time stands about one thing. */
function nameOf(order: FleetOrder): string {
  return order.kind === 'freeze' ? 'freeze' : `override ${order.subject}`;
}

type Believed =
  | { readonly kind: 'order'; readonly order: FleetOrder }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'not-ours' };

/**
 * An order of another node. With a key it must be sealed by it. Without one whoever can write to Redis can say anything,
 * so it never takes the last announcement of a service from this node.
 */
function believed(name: string, stands: VersionedOrder, key: Secret | null): Believed {
  const order = orderIn(stands);
  if (order === null || nameOf(order) !== name) return { kind: 'not-ours' };
  const what = `the order \`${name}\` of ${order.author}@${order.node} is not carried out:`;
  if (key === null)
    return { kind: 'order', order: order.kind === 'override' ? { ...order, last: false } : order };
  if (key.kind === 'unreadable')
    return { kind: 'refused', why: `${what} fleet.orders_key_file cannot be read: ${key.text}` };
  if (opened(stands, key.text).seal === 'fits') return { kind: 'order', order };
  const why = 'it is not sealed with the key in fleet.orders_key_file: is that the same on both nodes?';
  return { kind: 'refused', why: `${what} ${why}` };
}

function orderIn(order: VersionedOrder): FleetOrder | null {
  try {
    const parsed = fleetOrder.safeParse(JSON.parse(opened(order, null).text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not ours, or of a later version: it is left alone.
    return null;
  }
}

async function load(path: string): Promise<OrderBook> {
  try {
    const read = stored.parse(JSON.parse(await readFile(path, 'utf8')));
    return new Map(Object.entries(read.orders));
  } catch {
    // Nothing yet, or unreadable: Redis and the other nodes know them.
    return new Map();
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeAtomic(path, text);
  } catch {
    // The next order writes all of them again; after a restart Redis tells them.
  }
}

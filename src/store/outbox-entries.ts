/** Entries of an outbox's journal, and the letters that they fold into. Pure. */
import { compareOrder, type Order } from '../types/wire/common.ts';
import { unreachable } from '../types/unreachable.ts';

/** The newest of a key. */
export interface Letter {
  readonly key: string;
  readonly order: Order;
  /** JSON. */
  readonly value: unknown;
  /** Acknowledged. */
  readonly isDone: boolean;
}

export type OutboxEntry =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly epoch: number;
      readonly seq: number;
      readonly value: unknown;
    }
  | { readonly kind: 'done' | 'undone' | 'gone'; readonly key: string }
  /** Orders up to this were given. */
  | { readonly kind: 'order'; readonly epoch: number; readonly seq: number };

export interface Folded {
  /** In the order in which they were put. */
  readonly letters: ReadonlyMap<string, Letter>;
  /** The highest; null: none. */
  readonly order: Order | null;
}

export function foldLetters(
  entries: readonly OutboxEntry[],
  before: ReadonlyMap<string, Letter> = new Map(),
): Folded {
  const letters = new Map(before);
  let highest: Order | null = null;
  for (const entry of entries) {
    switch (entry.kind) {
      case 'put': {
        const { key, epoch, seq, value } = entry;
        letters.delete(key);
        letters.set(key, { key, order: { epoch, seq }, value, isDone: false });
        highest = higher(highest, { epoch, seq });
        break;
      }
      case 'done':
      case 'undone': {
        const letter = letters.get(entry.key);
        if (letter !== undefined) letters.set(entry.key, { ...letter, isDone: entry.kind === 'done' });
        break;
      }
      case 'gone':
        letters.delete(entry.key);
        break;
      case 'order':
        highest = higher(highest, entry);
        break;
      default:
        return unreachable(entry);
    }
  }
  return { letters, order: highest };
}

function higher(a: Order | null, { epoch, seq }: Order): Order {
  return a === null || compareOrder({ epoch, seq }, a) > 0 ? { epoch, seq } : a;
}

/** What stands in the journal, if it is an entry; its checksum was right, so anything else is of another version. */
export function entryOf(value: unknown): OutboxEntry | null {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null;
  const { kind } = value;
  const key = 'key' in value && typeof value.key === 'string' ? value.key : null;
  const order = orderIn(value);
  switch (kind) {
    case 'put':
      if (key === null || order === null || !('value' in value)) return null;
      return { kind, key, ...order, value: value.value };
    case 'done':
    case 'undone':
    case 'gone':
      return key === null ? null : { kind, key };
    case 'order':
      return order === null ? null : { kind, ...order };
    default:
      return null;
  }
}

function orderIn(value: object): Order | null {
  if (!('epoch' in value) || !('seq' in value)) return null;
  const { epoch, seq } = value;
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(seq)) return null;
  return { epoch: Number(epoch), seq: Number(seq) };
}

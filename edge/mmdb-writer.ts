/**
 * Writes small MaxMind DB files (format 2.0, IPv6 tree with IPv4 at ::/96) for fixtures and for the lab. One record a
 * prefix; where prefixes overlap, the longer wins.
 */
import { parsePrefix } from './conf/values.ts';

/** A value of the data section; whole numbers are written as uint32. */
export type MmdbValue = string | number | { readonly [key: string]: MmdbValue };

export interface MmdbEntry {
  readonly prefix: string;
  readonly record: MmdbValue;
}

type Node = [Branch, Branch];
/** A node, a number of a record, or null: nothing known. */
type Branch = Node | number | null;

/** The bytes of a database. Throws a RangeError on a prefix that is none. */
export function writeMmdb(
  entries: readonly MmdbEntry[],
  options: { type?: string; recordBits?: 24 | 28 | 32; builtSeconds?: number } = {},
): Uint8Array {
  const { type = 'Causeway-ASN', recordBits = 24, builtSeconds = 1 } = options; // libmaxminddb refuses 0
  const root: Node = [null, null];
  const data: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const parsed = entries.map((entry) => ({ bits: bitsOf(entry.prefix), record: entry.record }));
  for (const { bits, record } of parsed.sort((a, b) => a.bits.length - b.bits.length)) {
    const bytes = encode(record);
    insert(root, bits, offsets.length);
    offsets.push(length);
    data.push(bytes);
    length += bytes.length;
  }
  const nodes = number(root);
  const value = (branch: Branch, ids: ReadonlyMap<Node, number>): number => {
    if (branch === null) return nodes.length;
    return typeof branch === 'number' ? nodes.length + 16 + (offsets[branch] ?? 0) : (ids.get(branch) ?? 0);
  };
  const ids = new Map(nodes.map((node, id) => [node, id]));
  const tree = nodes.map((node) => pair(value(node[0], ids), value(node[1], ids), recordBits));
  const metadata = metadataOf(type, builtSeconds, nodes.length, recordBits);
  return Buffer.concat([
    ...tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from([0xab, 0xcd, 0xef]),
    Buffer.from('MaxMind.com'),
    metadata,
  ]);
}

/** A database of AS numbers: what the edge reads. */
export function writeAsnMmdb(
  rows: readonly { readonly prefix: string; readonly asn: number; readonly organisation: string }[],
  options: { recordBits?: 24 | 28 | 32; builtSeconds?: number } = {},
): Uint8Array {
  const entries = rows.map((row) => ({
    prefix: row.prefix,
    record: { autonomous_system_number: row.asn, autonomous_system_organization: row.organisation },
  }));
  return writeMmdb(entries, options);
}

/** Widths as the format has them: MaxMind's own library refuses others. */
function metadataOf(type: string, builtSeconds: number, nodeCount: number, recordBits: number): Buffer {
  const pairs: readonly (readonly [string, Buffer])[] = [
    ['binary_format_major_version', unsigned(5, 2, 2)],
    ['binary_format_minor_version', unsigned(5, 2, 0)],
    ['build_epoch', unsigned(9, 8, builtSeconds)],
    ['database_type', encode(type)],
    ['description', encode({ en: type })],
    ['ip_version', unsigned(5, 2, 6)],
    ['languages', Buffer.concat([control(11, 1), encode('en')])],
    ['node_count', unsigned(6, 4, nodeCount)],
    ['record_size', unsigned(5, 2, recordBits)],
  ];
  return Buffer.concat([control(7, pairs.length), ...pairs.flatMap(([key, value]) => [encode(key), value])]);
}

function bitsOf(prefix: string): readonly (0 | 1)[] {
  const parsed = parsePrefix(prefix);
  if (!parsed) throw new RangeError(`not a prefix: ${prefix}`);
  const four = parsed.bytes.length === 4;
  const bytes = four ? [...Array<number>(12).fill(0), ...parsed.bytes] : parsed.bytes;
  const length = four ? parsed.length + 96 : parsed.length;
  return Array.from({ length }, (_, i) => (((bytes[i >> 3] ?? 0) >> (7 - (i & 7))) & 1 ? 1 : 0));
}

function insert(root: Node, bits: readonly (0 | 1)[], record: number): void {
  let node = root;
  for (const [index, bit] of bits.entries()) {
    if (index === bits.length - 1) {
      node[bit] = record;
      return;
    }
    const next = node[bit];
    // A shorter prefix's record moves down to both sides, so that the longer one takes only its part.
    const below: Node = Array.isArray(next) ? next : [next, next];
    node[bit] = below;
    node = below;
  }
}

function number(root: Node): readonly Node[] {
  const nodes: Node[] = [root];
  for (const node of nodes) {
    for (const branch of node) if (Array.isArray(branch)) nodes.push(branch);
  }
  return nodes;
}

function pair(left: number, right: number, recordBits: 24 | 28 | 32): Buffer {
  const out = Buffer.alloc(recordBits / 4);
  if (recordBits === 28) {
    out.writeUIntBE(left & 0xffffff, 0, 3);
    out[3] = ((left >>> 24) << 4) | (right >>> 24);
    out.writeUIntBE(right & 0xffffff, 4, 3);
    return out;
  }
  out.writeUIntBE(left, 0, recordBits / 8);
  out.writeUIntBE(right, recordBits / 8, recordBits / 8);
  return out;
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') return unsigned(6, 4, value);
  const parts = Object.entries(value).flatMap(([key, item]) => [encode(key), encode(item)]);
  return Buffer.concat([control(7, Object.keys(value).length), ...parts]);
}

function unsigned(type: number, width: number, value: number): Buffer {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, Math.max(0, width - 6), Math.min(width, 6));
  return Buffer.concat([control(type, width), bytes]);
}

/** Types above 7 stand in a byte of their own; those here are short. */
function control(type: number, size: number): Buffer {
  if (type > 7) return Buffer.from([size, type - 7]);
  if (size < 29) return Buffer.from([(type << 5) | size]);
  if (size < 285) return Buffer.from([(type << 5) | 29, size - 29]);
  return Buffer.from([(type << 5) | 30, (size - 285) >> 8, (size - 285) & 0xff]);
}

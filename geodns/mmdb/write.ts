/**
 * Makes small MMDBs (MaxMind DB file format 2.0): for the lab, for tests, and for an operator's own ranges. IPv4 lives
 * at ::/96, and the mapped and 6to4 ranges point to the same tree, as MaxMind's own files do it.
 */
import { type Address, parseSubnet, type Subnet, toBytes } from '../address.ts';
import { encodeValue, type MmdbValue } from './encode.ts';

export interface MmdbEntry {
  readonly prefix: string;
  readonly record: MmdbValue;
}

export interface MmdbOptions {
  readonly type: string;
  /** Unix time of the build. */
  readonly buildEpochSeconds: number;
  readonly description?: string;
}

/** null: nothing here; number: index of a record; else an inner node. */
type Node = [Edge, Edge];
type Edge = Node | number | null;

/** The whole file. Longer prefixes win over shorter ones, whatever the order. Throws a RangeError for a bad prefix. */
export function writeMmdb(entries: readonly MmdbEntry[], options: MmdbOptions): Buffer {
  const data = new DataSection();
  const root: Node = [null, null];
  const placed = entries.map((entry) => ({ entry, path: pathOf(entry.prefix) }));
  placed.sort((a, b) => a.path.length - b.path.length);
  for (const { entry, path } of placed) graft(root, path, data.indexOf(entry.record));
  const v4 = nodeAt(root, run(96, 0));
  if (v4 !== null) {
    graft(root, pathOf('2002::/16'), v4);
    graft(root, [...run(80, 0), ...run(16, 1)], v4);
  }
  const nodes = number(root);
  const size = nodes.length + 16 + data.bytes.length < 2 ** 24 ? 24 : 32;
  return Buffer.concat([
    encodeTree(nodes, data, size),
    Buffer.alloc(16),
    data.bytes,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encodeMetadata(nodes.length, size, options),
  ]);
}

class DataSection {
  readonly offsets: number[] = [];
  private readonly seen = new Map<string, number>();
  private readonly parts: Buffer[] = [];
  private length = 0;

  indexOf(record: MmdbValue): number {
    const key = JSON.stringify(record);
    const known = this.seen.get(key);
    if (known !== undefined) return known;
    const encoded = encodeValue(record);
    const index = this.offsets.push(this.length) - 1;
    this.parts.push(encoded);
    this.length += encoded.length;
    this.seen.set(key, index);
    return index;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

function pathOf(prefix: string): (0 | 1)[] {
  const subnet: Subnet | undefined = parseSubnet(prefix);
  if (subnet === undefined) throw new RangeError(`not a prefix without host bits: ${prefix}`);
  const length = subnet.family === 4 ? subnet.length + 96 : subnet.length;
  return bitsOfAddress(subnet).slice(0, length);
}

function run(length: number, bit: 0 | 1): (0 | 1)[] {
  return Array.from({ length }, () => bit);
}

function bitsOfAddress(address: Address): (0 | 1)[] {
  const bytes = toBytes(address);
  const whole = address.family === 4 ? [...new Uint8Array(12), ...bytes] : [...bytes];
  return whole.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit): 0 | 1 => ((byte >> bit) & 1 ? 1 : 0)));
}

/** Sets the whole range; a record that covered more is pushed down to the parts that are left. */
function graft(root: Node, path: readonly (0 | 1)[], edge: Edge): void {
  let node = root;
  for (const bit of path.slice(0, -1)) {
    const next = node[bit];
    const inner: Node = typeof next === 'object' && next !== null ? next : [next, next];
    node[bit] = inner;
    node = inner;
  }
  const last = path.at(-1);
  if (last === undefined) node[0] = node[1] = edge;
  else node[last] = edge;
}

function nodeAt(root: Node, path: readonly (0 | 1)[]): Edge {
  let edge: Edge = root;
  for (const bit of path) {
    if (edge === null || typeof edge === 'number') return edge;
    edge = edge[bit];
  }
  return edge;
}

/** Every inner node once, the root first. */
function number(root: Node): Node[] {
  const nodes = new Set<Node>([root]);
  for (const node of nodes) {
    for (const edge of node) if (typeof edge === 'object' && edge !== null) nodes.add(edge);
  }
  return [...nodes];
}

function encodeTree(nodes: readonly Node[], data: DataSection, recordSize: 24 | 32): Buffer {
  const indexes = new Map(nodes.map((node, index): [Node, number] => [node, index]));
  const width = recordSize / 8;
  const tree = Buffer.alloc(nodes.length * width * 2);
  const value = (edge: Edge): number => {
    if (edge === null) return nodes.length;
    if (typeof edge === 'number') return nodes.length + 16 + (data.offsets[edge] ?? 0);
    return indexes.get(edge) ?? nodes.length;
  };
  nodes.forEach((node, index) => {
    node.forEach((edge, side) => tree.writeUIntBE(value(edge), (index * 2 + side) * width, width));
  });
  return tree;
}

function encodeMetadata(nodeCount: number, recordSize: number, options: MmdbOptions): Buffer {
  const fields: readonly (readonly [string, Buffer])[] = [
    ['binary_format_major_version', encodeValue(2, 'uint16')],
    ['binary_format_minor_version', encodeValue(0, 'uint16')],
    ['build_epoch', encodeValue(options.buildEpochSeconds, 'uint64')],
    ['database_type', encodeValue(options.type)],
    ['description', encodeValue({ en: options.description ?? options.type })],
    ['ip_version', encodeValue(6, 'uint16')],
    ['languages', encodeValue(['en'])],
    ['node_count', encodeValue(nodeCount)],
    ['record_size', encodeValue(recordSize, 'uint16')],
  ];
  const head = Buffer.from([(7 << 5) | fields.length]);
  return Buffer.concat([head, ...fields.flatMap(([key, value]) => [encodeValue(key), value])]);
}

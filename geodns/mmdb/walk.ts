/** Walks the search tree of an MMDB: every distinct record once, with an address that has it. */
import type { Reader, Response } from 'maxmind';
import { formatAddress, type Subnet } from '../address.ts';

interface Tree {
  readonly file: Buffer;
  readonly nodeCount: number;
  readonly width: number;
}

/** A network that has a record, as the tree has it: an IPv4 one in its own length. */
export interface RecordedNetwork {
  readonly subnet: Subnet;
  /** Where its record stands; equal for networks that share one. */
  readonly record: number;
}

interface Leaf {
  readonly record: number;
  readonly value: bigint;
  readonly depth: number;
}

/** Addresses of the first `limit` distinct records, in the order of the addresses. */
export function* addressesOfRecords(
  file: Buffer,
  reader: Reader<Response>,
  limit = Infinity,
): Generator<string> {
  const { ipVersion } = reader.metadata;
  const seen = new Set<number>();
  for (const { record, value, depth } of leavesOf(file, reader)) {
    if (seen.has(record)) continue;
    seen.add(record);
    yield textOf(value << BigInt(bitsOfTree(ipVersion) - depth), ipVersion);
    if (seen.size >= limit) return;
  }
}

/** All networks that have a record, in the order of the addresses. */
export function* networksOf(file: Buffer, reader: Reader<Response>): Generator<RecordedNetwork> {
  const { ipVersion } = reader.metadata;
  for (const { record, value, depth } of leavesOf(file, reader)) {
    const whole = value << BigInt(bitsOfTree(ipVersion) - depth);
    const isOld = ipVersion === 4 || (whole < 2n ** 32n && depth >= 96);
    const length = isOld && ipVersion !== 4 ? depth - 96 : depth;
    yield { subnet: { family: isOld ? 4 : 6, value: whole, length }, record };
  }
}

/** Each node is visited once: aliases of the IPv4 part (RFC 4291 2.5.5, 6to4, Teredo) lead to the same nodes. */
function* leavesOf(file: Buffer, reader: Reader<Response>): Generator<Leaf> {
  const { nodeCount, recordSize, ipVersion } = reader.metadata;
  const tree: Tree = { file, nodeCount, width: recordSize };
  const bits = bitsOfTree(ipVersion);
  const stack: { readonly node: number; readonly value: bigint; readonly depth: number }[] = [
    { node: 0, value: 0n, depth: 0 },
  ];
  const visited = new Uint8Array(nodeCount);
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { node, value, depth } = place;
    if (node > nodeCount) yield { record: node, value, depth };
    else if (node < nodeCount && visited[node] === 0 && depth < bits) {
      visited[node] = 1;
      for (const side of [1, 0] as const)
        stack.push({ node: edge(tree, node, side), value: (value << 1n) | BigInt(side), depth: depth + 1 });
    }
  }
}

function bitsOfTree(ipVersion: number): number {
  return ipVersion === 4 ? 32 : 128;
}

function textOf(value: bigint, ipVersion: number): string {
  return ipVersion === 4 || value < 2n ** 32n
    ? formatAddress({ family: 4, value })
    : formatAddress({ family: 6, value });
}

/** Records of 24 and 32 bits are plain; with 28 bits both share the middle byte. */
function edge({ file, width }: Tree, node: number, side: 0 | 1): number {
  const at = (node * width * 2) / 8;
  if (width === 24) return file.readUIntBE(at + side * 3, 3);
  if (width === 32) return file.readUInt32BE(at + side * 4);
  const middle = file.readUInt8(at + 3);
  return side === 0
    ? ((middle & 0xf0) << 20) | file.readUIntBE(at, 3)
    : ((middle & 0x0f) << 24) | file.readUIntBE(at + 4, 3);
}

/** Walks the search tree of an MMDB: every distinct record once, with an address that has it. */
import type { Reader, Response } from 'maxmind';
import { formatAddress } from '../address.ts';

interface Tree {
  readonly file: Buffer;
  readonly nodeCount: number;
  readonly width: number;
}

/** Addresses of the first `limit` distinct records, in the order of the addresses. */
export function* addressesOfRecords(
  file: Buffer,
  reader: Reader<Response>,
  limit = Infinity,
): Generator<string> {
  const { nodeCount, recordSize, ipVersion } = reader.metadata;
  const tree: Tree = { file, nodeCount, width: recordSize };
  const bits = ipVersion === 4 ? 32 : 128;
  const seen = new Set<number>();
  const stack: { readonly node: number; readonly value: bigint; readonly depth: number }[] = [
    { node: 0, value: 0n, depth: 0 },
  ];
  const visited = new Set<number>();
  for (let place = stack.pop(); place !== undefined && seen.size < limit; place = stack.pop()) {
    if (place.node >= nodeCount) {
      if (place.node === nodeCount || seen.has(place.node)) continue;
      seen.add(place.node);
      yield textOf(place.value << BigInt(bits - place.depth), ipVersion);
    } else if (!visited.has(place.node) && place.depth < bits) {
      visited.add(place.node);
      for (const side of [1, 0] as const)
        stack.push({
          node: edge(tree, place.node, side),
          value: (place.value << 1n) | BigInt(side),
          depth: place.depth + 1,
        });
    }
  }
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

/**
 * A file of blocks: a first line that names the format, then blocks, each with its length and CRC-32 (4 bytes each, big
 * endian) before its bytes. What a crash leaves at the end is cut off by the reader. Pure.
 */
import { checksumOf } from './checksum.ts';

const headBytes = 8;

/** The bytes of one block. */
export function framed(block: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(headBytes + block.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, block.length);
  view.setUint32(4, checksumOf(block));
  bytes.set(block, headBytes);
  return bytes;
}

export interface BlocksRead {
  readonly blocks: readonly Uint8Array[];
  /** Behind the last whole block: torn by a crash or cut on the way. */
  readonly tornBytes: number;
}

/** null: the bytes do not begin with the format's first line. */
export function readBlocks(bytes: Uint8Array, firstLine: string): BlocksRead | null {
  const first = Buffer.from(firstLine);
  if (!Buffer.from(bytes.subarray(0, first.length)).equals(first)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks: Uint8Array[] = [];
  let at = first.length;
  while (at + headBytes <= bytes.length) {
    const end = at + headBytes + view.getUint32(at);
    const block = bytes.subarray(at + headBytes, end);
    if (end > bytes.length || checksumOf(block) !== view.getUint32(at + 4)) break;
    blocks.push(block);
    at = end;
  }
  return { blocks, tornBytes: bytes.length - at };
}

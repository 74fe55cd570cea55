/** Bytes through the real reader, for tests. */
import { createReader, type Frame, type Reply } from '../../bird/codec.ts';

/** All frames of these chunks, one after the other. */
export function framesOf(chunks: readonly Buffer[]): readonly Frame[] {
  const reader = createReader();
  return chunks.flatMap((chunk) => [...reader.push(chunk)]);
}

/** The one reply that the bytes are. */
export function replyOf(bytes: Buffer | string): Reply {
  const [frame, ...more] = framesOf([Buffer.from(bytes)]);
  if (frame?.kind !== 'reply' || more.length > 0) throw new Error(`not one reply: ${String(bytes)}`);
  return frame.reply;
}

/** Cuts bytes into chunks of these sizes, taken in turn. */
export function chunked(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

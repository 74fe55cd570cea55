/** Reads a recording's file: the format is told in docs/history.md. */
import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { BadRecording } from '../core/replay/bytes.ts';
import { readHead, readTicks } from '../core/replay/codec.ts';
import type { RecordedTick, RecordingHead } from '../core/replay/recording.ts';
import { readBlocks } from '../store/blocks.ts';
import { messageOf } from '../types/message-of.ts';
import { recordingFirstLine } from '../types/recording.ts';

export interface RecordingFile {
  readonly head: RecordingHead;
  /** Can be gone through once. */
  readonly ticks: Iterable<RecordedTick>;
  /** Bytes at the end that a crash or a cut left without their rest. */
  readonly tornBytes: number;
}

/** No block that the recorder makes comes near it. */
const largestBlockBytes = 64 * 1024 * 1024;

/** Throws BadRecording for a file that is none, and the errors of reading. */
export async function openRecording(path: string): Promise<RecordingFile> {
  const read = readBlocks(await readFile(path), recordingFirstLine);
  const [first, ...more] = read?.blocks ?? [];
  if (read === null || first === undefined) throw new BadRecording('this is not a recording of version 1');
  const { head, rest } = readHead(inflated(first));
  return { head, ticks: readTicks(head, rest, blocksOf(more)), tornBytes: read.tornBytes };
}

function* blocksOf(blocks: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const block of blocks) yield inflated(block);
}

function inflated(block: Uint8Array): Uint8Array {
  try {
    return inflateSync(block, { maxOutputLength: largestBlockBytes });
  } catch (error) {
    throw new BadRecording(`a block cannot be unpacked: ${messageOf(error)}`);
  }
}

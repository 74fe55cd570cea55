/**
 * A heap that stays near what is alive. V8 lets garbage lie while memory is there, which on a node is BIRD's and nginx's
 * (decision 0026).
 */
import { setFlagsFromString } from 'node:v8';

/** For a child: the same for the whole of its life. */
export const smallHeapFlags: readonly string[] = ['--optimize-for-size', '--max-semi-space-size=1'];

/** Streams of probes up to which a small heap costs the tick nothing that matters (`npm run bench -- decide`). */
const smallNodeStreams = 500;

/** For this process, best before much is allocated. Where much is alive a tick would mostly collect: nothing is done. */
export function fitHeap(streams: number): void {
  if (streams > smallNodeStreams) return;
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
}

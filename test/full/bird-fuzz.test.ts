/** A million byte streams through the reader and every parser of BIRD's replies. */
import { expect, test } from 'vitest';
import { faultOf, type StreamKind, streamsOf } from '../support/bird-fuzz.ts';

const total = 1_000_000;

test('1,000,000 byte streams end in a list or an error, and no truncated one in a list', {
  timeout: 1_800_000,
}, () => {
  const seed = Date.now() >>> 0;
  const streams = streamsOf(seed);
  const counts: Record<StreamKind, number> = { truncated: 0, mutated: 0, noise: 0 };
  let bytes = 0;
  const began = performance.now();
  for (let turn = 0; turn < total; turn += 1) {
    const stream = streams.next();
    counts[stream.kind] += 1;
    bytes += stream.bytes.length;
    const fault = faultOf(stream);
    if (fault !== null)
      expect.fail(
        `seed ${seed}, stream ${turn}: ${fault}\n${JSON.stringify(stream.bytes.toString('latin1'))}`,
      );
  }
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `bird-fuzz: ${total} streams (${JSON.stringify(counts)}), ${Math.round(bytes / 1e6)} MB, ${Math.round(total / seconds)} streams/s, seed ${seed}\n`,
  );
});

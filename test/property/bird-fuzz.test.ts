/** Of any byte stream comes a list or an error; a million streams are in the long run. */
import { expect, test } from 'vitest';
import { faultOf, type Stream, streamsOf } from '../support/bird-fuzz.ts';

test('20,000 byte streams end in a list or an error, and no truncated one in a list', () => {
  const streams = streamsOf(20_261_130);
  const kinds = new Map<string, number>();
  for (let turn = 0; turn < 20_000; turn += 1) {
    const stream: Stream = streams.next();
    kinds.set(stream.kind, (kinds.get(stream.kind) ?? 0) + 1);
    const fault = faultOf(stream);
    if (fault !== null)
      expect.fail(`stream ${turn}: ${fault}\n${JSON.stringify(stream.bytes.toString('latin1'))}`);
  }
  expect(kinds.get('truncated')).toBeGreaterThan(4000);
  expect(kinds.get('mutated')).toBeGreaterThan(10_000);
});

test('the streams are varied enough that lists, errors and refusals all come of them', () => {
  const streams = streamsOf(7);
  const whole = Buffer.from('2002-Name\n1002-a Static t up 00:00:01  \n1006-\n0000 \n');
  expect(faultOf({ kind: 'mutated', bytes: whole })).toBeNull();
  expect(faultOf({ kind: 'truncated', bytes: whole })).not.toBeNull();
  const first = Array.from({ length: 50 }, () => streams.next().bytes.toString('latin1'));
  expect(new Set(first).size).toBeGreaterThan(45);
});

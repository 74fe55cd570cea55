/**
 * Whatever bytes come, there is a list or an error: truncated, spliced and foreign replies never make a state that no
 * row of the bytes has.
 */
import { fc, test } from '../support/property.ts';
import { describe, expect } from 'vitest';
import { createReader, type Frame } from '../../bird/codec.ts';
import { type BirdClient, BirdError } from '../../bird/client.ts';
import { readBird } from '../../bird/read.ts';
import type { BirdView } from '../../src/types/bird-view.ts';
import { instant } from '../../src/types/units.ts';
import { chunked, framesOf } from '../contract/framing.ts';
import { readTranscript, replyBytes, transcriptNames, versions } from '../contract/transcript.ts';

/** Numbers instead of bytes, so that a counterexample can be read. */
const wholes = versions.map((version) => ({
  status: replyBytes(version, '01', 'show status'),
  protocols: replyBytes(version, '03', 'show protocols all'),
}));
const replies = versions.flatMap((version) =>
  transcriptNames(version).flatMap((name) => readTranscript(version, name).map(({ bytes }) => bytes)),
);
const whole = fc.constantFrom(...wholes.keys());
const anyReply = fc.constantFrom(...replies.keys());
const share = fc.double({ min: 0, max: 1, noNaN: true });
const cutAt = (bytes: Buffer, at: number): number => Math.floor(bytes.length * at);
const wholeOf = (index: number): { readonly status: Buffer; readonly protocols: Buffer } =>
  wholes[index] ?? { status: Buffer.alloc(0), protocols: Buffer.alloc(0) };
const replyAt = (index: number): Buffer => replies[index] ?? Buffer.alloc(0);

/** What readBird makes of these bytes as the answer to each command: framed by the real reader, judged by the real code. */
async function viewOf(status: Buffer, protocols: Buffer): Promise<BirdView> {
  const client: BirdClient = {
    version: null,
    close: () => undefined,
    command: async (text) => {
      const frame = framesOf([text === 'show status' ? status : protocols]).find(
        ({ kind }) => kind !== 'async',
      );
      if (frame?.kind !== 'reply') throw new BirdError(frame === undefined ? 'closed' : 'bad-reply', 'cut');
      if (/^[89]/.test(frame.reply.code)) throw new BirdError('refused', 'no', { reply: frame.reply });
      return frame.reply;
    },
  };
  return readBird(client, '/run/bird/bird.ctl', () => instant(1));
}

/** Each protocol of the view stands in a row of the bytes, with that state. */
function expectHonest(view: BirdView, protocols: Buffer): void {
  if (view.kind === 'unreachable') return;
  const rows = new Set<string>();
  for (const line of protocols.toString().split('\n')) {
    const match = /^(?:1002-| )(\S+)\s+[A-Z]\S*\s+\S+\s+(\S+)\s/.exec(line);
    if (match !== null) rows.add(`${match[1]} ${match[2]}`);
  }
  for (const [name, seen] of view.protocols) expect(rows).toContain(`${name} ${seen.state}`);
}

test('the whole replies of every version are seen', async () => {
  for (const { status, protocols } of wholes) expect((await viewOf(status, protocols)).kind).toBe('seen');
});

describe('the view', () => {
  test.prop([whole, share], { numRuns: 300 })('of a truncated list is unreachable', async (index, at) => {
    const { status, protocols } = wholeOf(index);
    const cut = protocols.subarray(0, Math.min(cutAt(protocols, at), protocols.length - 1));
    const view = await viewOf(status, cut);
    expect(view.kind).toBe('unreachable');
  });

  test.prop([whole, share], { numRuns: 300 })('of a truncated status is unreachable', async (index, at) => {
    const { status, protocols } = wholeOf(index);
    const view = await viewOf(status.subarray(0, Math.min(cutAt(status, at), status.length - 1)), protocols);
    expect(view.kind).toBe('unreachable');
  });

  test.prop([whole, share, share], { numRuns: 300 })(
    'of a list with a piece cut out invents no state',
    async (index, from, to) => {
      const { status, protocols } = wholeOf(index);
      const [start, end] = [cutAt(protocols, Math.min(from, to)), cutAt(protocols, Math.max(from, to))];
      const spliced = Buffer.concat([protocols.subarray(0, start), protocols.subarray(end)]);
      expectHonest(await viewOf(status, spliced), spliced);
    },
  );

  test.prop([whole, anyReply, share], { numRuns: 300 })(
    'of a list with another reply spliced in invents no state',
    async (index, other, at) => {
      const { status, protocols } = wholeOf(index);
      const start = cutAt(protocols, at);
      const spliced = Buffer.concat([
        protocols.subarray(0, start),
        replyAt(other),
        protocols.subarray(start),
      ]);
      expectHonest(await viewOf(status, spliced), spliced);
    },
  );

  test.prop([anyReply, anyReply], { numRuns: 300 })(
    'of any two other replies invents no state',
    async (status, protocols) => {
      expectHonest(await viewOf(replyAt(status), replyAt(protocols)), replyAt(protocols));
    },
  );

  test.prop([fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 400 })])(
    'of noise is unreachable',
    async (status, protocols) => {
      expect((await viewOf(Buffer.from(status), Buffer.from(protocols))).kind).toBe('unreachable');
    },
  );
});

describe('the reader', () => {
  const line = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom(
      '0000 ',
      '1002-a Static t up 00:00:01  ',
      ' x',
      '+async',
      '0009-a: disabled',
      '8000-<line overflow>',
    ),
  );
  const stream = fc.array(line, { maxLength: 30 }).map((lines) => Buffer.from(lines.join('\n')));

  test.prop([stream, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 })])(
    'gives the same frames whatever the chunks, and at most one bad one, at the end',
    (bytes, sizes) => {
      const frames = framesOf(chunked(bytes, sizes));
      expect(frames).toEqual(framesOf([bytes]));
      expect(frames.findIndex(({ kind }) => kind === 'bad')).toBeOneOf([-1, frames.length - 1]);
    },
  );

  test.prop([fc.uint8Array({ maxLength: 3000 })])('holds no more than its limits', (noise) => {
    const reader = createReader({ lineBytes: 64, replyBytes: 256 });
    const frames: readonly Frame[] = reader.push(Buffer.from(noise));
    for (const frame of frames)
      if (frame.kind === 'reply')
        expect(frame.reply.lines.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(256);
  });
});

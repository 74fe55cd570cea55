/** The framing of replies against what five versions of BIRD really sent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc, test as propertyTest } from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { commandLimitBytes } from '../../bird/client/command-text.ts';
import { createReader } from '../../bird/codec.ts';
import { chunked, framesOf } from './framing.ts';
import { readTranscript, transcriptNames, transcripts, versions } from './transcript.ts';

const files = versions.flatMap((version) => transcriptNames(version).map((name) => ({ version, name })));
/** These hold more than questions and answers in turn, and have tests of their own below. */
const notInTurn = /^(14-|15-|22-|operator)/;
const inTurn = files.filter(({ name }) => !notInTurn.test(name));
const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 12 });

test('transcripts of all five versions are here', () => {
  expect(versions).toEqual(['2.0.12', '2.17.6', '2.20.0', '3.1.8', '3.4.0']);
  expect(files.length).toBe(112);
});

describe.each(inTurn)('$version/$name', ({ version, name }) => {
  const exchanges = readTranscript(version, name);
  const bytes = Buffer.concat(exchanges.map((exchange) => exchange.bytes));

  test('each command that was answered has exactly one reply, in order', () => {
    const replies = framesOf([bytes]).filter((frame) => frame.kind !== 'async');
    const answered = exchanges.filter((exchange) => exchange.bytes.length > 0);
    expect(replies.length).toBe(answered.length);
    for (const [index, exchange] of answered.entries()) {
      const alone = framesOf([exchange.bytes]).filter((frame) => frame.kind === 'reply');
      expect(alone).toEqual([replies[index]]);
    }
  });

  propertyTest.prop([sizes], { numRuns: 10 })('any chunks give the same frames', (cut) => {
    expect(framesOf(chunked(bytes, cut))).toEqual(framesOf([bytes]));
  });

  test('single bytes give the same frames', () => {
    expect(framesOf(chunked(bytes, [1]))).toEqual(framesOf([bytes]));
  });
});

describe.each(versions)('BIRD %s', (version) => {
  const notes = (prefix: string): string => readFileSync(join(transcripts, version, `${prefix}.txt`), 'utf8');

  test('three commands in one write have three replies, in order', () => {
    const [greeting] = readTranscript(version, '15-multi-client.txt');
    const codes = framesOf([greeting?.bytes ?? Buffer.alloc(0)]).map((frame) =>
      frame.kind === 'reply' ? frame.reply.code : frame.kind,
    );
    expect(codes).toEqual(['0001', '0000', '9001', '0000']);
  });

  test('a command of ours is shorter than what closed the connection or hung BIRD', () => {
    const kept = [...notes('14-long-commands').matchAll(/^# (\d+) bytes \+ newline -> \['8003/gm)];
    const longest = Math.max(...kept.map((match) => Number(match[1])));
    expect(longest).toBeGreaterThanOrEqual(1000);
    expect(commandLimitBytes).toBeLessThanOrEqual(longest);
    expect(notes('22-long-command-pieces')).toContain('CPU 100%');
  });
});

describe('framing by hand', () => {
  test('a reply cut inside a line and inside a code is one reply with both rows', () => {
    const frames = framesOf(
      [
        '0001 BIRD 2.0.12 ready.\n20',
        '02-Name       Proto      Table      State  Since         Info\n1002-device1    Device     ---        up     00:00:47.016  \n up_a       BGP   ',
        '     ---        up     00:00:47.821  Established   \n0000 \n',
      ].map((text) => Buffer.from(text)),
    );
    expect(frames.map((frame) => frame.kind)).toEqual(['reply', 'reply']);
    const rows = frames[1]?.kind === 'reply' ? frames[1].reply.lines : [];
    expect(rows.map((row) => row.code)).toEqual(['2002', '1002', '1002', '0000']);
  });

  test('codes that begin with 0 or 8 do not end a reply when a dash follows', () => {
    const frames = framesOf([Buffer.from('0009-a: disabled\n8006-b: reload failed\n0000 \n')]);
    expect(frames.length).toBe(1);
  });

  test('an asynchronous line may stand behind a reply or in the middle of one, and changes neither', () => {
    const text = '0002-Reading\n+Config timeout expired\n 0003 continues\n0003 Reconfigured\n+later\n';
    const frames = framesOf([Buffer.from(text)]);
    expect(frames.map((frame) => frame.kind)).toEqual(['async', 'reply', 'async']);
    expect(frames[1]).toMatchObject({ reply: { code: '0003' } });
  });

  test('a character of several bytes that is cut between chunks is whole again', () => {
    const bytes = Buffer.from('1006-  Message:  維護 – größer\n0000 \n');
    for (let at = 1; at < bytes.length; at += 1) {
      const frames = framesOf([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(frames).toEqual(framesOf([bytes]));
    }
    expect(JSON.stringify(framesOf([bytes]))).toContain('維護 – größer');
  });

  test.each([
    ['a line without a code', 'hello\n'],
    ['a continuation of nothing', ' 1002 x\n'],
    ['a continuation behind a finished reply', '0000 \n x\n0000 \n'],
    ['a code of three digits', '002-x\n'],
  ])('%s is bad, and nothing is taken from what follows', (_, text) => {
    const reader = createReader();
    expect(reader.push(Buffer.from(text)).at(-1)?.kind).toBe('bad');
    expect(reader.push(Buffer.from('0000 \n'))).toEqual([]);
  });

  test('a line without end and a reply without end are bad before they fill the memory', () => {
    const long = createReader({ lineBytes: 100, replyBytes: 1000 });
    expect(long.push(Buffer.alloc(101, 'x')).map((frame) => frame.kind)).toEqual(['bad']);
    const endless = createReader({ lineBytes: 100, replyBytes: 1000 });
    const kinds = Array.from({ length: 30 }, () => endless.push(Buffer.from(`1007-${'x'.repeat(50)}\n`)));
    expect(kinds.flat().map((frame) => frame.kind)).toEqual(['bad']);
  });

  test('the limit of a reply begins anew with each reply', () => {
    const reader = createReader({ lineBytes: 100, replyBytes: 100 });
    for (let turn = 0; turn < 20; turn += 1)
      expect(reader.push(Buffer.from('0003 Reconfigured\n')).map((frame) => frame.kind)).toEqual(['reply']);
  });
});

/** Text that goes into BIRD, by example. */
import { describe, expect, test } from 'vitest';
import { cleanText, ownMessage } from '../../bird/message.ts';

describe('cleaned text', () => {
  test.each([0, 1, 2, 3])('is cut at a character, not inside one (%i letters before)', (letters) => {
    const clean = cleanText(`${'a'.repeat(letters)}${'😀'.repeat(100)}`);
    expect(clean).toMatch(/^a*(😀)+…$/u);
    expect(Buffer.byteLength(clean)).toBeGreaterThan(195);
    expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(200);
  });

  test('of exactly the limit stays whole', () => {
    expect(cleanText('x'.repeat(200))).toBe('x'.repeat(200));
    expect(Buffer.byteLength(cleanText('x'.repeat(201)))).toBe(200);
  });

  test('has nothing that ends a string or plays with a terminal', () => {
    expect(cleanText('a"b\nc\u001b[31md\u202ee\u0085f\ud800g')).toBe("a'b c [31md e f g");
  });
});

test('a message of ours has its prefix once', () => {
  expect(ownMessage('loss')).toBe('causeway: loss');
  expect(ownMessage('causeway: loss')).toBe('causeway: loss');
});

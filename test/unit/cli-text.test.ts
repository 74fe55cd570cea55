/** Text that fits a terminal: widths in cells, wrapped lines, tables, frames of --watch. */
import { array, constantFrom, integer, oneof, string } from 'fast-check';
import { test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { table } from '../../src/cli/table.ts';
import { cut, harmless, padded, widthOf, wrap } from '../../src/cli/text-width.ts';
import { frameText } from '../../src/cli/watch.ts';

describe('widths', () => {
  test.each([
    ['plain', 5],
    ['', 0],
    ['運營商維護', 10],
    ['한국', 4],
    ['e\u0301', 1],
    ['🚧', 2],
    ['fullｗ', 6],
  ])('%s takes %d cells', (text, cells) => {
    expect(widthOf(text)).toBe(cells);
  });

  test('text is cut where it does not fit, wide letters whole', () => {
    expect(cut('運營商維護', 10)).toBe('運營商維護');
    expect(cut('運營商維護', 9)).toBe('運營商維…');
    expect(cut('運營商維護', 8)).toBe('運營商…');
    expect(cut('abc', 1)).toBe('a');
    expect(padded('運', 4)).toBe('運  ');
  });

  test('what a carrier or a colleague wrote cannot drive the terminal', () => {
    expect(harmless('a\u001B[2Jb\u0007\r\nc\u009B1m')).toBe('a [2Jb   c 1m');
    expect(cut('a\u001B[2J', 20)).not.toContain('\u001B');
  });
});

const texts = array(oneof(string({ maxLength: 30 }), constantFrom('運營商', 'a'.repeat(50), '')));

property.prop([texts, integer({ min: 20, max: 200 })])(
  'no wrapped line is wider than it may be, and no word is lost',
  (words, width) => {
    const text = words.join(' ');
    const lines = wrap(text, width, '  - ', '    ');
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    const bare = (value: string): string => value.replaceAll(/\s/gu, '');
    expect(bare(lines.join(''))).toBe(bare(`  - ${harmless(text)}`));
  },
);

test('a table leaves two spaces between columns, also behind wide letters, and cuts the last one', () => {
  const rows = [
    [{ text: '香港' }, { text: 'x' }, { text: 'a long sentence that does not fit' }],
    [{ text: 'abc' }, { text: 'yy' }, { text: 'short' }],
  ];
  const lines = table(['name', 'n', 'why'], rows, { columns: 24, colour: false });
  expect(lines).toEqual(['name  n   why', '香港  x   a long senten…', 'abc   yy  short']);
});

describe('a frame of --watch', () => {
  test('overwrites line by line, and clears only behind what is new', () => {
    const frame = frameText('one\ntwo', 80, 24);
    expect(frame).toBe('\u001B[?2026h\u001B[Hone\u001B[K\r\ntwo\u001B[K\u001B[J\u001B[?2026l');
    expect(frame).not.toContain('\u001B[2J');
  });

  test('is as high as the window, and says how much is hidden', () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
    const frame = frameText(text, 80, 10);
    expect(frame.split('\r\n')).toHaveLength(10);
    expect(frame).toContain('41 more lines');
    expect(frame).not.toContain('line 9');
  });
});

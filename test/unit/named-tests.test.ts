/** docs/safety.md names a test for each requirement: each of them exists, and none of the thirty is left out. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const text = readFileSync('docs/safety.md', 'utf8');
const rows = text.split('\n').filter((line) => /^\| S\d+ \|/.test(line));

interface Named {
  readonly requirement: string;
  readonly file: string;
  readonly title: string;
}

/** Cells such as `test/unit/x.test.ts`: title. */
const named = rows.flatMap((row): Named[] => {
  const [, requirement = '', , tests = ''] = row.split('|').map((cell) => cell.trim());
  return tests.split(' · ').flatMap((one) => {
    const match = /^`([^`]+)`: (.+)$/.exec(one);
    return match === null ? [] : [{ requirement, file: match[1] ?? '', title: match[2] ?? '' }];
  });
});

describe('docs/safety.md', () => {
  test('has a row for each of the thirty requirements', () => {
    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(
      Array.from({ length: 30 }, (_, index) => `S${index + 1}`),
    );
  });

  test('names a test for each', () => {
    for (const row of rows) expect(row).toMatch(/`(test|lab)\/[^`]+`: /);
  });

  test.each(named)('$requirement: $file has "$title"', ({ file, title }) => {
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(title);
  });
});

/** docs/safety.md and docs/security.md name a test for each promise: each of them exists, and no promise is without one. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Named {
  /** First cell of its row. */
  readonly of: string;
  readonly file: string;
  readonly title: string;
}

const pages = [
  { page: 'docs/safety.md', row: /^\| S\d+ \|/, count: 30 },
  { page: 'docs/security.md', row: /^\| .* \| .* \| .* \| `test\//, count: 14 },
];

function lastCell(row: string): string {
  return (row.split(' | ').at(-1) ?? '').replace(/ \|$/, '');
}

/** The last cell holds tests, such as `test/unit/x.test.ts`: title · `test/lab/y.test.ts`: title. */
function namedIn(row: string): readonly Named[] {
  const cells = row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, ''));
  return lastCell(row)
    .split(' · ')
    .flatMap((one) => {
      const [, file, title] = /^`((?:test|lab)\/[^`]+)`: (.+)$/.exec(one) ?? [];
      return file === undefined || title === undefined ? [] : [{ of: cells[0] ?? '', file, title }];
    });
}

describe.each(pages)('$page', ({ page, row, count }) => {
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => row.test(line));

  test('has a row for each promise, with tests in each of its last cells', () => {
    expect(rows).toHaveLength(count);
    const incomplete = rows.filter((one) => namedIn(one).length !== lastCell(one).split(' · ').length);
    expect(incomplete).toEqual([]);
  });

  test.each(rows.flatMap((one) => namedIn(one)))('$of: $file has "$title"', ({ file, title }) => {
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(title);
  });
});

test('docs/safety.md has the thirty requirements in their order', () => {
  const found = [...readFileSync('docs/safety.md', 'utf8').matchAll(/^\| (S\d+) \|/gm)].map(
    ([, name]) => name,
  );
  expect(found).toEqual(Array.from({ length: 30 }, (_, index) => `S${index + 1}`));
});

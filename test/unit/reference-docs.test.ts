/** Pages that are made from the code, and lists that must agree with it. `UPDATE_DOCS=1` renews the first kind. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonOutputs } from '../../src/cli/json-outputs.ts';
import { jsonSchema } from '../../src/config/json-schema.ts';
import { configReference } from '../../src/config/reference.ts';
import { findingCodes } from '../../src/host/finding-codes.ts';
import { applyResult } from '../../src/types/wire/apply.ts';
import { guard } from '../../src/types/wire/enums.ts';

const isUpdate = process.env['UPDATE_DOCS'] === '1';
const runbook = readFileSync('docs/runbook.md', 'utf8');

/** As GitHub makes them of headings. */
const anchors = new Set(
  [...runbook.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  ),
);

/** The first cells of the rows of a section, in code. */
function listed(text: string, heading: string): readonly string[] {
  const section = text.slice(text.indexOf(`\n## ${heading}`) + 4);
  const end = section.indexOf('\n## ');
  return [...section.slice(0, end === -1 ? undefined : end).matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, code = '']) => code,
  );
}

function alarmCodes(): readonly string[] {
  const text = readFileSync('src/daemon/alarms.ts', 'utf8');
  const union = /type AlarmCode =([^;]*);/.exec(text)?.[1] ?? '';
  return [...union.matchAll(/'([a-z-]+)'/g)].map(([, code = '']) => code);
}

test('docs/configuration.md is what the schema makes', () => {
  if (isUpdate) writeFileSync('docs/configuration.md', configReference());
  expect(readFileSync('docs/configuration.md', 'utf8'), 'run with UPDATE_DOCS=1 to renew it').toBe(
    configReference(),
  );
});

test('docs/configuration.md has every key of the schema', () => {
  const page = configReference();
  const names = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties' && typeof value === 'object' && value !== null)
        for (const name of Object.keys(value)) names.add(name);
      if (key !== 'default' && key !== 'enum') walk(value);
    }
  };
  walk(jsonSchema());
  expect(names.size).toBeGreaterThan(100);
  expect([...names].filter((name) => !new RegExp(`[\`.]${name}\``).test(page))).toEqual([]);
});

describe('docs/errors.md', () => {
  const [begin, end] = ['<!-- findings: ', '<!-- end of findings -->'];

  test('has the findings as the registry has them', () => {
    const page = readFileSync('docs/errors.md', 'utf8');
    const from = page.indexOf('\n', page.indexOf(begin)) + 1;
    const rows = Object.entries(findingCodes).map(
      ([code, { level, means }]) => `| \`${code}\` | ${level} | ${means} |\n`,
    );
    const table = `| code | level | means |\n|---|---|---|\n${rows.join('')}`;
    if (isUpdate)
      writeFileSync('docs/errors.md', `${page.slice(0, from)}${table}${page.slice(page.indexOf(end))}`);
    const now = readFileSync('docs/errors.md', 'utf8');
    expect(now.slice(from, now.indexOf(end)), 'run with UPDATE_DOCS=1 to renew it').toBe(table);
  });

  const page = readFileSync('docs/errors.md', 'utf8');
  test('lists every alarm, and each has a section in the runbook', () => {
    expect(listed(page, 'Alarms').toSorted()).toEqual(alarmCodes().toSorted());
    expect(alarmCodes().filter((code) => !anchors.has(code))).toEqual([]);
  });

  test('lists every code of BIRD’s client and every result of an apply', () => {
    const text = readFileSync('bird/bird-error.ts', 'utf8');
    const own = [...text.matchAll(/\| '([a-z-]+)'/g)].map(([, code = '']) => code);
    expect(own.length).toBeGreaterThan(4);
    expect(listed(page, 'BIRD')).toEqual(expect.arrayContaining(own));
    const kinds = applyResult.options.map((option) => option.shape.kind.value);
    expect(listed(page, 'Apply').toSorted()).toEqual(kinds.toSorted());
  });
});

test('every guard has a section in the runbook', () => {
  expect(guard.options.filter((one) => !anchors.has(one))).toEqual([]);
});

test('what alert rules link to is in the runbook', () => {
  const rules = readFileSync('docs/prometheus/causeway.rules.yaml', 'utf8');
  const links = [...rules.matchAll(/runbook\.md#([a-z0-9-]+)"/g)].map(([, anchor = '']) => anchor);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

test('docs/command-line.md lists every schema', () => {
  const page = readFileSync('docs/command-line.md', 'utf8');
  const rows = [...page.matchAll(/^\| \[([a-z-]+)\]\(schemas\/\1\.json\) \|/gm)].map(([, name = '']) => name);
  expect(rows.toSorted()).toEqual(jsonOutputs.map(({ name }) => name).toSorted());
});

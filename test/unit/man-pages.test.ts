/** The manual pages say what the schema and the commands say, and mandoc finds nothing wrong with them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { commandManPage } from '../../src/cli/man-page.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { jsonSchema } from '../../src/config/json-schema.ts';
import { configManPage } from '../../src/config/man-page.ts';
import { sentences } from '../../src/config/mdoc.ts';

const update = process.env['UPDATE_DOCS'] === '1';
const quiet = { answer: () => undefined, complain: () => undefined, end: () => undefined };
const program = buildProgram(quiet);

/** Compares, or renews where that was asked for. */
function expectFile(path: string, text: string): void {
  if (update) writeFileSync(path, text);
  expect(readFileSync(path, 'utf8'), 'run with UPDATE_DOCS=1 to renew it').toBe(text);
}

test('causeway.yaml(5) is what the schema makes', () => {
  expectFile('docs/man/causeway.yaml.5', configManPage());
});

test('causeway(1) is what the commands make', () => {
  expectFile('docs/man/causeway.1', commandManPage(program));
});

test('causeway.yaml(5) names every key of the schema', () => {
  const page = configManPage();
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
  expect([...names].filter((name) => !new RegExp(`[.&]${name}"`).test(page))).toEqual([]);
});

test('causeway(1) names every command and option', () => {
  const page = commandManPage(program);
  for (const command of program.commands.filter((one) => one.name() !== 'help')) {
    expect(page).toContain(`.It Ic "\\&${command.name()}`);
    for (const { long } of command.options)
      expect(page, `${command.name()} ${long}`).toContain(`"\\&${(long ?? '').slice(1)}"`);
  }
});

test.each(['causeway.1', 'causeway.8', 'causeway.yaml.5'])(
  'mandoc finds nothing to say about %s',
  async (page) => {
    const lint = await execa('mandoc', ['-Tlint', '-Wstyle', `docs/man/${page}`], { reject: false });
    // References to pages of other packages cannot be looked up everywhere.
    const said = lint.stdout
      .split('\n')
      .filter((line) => line !== '' && !/referenced manual not found/.test(line));
    expect(said).toEqual([]);
  },
);

describe('sentences', () => {
  test.each([
    ['One. Two, e.g. this.', ['One.', 'Two, e.g. this.']],
    ['.conf of BIRD', ['\\&.conf of BIRD']],
    ["'x' is", ["\\&'x' is"]],
    ['a\\b "c"', ['a\\eb \\(dqc\\(dq']],
  ])('%j', (text, lines) => {
    expect(sentences(text)).toEqual(lines);
  });
});

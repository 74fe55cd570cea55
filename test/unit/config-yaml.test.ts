import { describe, expect, test } from 'vitest';
import { fc, test as property } from '../support/property.ts';
import { stringify } from 'yaml';
import { notBuilt } from '../../src/config/not-built.ts';
import { readConfig } from '../../src/config/read.ts';
import { rootSchema } from '../../src/config/schema/root.ts';
import { problemsOf, sample } from './config-sample.ts';

const atTop = (statement: string) => [`causeway.yaml:1:1: ${statement}`];

/** The keys of the top that are built. */
const topKeys = Object.keys(rootSchema.shape)
  .filter((key) => !notBuilt.some((row) => row.section === '' && row.key === key))
  .join(', ');

describe('a text that is no config gives one clear problem', () => {
  test.each<[string, string, readonly string[]]>([
    ['an empty file', '', atTop('the file is empty: write a config, such as docs/causeway.example.yaml')],
    [
      'comments alone',
      '# nothing\n',
      atTop('the file is empty: write a config, such as docs/causeway.example.yaml'),
    ],
    ['a null', '~\n', atTop('the file is empty: write a config, such as docs/causeway.example.yaml')],
    ['a list', '- 1\n', atTop(`found a list, allowed: a mapping with the keys ${topKeys}`)],
    ['a sentence', 'hello\n', atTop(`found "hello", allowed: a mapping with the keys ${topKeys}`)],
    [
      'broken YAML',
      'mode: live\nnode: [1,\n',
      [
        'causeway.yaml:3:1: this is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
    ],
    [
      'a tab',
      'node:\n\tname: a\n',
      ['causeway.yaml:2:1: this is not YAML: Tabs are not allowed as indentation'],
    ],
    [
      'another version of YAML',
      '%YAML 1.1\n---\nmode: live\n',
      atTop('the file asks for YAML 1.1: leave the %YAML line out, YAML 1.2 is read'),
    ],
    [
      'two documents',
      `${sample}---\nmode: live\n`,
      [
        `causeway.yaml:${sample.split('\n').length}:1: a second YAML document begins here: keep the config in one`,
      ],
    ],
    [
      'a hostile depth',
      '['.repeat(100_000),
      atTop('lists and mappings are nested more than 50 deep: no config is'),
    ],
    [
      'a hostile depth of blocks',
      '- '.repeat(100_000),
      atTop('lists and mappings are nested more than 50 deep: no config is'),
    ],
    [
      'aliases that multiply',
      bomb(),
      [expect.stringContaining('with its aliases the file has more than 200000 values')],
    ],
  ])('%s', (_name, text, lines) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});

describe('of YAML only what a config needs is taken', () => {
  test.each<[string, string, string]>([
    [
      'a key twice',
      'mode: live\n',
      ':2:1: the key "mode" stands here a second time, first in line 1: keep one of the two',
    ],
    [
      'a merge key',
      '<<: { mode: live }\n',
      ':2:1: merge keys (<<) are not read: repeat the keys, or use an alias for a whole value',
    ],
    ['a tag', 'on_stop: !!str keep\n', ':2:16: the tag !!str is not allowed: write the value without a tag'],
    ['a key that is a list', '? [a, b]\n: 1\n', ':2:3: a key is a list or a mapping: write a name'],
    ['an alias without its anchor', 'bird: *nowhere\n', ':2:7: the alias *nowhere names no anchor above it'],
    [
      'an alias of its own parent',
      'bird: &loop { adopt: *loop }\n',
      ':2:22: the alias *loop stands inside what it names',
    ],
    [
      'a key with a control character',
      '"a\\u0007b": 1\n',
      ':2:1: "a\\u0007b": found the unknown key "a\\u0007b", allowed: one of ',
    ],
    ['__proto__', '__proto__: { mode: live }\n', ':2:1: the key "__proto__" is unknown: leave it out'],
  ])('%s is refused at its place', (_name, line, says) => {
    const text = sample.replace('mode: live\n', `mode: live\n${line}`);
    const lines = problemsOf(text);
    expect(lines.filter((one) => one.startsWith(`causeway.yaml${says}`))).toHaveLength(1);
  });

  test('a byte order mark and CRLF change nothing', () => {
    expect(problemsOf(`\uFEFF${sample.replaceAll('\n', '\r\n')}`)).toEqual([]);
  });

  test('a problem under an alias is said once, where it is written', () => {
    const lines = problemsOf(sample.replace('region: PH, tcp', 'region: 7, tcp'));
    expect(lines).toEqual([
      expect.stringMatching(/^causeway\.yaml:25:32: uplinks\.cmi\.targets\[3\]\.region: found 7, /),
    ]);
  });

  test('an alias means the last anchor of its name above it, also when another alias leads there again', () => {
    const text = sample
      .replace('name: hk1', 'name: &n hk1\n  site: *n')
      .replace('  site: hkg\n', '')
      .replace('carrier: cmi', 'carrier: &n cmi')
      .replace('carrier: pccw', 'carrier: *n');
    const result = readConfig('causeway.yaml', text);
    expect(result).toMatchObject({
      config: { node: { site: 'hk1' }, uplinks: [{ carrier: 'cmi' }, { carrier: 'cmi' }] },
    });
  });

  test('nothing that a terminal would obey is printed', () => {
    const [line] = problemsOf(sample.replace('mode: live', 'mode: "\\e[2J\\x9b\\x7f"'));
    expect(line).toBe(
      String.raw`causeway.yaml:1:7: mode: found "\u001b[2J\u009b\u007f", allowed: observe or live`,
    );
  });

  test('passwords in URLs are not printed', () => {
    const [line] = problemsOf(sample.replace('mode: live', 'mode: "redis://user:hunter2@host"'));
    expect(line).toContain('found "redis://***@host"');
  });
});

const scalar = fc.oneof(
  fc.constantFrom(
    'live',
    'cmi',
    '5s',
    '5%',
    '1/10y',
    '203.0.113.0/24',
    '2001:db8::/32',
    '198.51.100.1',
    'ID',
    '[::1]:9180',
  ),
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const keys = fc.oneof(
  fc.constantFrom(
    'mode',
    'node',
    'services',
    'uplinks',
    'policy',
    'peer',
    'source',
    'targets',
    'prefixes',
    'ping',
    'tcp',
    'web',
    'cmi',
    'fleet',
    'name',
    'asn',
    'regions',
    'weights',
  ),
  fc.string(),
);
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
  ),
})).value;

property.prop([tree], { numRuns: 100 })(
  'any tree of YAML values is a config or gives problems with places, never a throw',
  (value) => {
    expectLines(stringify(value));
  },
);

property.prop([fc.string({ unit: 'grapheme', maxLength: 200 })], { numRuns: 100 })(
  'any text is a config or gives problems with places, never a throw',
  (text) => {
    expectLines(text);
  },
);

property.prop(
  [
    fc.nat(sample.length),
    fc.nat(40),
    fc.constantFrom('', '\n', ': ', '- ', '[', '{', '"', '&a ', '*a', '#', '\t', '!x '),
  ],
  { numRuns: 150 },
)(
  'the sample with a bite taken out of it is a config or gives problems with places, never a throw',
  (from, length, bite) => {
    expectLines(sample.slice(0, from) + bite + sample.slice(from + length));
  },
);

function expectLines(text: string): void {
  const result = readConfig('causeway.yaml', text);
  if (result.kind === 'ok') return;
  const rows = text.split('\n').length;
  expect(result.problems.length).toBeGreaterThan(0);
  for (const { line, column, text: shown } of result.problems) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(rows);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(shown).toMatch(/^causeway\.yaml:\d+:\d+: \S/);
    expect(shown.split('\n')).toHaveLength(1);
  }
}

/** Six levels of ten aliases each: a million values in a few lines. */
function bomb(): string {
  const levels = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]'];
  for (let level = 1; level < 6; level += 1)
    levels.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
  return `${levels.join('\n')}\n`;
}

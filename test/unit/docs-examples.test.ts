/**
 * The examples in README and docs: each command line of `causeway` and its companions is one that the program takes, and each
 * YAML is a part of a config that `causeway check` takes. What is something else says so in a comment in the line above it:
 * `<!-- example: at uplinks.cmi.targets -->` goes there in the config, `<!-- example: of geodns -->` is a file of another
 * program (`of geodns part` a part of it), and `<!-- example: test/unit/edge-docs.test.ts -->` is run by that test.
 * `<!-- examples: test/lab/bird-docs.test.ts -->` says it of every shell line of the page. `text` is no example.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadTokens } from '../../geodns/api/tokens.ts';
import { loadConfig } from '../../geodns/service/config.ts';
import { formatProblem } from '../../geodns/yaml-file.ts';
import { readConfig } from '../../src/config/read.ts';
import { causewayCommands, complaintAbout, programOf, programsOf } from '../support/command-lines.ts';
import { type Block, blocksOf, runnersOf, shellLines } from '../support/doc-blocks.ts';

const pages = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const blocks = pages.flatMap(blocksOf);
const shells = ['sh', 'console', 'indented'];

/** What a part of GeoDNS's config is put behind. */
const smallestGeoDns = `rules: /r
networks: /n
mmdb: { asn: /a, country: /c }
tokens_file: /t
sites:
  - { name: hkg, api: "http://127.0.0.1:8081", key_file: /k, dns: "127.0.0.1:53" }
  - { name: tyo, api: "http://127.0.0.2:8081", key_file: /k, dns: "127.0.0.2:53" }
`;

const programs = ['causeway', 'causeway-edge', 'causeway-geodns'] as const;

const commands = blocks
  .filter(({ language }) => shells.includes(language))
  .flatMap((one) =>
    shellLines(one).flatMap((line) =>
      programs.flatMap((program) =>
        causewayCommands(line, program).map((words) => ({
          place: `${one.page}:${one.line}`,
          line,
          program,
          words,
        })),
      ),
    ),
  );

/** In running text, where what is left out is left out: the command is one, and so are its options. */
const mentions = pages.flatMap((page) =>
  programs.flatMap((program) =>
    [...readFileSync(page, 'utf8').matchAll(new RegExp(`\`${program} ([a-z][^\`]*)\``, 'g'))].map(
      ([, text = '']) => ({ page, program, text }),
    ),
  ),
);

describe('the examples', () => {
  test('are many', () => {
    expect(commands.length).toBeGreaterThan(60);
    expect(mentions.length).toBeGreaterThan(60);
  });

  test('are command lines that the program takes', async () => {
    const refused: string[] = [];
    for (const { place, line, program, words } of commands) {
      if (words.some((word) => word.includes('…'))) continue;
      const complaint = await complaintAbout(words, program);
      if (complaint !== null) refused.push(`${place}: ${line}: ${complaint}`);
    }
    expect(refused).toEqual([]);
  });

  test('in running text name commands and options that there are', () => {
    const strange = mentions.filter(({ program, text }) => {
      // The first line of a recording.
      if (text === 'recording 1') return false;
      // `drain | undrain | force announce` are several.
      const several = text.split(/ ?\| ?/);
      return several.some((one) => {
        const words = one.split(/[\s[\]]+/).filter((word) => word !== '');
        const command = programOf(program).commands.find((each) => each.name() === words[0]);
        if (command === undefined) return several.length === 1 || !/^[a-z<…]/.test(words[0] ?? '<');
        const options = [command, ...command.commands].flatMap((each) =>
          each.options.map(({ long }) => long),
        );
        const named = words.filter((word) => /^--[a-z]/.test(word) && word !== '--help');
        return named.some((word) => !options.includes(word.replace(/[^a-z-].*$/, '')));
      });
    });
    expect(strange.map(({ page, program, text }) => `${page}: ${program} ${text}`)).toEqual([]);
  });

  test('name scripts of npm and benchmarks that there are', () => {
    const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
    const benchmarks = readFileSync('bench/main.ts', 'utf8').matchAll(/^ {2}'?([a-z-]+)'?: \(\) => import/gm);
    const known = new Set([...benchmarks].map(([, name = '']) => name));
    const named = pages.flatMap((page) => [
      ...readFileSync(page, 'utf8').matchAll(/npm run ([a-z:]+)(?: -- ([a-z][a-z-]*))?/g),
    ]);
    expect(named.length).toBeGreaterThan(30);
    const strange = named.filter(
      ([, script = '', word]) =>
        !scripts.includes(script) || (script === 'bench' && word !== undefined && !known.has(word)),
    );
    expect(strange.map(([text]) => text)).toEqual([]);
  });
});

type Tree = Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an example says goes above what the whole config says. */
function over(base: unknown, part: unknown): unknown {
  if (!isTree(base) || !isTree(part)) return part;
  const keys = Object.keys(part).map((key) => [key, over(base[key], part[key])] as const);
  return { ...base, ...Object.fromEntries(keys) };
}

const yamlBlocks = blocks.filter(({ language }) => language === 'yaml');
const whole: unknown = parse(readFileSync('docs/causeway.example.yaml', 'utf8'));

function problemsOfConfig({ page, lines, mark }: Block): readonly string[] {
  const value: unknown = parse(lines.join('\n'));
  const path = mark?.startsWith('at ') === true ? mark.slice(3).split('.') : [];
  const part = path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  // A part may show one family alone.
  const base = path.length === 0 ? whole : over(whole, { policy: { tie_families: true } });
  const read = readConfig(page, stringify(over(base, part)));
  return read.kind === 'ok' ? [] : read.problems.map(({ text }) => text);
}

/** What another program says against its file. */
async function problemsElsewhere({ page, lines, mark }: Block): Promise<readonly string[]> {
  // A digest is too long for a page.
  const text = `${lines.join('\n')}\n`.replaceAll('sha256: …', `sha256: ${'a'.repeat(64)}`);
  switch (mark) {
    case 'of geodns':
    case 'of geodns tokens': {
      const read = mark === 'of geodns' ? loadConfig(page, text) : loadTokens(page, text);
      return 'problems' in read ? read.problems.map(formatProblem) : [];
    }
    case 'of geodns part': {
      const read = loadConfig(page, `${smallestGeoDns}${text}`);
      return 'problems' in read ? read.problems.map(formatProblem) : [];
    }
    case 'of prometheus':
      return problemsBy(['promtool', 'check', 'config', '--syntax-only'], text);
    default:
      return [`nobody knows what this is: ${mark ?? ''}`];
  }
}

/** What a program says against the file whose name stands last on its line. */
async function problemsBy(
  [program = '', ...words]: readonly string[],
  text: string,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-docs-'));
  const file = join(folder, 'example');
  try {
    writeFileSync(file, text);
    const { exitCode, all } = await execa(program, [...words, file], { reject: false, all: true });
    return exitCode === 0 ? [] : [all];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('YAML', () => {
  const ours = yamlBlocks.filter(({ mark }) => mark === null || mark.startsWith('at '));
  test.each(ours)('$page:$line is a config, or a part of one', (one) => {
    expect(problemsOfConfig(one)).toEqual([]);
  });

  const theirs = yamlBlocks.filter(({ mark }) => mark?.startsWith('of ') === true);
  test.each(theirs)('$page:$line is a file $mark', async (one) => {
    expect(await problemsElsewhere(one)).toEqual([]);
  });

  test('a part that is wrong is found', async () => {
    const wrong = { page: 'x', line: 1, heading: '', language: 'yaml' };
    const lines = ['policy: { patients: 5s }'];
    expect(problemsOfConfig({ ...wrong, lines, mark: null })).toHaveLength(1);
    expect(problemsOfConfig({ ...wrong, lines: ['patience: 5s'], mark: 'at policy' })).toEqual([]);
    expect(await problemsElsewhere({ ...wrong, lines, mark: 'of geodns' })).not.toEqual([]);
    expect(await problemsElsewhere({ ...wrong, lines, mark: 'of geodns part' })).not.toEqual([]);
    expect(await problemsElsewhere({ ...wrong, lines, mark: 'of prometheus' })).not.toEqual([]);
  });
});

describe('of bird.conf', () => {
  test.each(blocks.filter(({ language }) => language === 'bird'))(
    '$page:$line is taken',
    async ({ lines }) => {
      expect(await problemsBy(['bird', '-p', '-c'], lines.join('\n'))).toEqual([]);
    },
  );

  test('a part that is wrong is found', async () => {
    expect(await problemsBy(['bird', '-p', '-c'], 'protocol kernel { ipv5; }')).toHaveLength(1);
  });
});

describe('a block', () => {
  /** Those that its own comment and its page's name. */
  const testsOf = ({ page, language, mark }: Block): readonly string[] => [
    ...(mark === null || /^(at|of) /.test(mark) ? [] : [mark]),
    ...(shells.includes(language) ? runnersOf(page) : []),
  ];

  /** What nothing above reads, and no test is named for. */
  function isUnclaimed(one: Block): boolean {
    if (['text', 'yaml', 'bird'].includes(one.language) || testsOf(one).length > 0) return false;
    const known: readonly string[] = [...programs, 'npm'];
    return (
      !shells.includes(one.language) ||
      !shellLines(one)
        .flatMap(programsOf)
        .every((name) => known.includes(name))
    );
  }

  test('is run by some test: say which in a comment above it, or that it is text', () => {
    expect(blocks.filter(isUnclaimed).map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });

  test('that nobody runs is found', () => {
    const one = { page: 'README.md', line: 1, heading: '', mark: null };
    expect(isUnclaimed({ ...one, language: 'indented', lines: ['causeway routing | sh'] })).toBe(true);
    expect(isUnclaimed({ ...one, language: 'indented', lines: ['causeway routing # sh'] })).toBe(false);
    expect(isUnclaimed({ ...one, language: '', lines: ['a ─▶ b'] })).toBe(true);
    expect(isUnclaimed({ ...one, language: 'js', lines: [] })).toBe(true);
    expect(isUnclaimed({ ...one, language: 'js', lines: [], mark: 'test/host/geodns-beacon.test.ts' })).toBe(
      false,
    );
  });

  test('that another test runs names one that there is, and that reads the page', () => {
    const named = blocks.flatMap((one) => testsOf(one).map((file) => ({ file, one })));
    expect(named.length).toBeGreaterThan(50);
    for (const { file, one } of named) {
      expect(existsSync(file), `${one.page}:${one.line}: ${file}`).toBe(true);
      expect(readFileSync(file, 'utf8')).toContain(one.page);
    }
  });
});

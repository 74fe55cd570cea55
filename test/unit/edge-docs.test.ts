/** docs/edge.md says what is so: its site loads, and its metrics are those that the edge has. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEdge } from '../../edge/conf/load.ts';
import { describeProblem } from '../../edge/conf/problem.ts';
import { edgeFile } from '../../edge/conf/schema.ts';
import { blocksOf } from '../support/doc-blocks.ts';

const docs = readFileSync('docs/edge.md', 'utf8');
const site = /```yaml\n([^]*?)```/.exec(docs)?.[1] ?? '';
const sentinel = blocksOf('docs/edge.md').find(({ heading }) => heading === 'Which Redis')?.lines ?? [];

/** What is wrong with an edge.yaml. */
async function problemsOf(text: string): Promise<readonly string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'edge-docs-'));
  try {
    const networks = join(process.cwd(), 'test/fixtures/edge/networks.yaml');
    writeFileSync(join(dir, 'edge.yaml'), text.replace('/etc/causeway/networks.yaml', networks));
    const loaded = await loadEdge(join(dir, 'edge.yaml'));
    return loaded.kind === 'ok' ? [] : loaded.problems.map(describeProblem);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

test('the complete site of the docs has no problem and shows every key of the file', async () => {
  expect(await problemsOf(site)).toEqual([]);
  for (const key of Object.keys(edgeFile.shape)) expect(site).toMatch(new RegExp(`^${key}:`, 'm'));
});

test('its Redis may be what the docs say of Sentinels', async () => {
  const redis = /^redis:.*\n(?: .*\n)*/m;
  expect(sentinel[0]).toBe('redis:');
  const other = site.replace(redis, `${sentinel.join('\n')}\n`);
  expect(await problemsOf(other)).toEqual([]);
  expect(await problemsOf(other.replace('master: main', 'mistress: main'))).not.toEqual([]);
});

test('the example of the package is the site of the docs', () => {
  if (process.env['UPDATE_DOCS'] === '1') {
    const [head = ''] = readFileSync('docs/edge.example.yaml', 'utf8').split('\n');
    writeFileSync('docs/edge.example.yaml', `${head}\n${site}`);
  }
  expect(readFileSync('docs/edge.example.yaml', 'utf8').split('\n').slice(1).join('\n')).toBe(site);
});

test('the docs list the metrics that the edge declares, and no others', () => {
  const declared = [
    ...readFileSync('edge/lua/edge/admin.lua', 'utf8').matchAll(/declare\('(edge_\w+)'/g),
  ].map((match) => match[1]);
  const table = docs.slice(docs.indexOf('## Metrics'), docs.indexOf('## What is not there yet'));
  const listed = [...table.matchAll(/`(edge_\w+)/g)].map((match) => match[1]);
  expect(new Set(listed)).toEqual(new Set(declared));
  const counted = ['access', 'admin', 'geo', 'lease', 'limit', 'origin', 'users'].flatMap((name) =>
    Array.from(
      readFileSync(`edge/lua/edge/${name}.lua`, 'utf8').matchAll(/metrics\.count\('(edge_\w+)'/g),
      (match) => match[1],
    ),
  );
  for (const name of counted) expect(declared).toContain(name);
});

/** Numbers of defects in the titles of a file's tests. */
function numbersIn(path: string): readonly string[] {
  const titles =
    readFileSync(path, 'utf8').match(/(?:test(?:\.each|\.prop)?\(|^\s*|\]\)\()'[^'\n]*'/gm) ?? [];
  return titles.flatMap((title) => title.match(/\b[ABF]\d{1,2}\b/g) ?? []);
}

test('each defect of the original listings has a test on them and a test here, and a row in the docs', () => {
  const files = ['host', 'lab', 'unit', 'property'].flatMap((folder) =>
    readdirSync(`test/${folder}`)
      .filter((name) => name.startsWith('edge-') && name.endsWith('.test.ts'))
      .map((name) => `test/${folder}/${name}`),
  );
  const models = 'test/unit/edge-original-models.test.ts';
  const there = new Set(['test/host/edge-originals.test.ts', models].flatMap(numbersIn));
  const here = new Set(files.filter((file) => !file.includes('originals')).flatMap(numbersIn));
  const count = (letter: string, most: number): readonly string[] =>
    Array.from({ length: most }, (_, index) => `${letter}${index + 1}`);
  const all = [...count('A', 13), ...count('B', 15), 'F1', 'F4', 'F5', 'F6'];
  expect(all.filter((one) => !here.has(one))).toEqual([]);
  expect(all.filter((one) => !there.has(one))).toEqual(['A6', 'B13', 'B15']);
  const rows = docs.slice(docs.indexOf('## What the listings'));
  expect(all.filter((one) => !new RegExp(`\\b${one}\\b`).test(rows))).toEqual([]);
});

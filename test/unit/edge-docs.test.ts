/** docs/edge.md says what is so: its site loads, and its metrics are those that the edge has. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEdge } from '../../edge/conf/load.ts';
import { describeProblem } from '../../edge/conf/problem.ts';
import { edgeFile } from '../../edge/conf/schema.ts';

const docs = readFileSync('docs/edge.md', 'utf8');
const site = /```yaml\n([^]*?)```/.exec(docs)?.[1] ?? '';

test('the complete site of the docs has no problem and shows every key of the file', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-docs-'));
  try {
    writeFileSync(
      join(dir, 'edge.yaml'),
      site.replace('/etc/causeway/networks.yaml', join(process.cwd(), 'test/fixtures/edge/networks.yaml')),
    );
    const loaded = await loadEdge(join(dir, 'edge.yaml'));
    expect(loaded.kind === 'ok' ? [] : loaded.problems.map(describeProblem)).toEqual([]);
    for (const key of Object.keys(edgeFile.shape)) expect(site).toMatch(new RegExp(`^${key}:`, 'm'));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('the docs list the metrics that the edge declares, and no others', () => {
  const declared = [
    ...readFileSync('edge/lua/edge/admin.lua', 'utf8').matchAll(/declare\('(edge_\w+)'/g),
  ].map((match) => match[1]);
  const table = docs.slice(docs.indexOf('## Metrics'), docs.indexOf('## What is not there yet'));
  const listed = [...table.matchAll(/`(edge_\w+)/g)].map((match) => match[1]);
  expect(new Set(listed)).toEqual(new Set(declared));
  const counted = ['access', 'account', 'admin', 'geo', 'lease', 'limit', 'origin'].flatMap((name) =>
    Array.from(
      readFileSync(`edge/lua/edge/${name}.lua`, 'utf8').matchAll(/metrics\.count\('(edge_\w+)'/g),
      (match) => match[1],
    ),
  );
  for (const name of counted) expect(declared).toContain(name);
});

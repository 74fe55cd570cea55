/** The largest texts of the benchmark are accepted by every supported BIRD that is there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeOf } from '../../bench/bird-render.ts';
import { checkSyntax } from '../../bird/owned-file.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { birdVersions } from '../../lab/bird-versions.ts';

const sizes = [
  { sessions: 1000, prefixes: 10 },
  { sessions: 3, prefixes: 10_000 },
];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-scale-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(sizes.flatMap((size) => birdVersions().map((each) => ({ ...size, ...each }))))(
  'BIRD $version accepts $sessions sessions with $prefixes prefixes each',
  async ({ sessions, prefixes, bird }) => {
    const file = join(folder, 'bird.conf');
    writeFileSync(file, renderConfig(nodeOf({ sessions, prefixes }), new Map()));
    expect(await checkSyntax(file, { binary: bird })).toEqual({ kind: 'ok' });
  },
);

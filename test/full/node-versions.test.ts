/** The newer Nodes that can be had (lab/fetch-node): the prober's self-test and sockets, and a carrier lost and back. */
import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

const majors = [22, 24].map((major) => ({ major, node: `${process.cwd()}/.cache/node/${major}/node` }));

describe.each(majors)('Node $major', ({ major, node }) => {
  const isHere = existsSync(node);

  test.skipIf(!isHere)('probes as the lab’s tests say', { timeout: 900_000 }, async () => {
    expect((await execa(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
    const files = ['test/lab/probes.test.ts', 'test/lab/probe-kinds.test.ts'];
    const { exitCode, all } = await execa(
      node,
      ['node_modules/vitest/vitest.mjs', 'run', '--project', 'lab', ...files],
      { reject: false, all: true },
    );
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
  });

  test.skipIf(!isHere)('loses a carrier and takes it back, on real BIRD', { timeout: 300_000 }, async () => {
    const { exitCode, all } = await execa(node, ['dist/lab/main.js', 'scenario', 'black-hole'], {
      reject: false,
      all: true,
    });
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
  });
});

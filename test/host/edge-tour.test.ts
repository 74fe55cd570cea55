/** `npm run edge:lab` prints commands; each of them does what is printed beside it. */
import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLab } from '../../edge/lab/run.ts';
import type { Lab } from '../../edge/lab/run.ts';
import { take, tour } from '../../edge/lab/tour.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(async () => {
  await lab.close();
  expect(existsSync(lab.dir)).toBe(false);
});

test('every command of the edge’s lab comes out as it says', async () => {
  const wrong: unknown[] = [];
  for (const step of tour(lab)) {
    const output = await take(lab, step);
    if (output !== null) wrong.push({ step: step.title, output });
  }
  expect(wrong).toEqual([]);
});

test.each([
  [['bogus'], 2],
  [['check'], 2],
  [['check', '-c', '/nonexistent.yaml'], 1],
  [['render', '-c', '/nonexistent.yaml', '-o', '/nonexistent'], 2],
  [['render', '-c', '/nonexistent.yaml', '-o', '/nonexistent', '--workers', '0'], 2],
  [['--help'], 0],
])('causeway-edge %j ends with %i', async (args, code) => {
  const result = await execa('node', ['bin/causeway-edge', ...args], { reject: false });
  expect(result.exitCode).toBe(code);
});

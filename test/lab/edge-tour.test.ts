/** `npm run edge:lab` prints commands; each of them does what is printed beside it. */
import { existsSync } from 'node:fs';
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

/** A minute of chaos on three nodes, judged; the hour with ten seeds is `npm run chaos`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breachText, summaryOf, summaryText } from '../../lab/chaos/report.ts';
import { judge } from '../../lab/chaos/judge.ts';
import { play } from '../../lab/chaos/play.ts';
import { scheduleOf } from '../../lab/chaos/schedule.ts';
import { startWorld, type World } from '../../lab/chaos/world.ts';

const quiet = (): void => undefined;
const durationMillis = 75_000;
const nodes = 3;

let world: World;
beforeAll(async () => {
  world = await startWorld(nodes, quiet);
}, 300_000);
afterAll(() => world?.remove());

test('random faults break no invariant', async () => {
  const seed = Math.floor(Date.now() / 1000) % 1_000_000;
  const faults = scheduleOf({ ...world, seed, durationMillis });
  const facts = await play(world, { seed, nodes, durationMillis, faults }, { say: quiet });
  const breaches = judge(facts);
  const begin = facts.find(({ kind }) => kind === 'begin')?.at ?? 0;
  process.stdout.write(`${summaryText(summaryOf(facts, breaches), begin)}\n`);
  expect(breaches.map((breach) => breachText(breach, begin))).toEqual([]);
}, 400_000);

/** Each invariant of the chaos runs is seen to break, with a bug that is planted for it from outside the product. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../../lab/chaos/judge.ts';
import { freshen, play } from '../../lab/chaos/play.ts';
import { plants } from '../../lab/chaos/plants.ts';
import { startWorld, type World } from '../../lab/chaos/world.ts';

const quiet = (): void => undefined;
const nodes = 2;

let world: World;
beforeAll(async () => {
  world = await startWorld(nodes, quiet);
}, 300_000);
afterAll(() => world?.remove());

describe('planted', () => {
  test.each(plants.map((plant) => [plant.name, plant.text, plant.breaks, plant] as const))(
    '%s: %s breaks %s',
    async (_name, _text, breaks, { durationMillis, faults, beside, beforeRecords }) => {
      expect(await freshen(world)).toBe(true);
      const script = { seed: 0, nodes, durationMillis, faults };
      const facts = await play(world, script, {
        say: quiet,
        ...(beside === undefined ? {} : { beside }),
        ...(beforeRecords === undefined ? {} : { beforeRecords }),
      });
      expect(judge(facts).map(({ invariant }) => invariant)).toContain(breaks);
    },
    400_000,
  );

  test('nothing: without a bug the same faults break nothing', async () => {
    expect(await freshen(world)).toBe(true);
    const faults = plants.find(({ name }) => name === 'history-lost')?.faults ?? [];
    const facts = await play(world, { seed: 0, nodes, durationMillis: 20_000, faults }, { say: quiet });
    expect(judge(facts)).toEqual([]);
  }, 400_000);
});

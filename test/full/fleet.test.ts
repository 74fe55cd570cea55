/** Every scenario of `npm run lab -- fleet --list`, and what is promised of their figures (issue "The fleet"). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fleetScenarios } from '../../lab/fleet/list.ts';
import { fleetPlayer, type FleetPlayer } from '../../lab/fleet/play.ts';
import { labOfNamespace } from '../../lab/network/names.ts';
import { listNamespaces } from '../../lab/network/removal.ts';
import { reportText, type Report } from '../../lab/scenarios/play.ts';

/** Measured milliseconds, by how the name ends, and the most that they may be. */
const promises: readonly (readonly [string, number])[] = [
  ['answers → every node sees every other', 2000],
  ['answer → every node sees every other', 2000],
  ['repaired → every node sees every other', 5000],
  ['→ all frozen', 1000],
  ['resident kB more', 6144],
];

let player: FleetPlayer;
const labs = new Set<string>();

beforeAll(() => {
  player = fleetPlayer();
});

afterAll(() => {
  player.end();
  expect(listNamespaces().filter((name) => labs.has(labOfNamespace(name) ?? ''))).toEqual([]);
});

describe('five nodes on real BIRD and real Redis', () => {
  test.each(fleetScenarios.map((scenario) => [scenario.name, scenario.summary, scenario] as const))(
    '%s: %s',
    async (_name, _summary, scenario) => {
      const report = await player.play(scenario);
      const id = player.fleet()?.network.id;
      if (id !== undefined) labs.add(id);
      if (!report.passed) throw new Error(reportText(report));
      expect(broken(report)).toEqual([]);
    },
    600_000,
  );
});

function broken(report: Report): readonly string[] {
  return promises.flatMap(([end, most]) =>
    Object.entries(report.measured)
      .filter(([what, value]) => what.endsWith(end) && value > most)
      .map(([what, value]) => `${what}: ${value}, promised ${most}`),
  );
}

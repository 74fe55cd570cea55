import { afterAll, beforeAll, expect, test } from 'vitest';
import { announcingNodes, type Fleet, startFleet } from '../../lab/fleet/fleet.ts';
import { fleetScenarioNamed } from '../../lab/fleet/list.ts';
import { playFleet, readyForFleet } from '../../lab/fleet/play.ts';
import { fleetNodeNames, freshLabId, labOfNamespace } from '../../lab/network/names.ts';
import { listNamespaces } from '../../lab/network/removal.ts';
import { reportText } from '../../lab/scenarios/play.ts';

const id = freshLabId();
let fleet: Fleet | undefined;

beforeAll(async () => {
  fleet = await startFleet(id);
  await readyForFleet(fleet);
}, 240_000);

afterAll(() => {
  fleet?.remove();
  expect(listNamespaces().filter((name) => labOfNamespace(name) === id)).toEqual([]);
});

function lab(): Fleet {
  if (fleet === undefined) throw new Error('no fleet');
  return fleet;
}

test('five nodes announce at three carriers, and see each other through Redis', async () => {
  expect(await announcingNodes(lab())).toEqual(fleetNodeNames);
});

test('a node whose HAProxy dies drains, leaves with consent and returns; no other node moves', async () => {
  const scenario = fleetScenarioNamed('haproxy-dies-on-one');
  if (scenario === null) throw new Error('no such scenario');
  const report = await playFleet(lab(), scenario);
  if (!report.passed) throw new Error(reportText(report));
});

/** Nodes that want to leave: with the fleet's consent while enough others announce, and not without it. */
import { families } from '../../../src/types/units.ts';
import { carrierNames, fleetNodeNames, type FleetNodeName } from '../../network/names.ts';
import { staysTrue, waitUntil } from '../../network/wait.ts';
import { startHaproxy, stopHaproxy } from '../../node/haproxy.ts';
import { drained, gone, heard, isPlain, sessionsLived, Unexpected } from '../../scenarios/expect.ts';
import { statusSays } from '../../scenarios/expect-node.ts';
import type { Stage } from '../../scenarios/stage.ts';
import { carrierDead } from '../faults.ts';
import {
  fleetHealthyAgain,
  fleetQuiet,
  fleetUntouched,
  heardEverywhere,
  neverFewer,
  nodeLeaves,
  nodeReturns,
  onlyAnnounced,
} from '../expect.ts';
import { onNode } from '../fleet.ts';
import { fleetPace, keepNodes, togetherMillis } from '../options.ts';
import type { FleetScenario, FleetStage } from '../stage.ts';

const because = ['--reason', 'lab', '--author', 'lab'];

export const leavingScenarios: readonly FleetScenario[] = [
  {
    name: 'haproxy-dies-on-one',
    summary: 'HAProxy dies on one node: it drains, leaves with consent, and returns; no other node moves',
    async run(stage) {
      const node = stage.node('hk2');
      await stage.act('HAProxy of hk2 dies', () => stopHaproxy(node.lab.network));
      await nodeLeaves(node);
      heardEverywhere(node, ['drain', 'withdraw']);
      await stage.act('HAProxy of hk2 starts', () => startHaproxy(node.lab.network));
      await nodeReturns(node);
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes('hk2'));
    },
  },
  {
    name: 'haproxy-dies-in-turn',
    summary:
      'HAProxy dies on one node after the other: they leave until keep_nodes are left, which only drain',
    async run(stage) {
      const [stay, go] = [fleetNodeNames.slice(-keepNodes), fleetNodeNames.slice(0, -keepNodes)];
      await neverFewer(stage, keepNodes, async () => {
        for (const name of go) await loseHaproxy(stage, name, (node) => nodeLeaves(node));
        for (const name of stay) await loseHaproxy(stage, name, drainedEverywhere);
        await fleetQuiet(stage.nodes(), 2 * fleetPace.tokenWindow);
      });
      await onlyAnnounced(stage, stay);
      for (const name of stay) heardEverywhere(stage.node(name), ['drain']);
      await heldForConsent(stage.node('sg1'));
      await haproxyReturns(stage);
    },
  },
  {
    name: 'haproxy-dies-everywhere',
    summary: 'HAProxy dies on all nodes at once: all drain, and at least keep_nodes stay',
    async run(stage) {
      await neverFewer(stage, keepNodes, async () => {
        await stage.act('HAProxy dies everywhere', () =>
          Promise.all(stage.nodes().map(({ lab }) => stopHaproxy(lab.network))),
        );
        for (const name of fleetNodeNames) await heardDrain(stage.node(name));
        await staysTrue(3 * fleetPace.tokenWindow, () => undefined, 500);
      });
      await haproxyReturns(stage);
    },
  },
  {
    name: 'node-loses-all-carriers',
    summary:
      'all carriers of one node die: it leaves with consent; when the others are taken away, it returns as last-resort',
    async run(stage) {
      const node = stage.node('tk1');
      await failInTurn(stage, node);
      for (const carrier of carrierNames) heard(node, carrier, ['withdraw']);
      await fleetUntouched(stage.nodes('tk1'));
      const others = fleetNodeNames.filter((name) => name !== 'tk1');
      await stage.act('an operator takes the other nodes away', () =>
        Promise.all(
          others.map((name) =>
            onNode(stage.fleet, name, [
              'force',
              'withdraw',
              '--node',
              '--last',
              '--until',
              'never',
              ...because,
            ]),
          ),
        ),
      );
      for (const name of others) await nodeLeaves(stage.node(name));
      await returnsAsLastResort(stage, node);
      await stage.act('the operator lets them go', () =>
        Promise.all(
          others.map((name) => onNode(stage.fleet, name, ['release', '--node', '--author', 'lab'])),
        ),
      );
      for (const name of others) await nodeReturns(stage.node(name));
      for (const carrier of carrierNames) await stage.mend(carrierDead(carrier, ['tk1']));
      await nodeReturns(node);
      await fleetHealthyAgain(stage);
    },
  },
  {
    name: 'node-cut-off-at-once',
    summary:
      'all carriers of one node die at the same moment: other nodes see the same targets well, so it leaves',
    async run(stage) {
      const node = stage.node('hk3');
      for (const carrier of carrierNames) await stage.hit(carrierDead(carrier, ['hk3']));
      await nodeLeaves(node);
      await fleetUntouched(stage.nodes('hk3'));
      for (const carrier of carrierNames) await stage.mend(carrierDead(carrier, ['hk3']));
      await nodeReturns(node);
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes('hk3'));
    },
  },
];

async function loseHaproxy(
  stage: FleetStage,
  name: FleetNodeName,
  then: (node: Stage) => Promise<void>,
): Promise<void> {
  const node = stage.node(name);
  await stage.act(`HAProxy of ${name} dies`, () => stopHaproxy(node.lab.network));
  await then(node);
}

async function haproxyReturns(stage: FleetStage): Promise<void> {
  await stage.act('HAProxy starts everywhere', () =>
    Promise.all(stage.nodes().map(({ lab }) => startHaproxy(lab.network))),
  );
  for (const node of stage.nodes()) await nodeReturns(node);
  await fleetHealthyAgain(stage);
  for (const node of stage.nodes()) await sessionsLived(node);
}

async function drainedEverywhere(node: Stage): Promise<void> {
  for (const carrier of carrierNames) await drained(node, carrier);
}

/** It may have left since; what counts is that it was drained first. */
async function heardDrain(node: Stage): Promise<void> {
  await waitUntil(
    'a drain at every carrier',
    () =>
      carrierNames.every((carrier) =>
        families.every((family) =>
          node.timeline
            .wire()
            .some(
              (event) =>
                event.kind === 'announced' &&
                event.carrier === carrier &&
                event.family === family &&
                event.communities.includes('65535:0'),
            ),
        ),
      ),
    { timeoutMillis: 40_000 },
  );
}

async function heldForConsent(node: Stage): Promise<void> {
  await statusSays(node, 'held: no-consent', ({ uplinks }) =>
    uplinks.every(({ families: f }) =>
      [f['4'], f['6']].every((family) =>
        family?.announcements.every(({ held }) => held?.guard === 'no-consent'),
      ),
    ),
  );
}

/** Each further from the last than `guards.together`, so that they are judged one by one. */
async function failInTurn(stage: FleetStage, node: Stage): Promise<void> {
  for (const [index, carrier] of carrierNames.entries()) {
    if (index > 0) await staysTrue(togetherMillis + 1000, () => undefined, 250);
    await stage.hit(carrierDead(carrier, ['tk1']));
    await gone(node, carrier, { timeoutMillis: 60_000 });
  }
  await sessionsLived(node);
}

/** In each family one carrier holds the route again, undrained, though every uplink is still dead. */
async function returnsAsLastResort({ fleet }: FleetStage, node: Stage): Promise<void> {
  await waitUntil(
    'tk1 to return in each family',
    async () => {
      const views = await node.lab.observer.views();
      return families.every((family) =>
        carrierNames.some((carrier) => isPlain(views[carrier].routes[family])),
      );
    },
    { timeoutMillis: 30_000, everyMillis: 50 },
  );
  const status = await statusSays(node, 'last-resort', ({ uplinks }) =>
    uplinks.some(({ families: f }) =>
      f['4']?.announcements.some(({ held }) => held?.guard === 'last-resort'),
    ),
  );
  if (fleet.nodes.length < 2 || status.uplinks.some(({ families: f }) => f['4']?.health === 'healthy'))
    throw new Unexpected('an uplink of tk1 is healthy: this was no last resort');
}

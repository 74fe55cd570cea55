/** Redis fails in each way that it can: no announcement changes, and afterwards every node sees the fleet as it is. */
import { carrierNames } from '../../network/names.ts';
import { waitUntil } from '../../network/wait.ts';
import { startHaproxy, stopHaproxy } from '../../node/haproxy.ts';
import { startDaemon, stopDaemon } from '../../node/program.ts';
import { drained, gone, heard } from '../../scenarios/expect.ts';
import { startDatabases, stopDatabases } from '../databases.ts';
import {
  alarmOn,
  fleetHealthyAgain,
  fleetQuiet,
  fleetUntouched,
  heardEverywhere,
  nodeLeaves,
  nodeReturns,
} from '../expect.ts';
import { carrierDead, redisFaults, type RedisFault } from '../faults.ts';
import { inPairs } from '../in-process.ts';
import { memoryOf, riseOf, smallHeap } from '../memory.ts';
import { fleetPace } from '../options.ts';
import { everybodySeesEverybody, fleetSilent, everyNodeWaits, seenWithin } from '../view.ts';
import type { FleetScenario, FleetStage } from '../stage.ts';

/** Longer than a presence and a consent live together. */
const awayMillis = fleetPace.expire + fleetPace.tokenLife + 2000;

export const redisScenarios: readonly FleetScenario[] = [
  ...redisFaults.map(
    (fault): FleetScenario => ({
      name: `redis-${fault.name}`,
      summary: `${fault.title}: no announcement changes`,
      ...(fault.spoils ? { spoilsRedis: true } : {}),
      run: (stage) => strike(stage, fault),
    }),
  ),
  {
    name: 'redis-away-local-goes-on',
    summary:
      'Redis away: a dead carrier is withdrawn all the same, a service that is not ready only drains; it leaves when Redis is back',
    async run(stage) {
      await stage.act('Redis is killed', () => stopDatabases(stage.fleet.network));
      await alarmOn(stage.nodes(), fleetSilent);
      const dead = carrierDead('cmi', ['hk1']);
      await stage.hit(dead);
      await gone(stage.node('hk1'), 'cmi');
      heard(stage.node('hk1'), 'cmi', ['withdraw']);
      const node = stage.node('sg1');
      await stage.act('HAProxy of sg1 dies', () => stopHaproxy(node.lab.network));
      for (const carrier of carrierNames) await drained(node, carrier);
      await fleetQuiet(stage.nodes(), awayMillis);
      heardEverywhere(node, ['drain']);
      await stage.act('Redis starts, empty', () => startDatabases(stage.fleet.network));
      await nodeLeaves(node);
      heardEverywhere(node, ['drain', 'withdraw']);
      await stage.act('HAProxy of sg1 starts', () => startHaproxy(node.lab.network));
      await stage.mend(dead);
      await nodeReturns(node);
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes('hk1', 'sg1'));
    },
  },
  {
    name: 'redis-away-memory',
    summary: 'Redis away for two minutes, an hour cut short: no announcement changes, and memory stays flat',
    async run(stage) {
      await stage.act('Redis is killed', () => stopDatabases(stage.fleet.network));
      await stage.act('all daemons start anew, with a small heap', () =>
        inPairs(stage.nodes(), async ({ lab }) => {
          await stopDaemon(lab.network, 'SIGKILL');
          await startDaemon(lab.network, { env: smallHeap });
        }),
      );
      await alarmOn(stage.nodes(), fleetSilent);
      const series = await Promise.all(
        stage.nodes().map((node) => memoryOf(node.lab.network, { warmUpMillis: 30_000, forMillis: 90_000 })),
      );
      for (const [index, samples] of series.entries())
        stage.measured.set(`node ${index + 1}: resident kB more`, riseOf(samples));
      await stage.act('Redis starts, empty', () => startDatabases(stage.fleet.network));
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes());
    },
  },
];

async function strike(stage: FleetStage, fault: RedisFault): Promise<void> {
  const { fleet } = stage;
  const silenced = fault.silences.map((name) => stage.node(name));
  // Who was silenced meets the other master when Redis is repaired; the others meet it at once.
  const waits = async (when: 'struck' | 'repaired') => {
    const isNow = (silenced.length === 0) === (when === 'struck');
    if (fault.changesMaster && isNow) await everyNodeWaits(fleet);
  };
  const struck = async () => {
    await stage.act(fault.title, () => fault.strike(fleet));
    await alarmOn(silenced, fleetSilent);
    await waitUntil(fault.title, () => fault.struck?.(fleet) ?? true, {
      timeoutMillis: 40_000,
      everyMillis: 200,
    });
  };
  const repaired = async () => {
    await stage.act('repaired', () => fault.repair(fleet));
    await seenWithin(stage, `${fault.name} repaired → every node sees every other`, () =>
      everybodySeesEverybody(fleet),
    );
  };
  await Promise.all([waits('struck'), struck()]);
  await fleetQuiet(stage.nodes(), awayMillis);
  await Promise.all([waits('repaired'), repaired()]);
  await fleetQuiet(stage.nodes(), 1000);
  await fleetHealthyAgain(stage);
  await fleetUntouched(stage.nodes());
}

/** Nodes see each other, and a freeze of the fleet reaches them all. */
import { fleetNodeNames } from '../../network/names.ts';
import { startDaemon, stopDaemon } from '../../node/program.ts';
import { stopDatabases, startDatabases } from '../databases.ts';
import { alarmOn, fleetHealthyAgain, fleetUntouched } from '../expect.ts';
import { onNode } from '../fleet.ts';
import { inPairs } from '../in-process.ts';
import { everybodySeesEverybody, fleetSilent, frozenNodes, seenWithin, whoIsUnknown } from '../view.ts';
import type { FleetScenario, FleetStage } from '../stage.ts';

const because = ['--reason', 'incident 7', '--author', 'lab'];

export const presenceScenarios: readonly FleetScenario[] = [
  {
    name: 'all-see-all',
    summary:
      'every node sees every other, within 2 s of the start of the last one; one that is halted is unknown',
    async run(stage) {
      const { fleet } = stage;
      const network = (name: (typeof fleetNodeNames)[number]) => fleet.node(name).lab.network;
      await seenWithin(stage, 'all run → every node sees every other', () => everybodySeesEverybody(fleet));
      await stage.act('kill -9 of all daemons', () =>
        Promise.all(fleetNodeNames.map((name) => stopDaemon(network(name), 'SIGKILL'))),
      );
      await stage.act('all daemons start', () =>
        inPairs(fleetNodeNames, (name) => startDaemon(network(name))),
      );
      await seenWithin(stage, 'all daemons answer → every node sees every other', () =>
        everybodySeesEverybody(fleet),
      );
      await stage.act('kill -9 of hk2’s daemon', () => stopDaemon(network('hk2'), 'SIGKILL'));
      await seenWithin(stage, 'kill -9 of hk2’s daemon → unknown to the others', async () =>
        (await whoIsUnknown(fleet, 'hk1')).includes('hk2'),
      );
      await stage.act('hk2’s daemon starts', () => startDaemon(network('hk2')));
      await seenWithin(stage, 'hk2’s daemon answers → every node sees every other', () =>
        everybodySeesEverybody(fleet),
      );
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes());
    },
  },
  {
    name: 'fleet-freeze',
    summary:
      '`causeway freeze --fleet` is seen by every node within 1 s, and works on the local node without Redis',
    async run(stage) {
      await stage.act('freeze --fleet on tk1', () =>
        onNode(stage.fleet, 'tk1', ['freeze', '--fleet', ...because]),
      );
      await everybodyIs(stage, 'frozen');
      await stage.act('thaw --fleet on sg1', () =>
        onNode(stage.fleet, 'sg1', ['thaw', '--fleet', '--yes', '--author', 'lab']),
      );
      await everybodyIs(stage, 'thawed');
      await stage.act('Redis is killed', () => stopDatabases(stage.fleet.network));
      await alarmOn(stage.nodes(), fleetSilent);
      await stage.act('freeze --fleet on hk1, without Redis', () =>
        onNode(stage.fleet, 'hk1', ['freeze', '--fleet', ...because]),
      );
      await seenWithin(stage, 'freeze --fleet without Redis → frozen here', async () =>
        (await frozenNodes(stage.fleet)).includes('hk1'),
      );
      await stage.act('Redis starts, empty', () => startDatabases(stage.fleet.network));
      await everybodyIs(stage, 'frozen');
      await stage.act('thaw --fleet on hk1', () =>
        onNode(stage.fleet, 'hk1', ['thaw', '--fleet', '--yes', '--author', 'lab']),
      );
      await everybodyIs(stage, 'thawed');
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes());
    },
  },
];

async function everybodyIs(stage: FleetStage, word: 'frozen' | 'thawed'): Promise<void> {
  const count = word === 'frozen' ? fleetNodeNames.length : 0;
  await seenWithin(stage, `${stage.lastChange().text} → all ${word}`, async () => {
    return (await frozenNodes(stage.fleet)).length === count;
  });
}

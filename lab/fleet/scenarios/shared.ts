/** What many nodes share fails: targets, all targets, a carrier. */
import { fleetNodeNames } from '../../network/names.ts';
import { announced, gone, heard, sessionsLived } from '../../scenarios/expect.ts';
import { statusSays } from '../../scenarios/expect-node.ts';
import { carrierDead, sharedTargetsDead } from '../faults.ts';
import { alarmOn, fleetHealthyAgain, fleetQuiet, fleetUntouched } from '../expect.ts';
import { fleetTargets } from '../layout.ts';
import type { FleetScenario, FleetStage } from '../stage.ts';

export const sharedScenarios: readonly FleetScenario[] = [
  {
    name: 'shared-target-dies',
    summary: 'a target that all nodes ask through all carriers dies: no withdrawal anywhere',
    async run(stage) {
      const fault = sharedTargetsDead(1);
      await stage.hit(fault);
      await targetFailsEverywhere(stage, fleetTargets[0]?.name ?? '');
      await fleetQuiet(stage.nodes(), 6000);
      await stage.mend(fault);
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes());
    },
  },
  {
    name: 'all-targets-die',
    summary:
      'all targets die at once, for all nodes and carriers: every node holds everything, with an alarm',
    async run(stage) {
      const fault = sharedTargetsDead(fleetTargets.length);
      await stage.hit(fault);
      await alarmOn(stage.nodes(), 'all-bad');
      await fleetQuiet(stage.nodes(), 8000);
      await stage.mend(fault);
      await fleetHealthyAgain(stage);
      await fleetUntouched(stage.nodes());
    },
  },
  {
    name: 'carrier-dies',
    summary: 'a carrier dies for all nodes: withdrawn there on all, while the other carriers carry on',
    async run(stage) {
      const fault = carrierDead('pccw');
      await stage.hit(fault);
      for (const node of stage.nodes()) await gone(node, 'pccw');
      await fleetUntouched(stage.nodes(), ['cmi', 'hkbn']);
      await stage.mend(fault);
      for (const node of stage.nodes()) await announced(node, 'pccw');
      await fleetHealthyAgain(stage);
      for (const node of stage.nodes()) {
        heard(node, 'pccw', ['withdraw', 'announce']);
        await sessionsLived(node);
      }
      await fleetUntouched(stage.nodes(), ['cmi', 'hkbn']);
    },
  },
];

/** On every uplink of every node. */
async function targetFailsEverywhere(stage: FleetStage, name: string): Promise<void> {
  await Promise.all(
    fleetNodeNames.map((node) =>
      statusSays(
        stage.node(node),
        `${name} failed`,
        ({ uplinks }) =>
          uplinks.every(({ families: f }) =>
            [f['4'], f['6']].every((family) =>
              family?.targets.some((target) => target.name === name && target.health === 'failed'),
            ),
          ),
        40_000,
      ),
    ),
  );
}

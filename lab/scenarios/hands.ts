/** An operator's hand in BIRD: adopted, not undone, and ended by `birdc enable`. */
import { delay } from '../faults/delay.ts';
import { askNodeBird } from '../node/bird.ts';
import { startDaemon, stopDaemon } from '../node/program.ts';
import {
  announced,
  drained,
  gone,
  heard,
  neverHeard,
  quiet,
  sessionDown,
  sessionUp,
  untouched,
} from './expect.ts';
import { healthyAgain, protocolShows, statusSays } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

const only4 = { families: [4] } as const;

export const handScenarios: readonly Scenario[] = [
  {
    name: 'hand-on-both',
    summary: '`birdc disable "*_cmi_web4"`: adopted, kept over `birdc configure`, ended by enable',
    async run(stage) {
      await hand(stage, 'disable "*_cmi_web4" "ticket 42: fibre works"');
      await gone(stage, 'cmi', only4);
      await adopted(stage, 'announcement', /ticket 42: fibre works/);
      await quiet(stage, 1500);
      await hand(stage, 'configure');
      await quiet(stage, 1500);
      await protocolShows(stage, 'announce_cmi_web4', 'down', /ticket 42: fibre works/);
      await hand(stage, 'enable "*_cmi_web4"');
      await announced(stage, 'cmi', only4);
      await released(stage);
      await protocolShows(stage, 'drain_cmi_web4', 'down');
      await untouched(stage, 'pccw', 'hkbn');
      heard(stage, 'cmi', [], [6]);
    },
  },
  {
    name: 'hand-on-announce',
    summary: '`birdc disable announce_cmi_web4` alone: withdrawn, kept, ended by enable',
    async run(stage) {
      await hand(stage, 'disable announce_cmi_web4');
      await gone(stage, 'cmi', only4);
      await adopted(stage, 'announcement');
      await quiet(stage, 1500);
      await hand(stage, 'configure');
      await quiet(stage, 1500);
      await hand(stage, 'enable announce_cmi_web4');
      await announced(stage, 'cmi', only4);
      await released(stage);
      heard(stage, 'cmi', ['withdraw', 'announce'], [4]);
      heard(stage, 'cmi', [], [6]);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'hand-on-session',
    summary: '`birdc disable bgp_cmi4`: the session stays down over `birdc configure`, ended by enable',
    async run(stage) {
      await hand(stage, 'disable bgp_cmi4 "maintenance"');
      await sessionDown(stage, 'cmi', only4);
      await adopted(stage, 'session', /maintenance/);
      await hand(stage, 'configure');
      await quiet(stage, 3000);
      await hand(stage, 'enable bgp_cmi4');
      await sessionUp(stage, 'cmi', only4);
      await announced(stage, 'cmi', only4);
      await released(stage);
      heard(stage, 'cmi', [], [6]);
      await healthyAgain(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'hands-while-drained',
    summary: 'each of these while CMI is drained: withdrawn, kept, and drained again after enable',
    node: { patience: '2s' },
    async run(stage) {
      const slow = delay({ carrier: 'cmi' }, 200, 5);
      await stage.hit(slow);
      await drained(stage, 'cmi');
      for (const protocol of ['"*_cmi_web4"', 'announce_cmi_web4', 'drain_cmi_web4']) {
        await hand(stage, `disable ${protocol} "ticket 43"`);
        await gone(stage, 'cmi', only4);
        await adopted(stage, 'announcement', /ticket 43/);
        await quiet(stage, 700);
        await hand(stage, `enable ${protocol}`);
        await drained(stage, 'cmi', only4);
        await released(stage);
        await quiet(stage, 700);
      }
      await hand(stage, 'disable bgp_cmi4 "ticket 44"');
      await sessionDown(stage, 'cmi', only4);
      await adopted(stage, 'session', /ticket 44/);
      await hand(stage, 'enable bgp_cmi4');
      await sessionUp(stage, 'cmi', only4);
      await drained(stage, 'cmi', only4);
      neverHeard(stage, 'cmi', ['announce'], [4]);
      await released(stage);
      heard(stage, 'cmi', ['drain'], [6]);
      await stage.mend(slow);
      await announced(stage, 'cmi');
      await healthyAgain(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'four-combinations',
    summary:
      'announce_ and drain_ in all four combinations, by hand: the carrier gets what each means, nothing between',
    async run(stage) {
      await stage.act('the daemon is stopped', () => stopDaemon(stage.lab.network, 'SIGTERM'));
      await quiet(stage, 500);
      await hand(stage, 'enable drain_cmi_web4');
      await drained(stage, 'cmi', only4);
      await hand(stage, 'disable announce_cmi_web4');
      await quiet(stage, 500);
      await drained(stage, 'cmi', only4);
      await hand(stage, 'disable drain_cmi_web4');
      await gone(stage, 'cmi', only4);
      await hand(stage, 'enable drain_cmi_web4');
      await drained(stage, 'cmi', only4);
      await hand(stage, 'enable announce_cmi_web4');
      await quiet(stage, 500);
      await drained(stage, 'cmi', only4);
      await hand(stage, 'disable drain_cmi_web4');
      await announced(stage, 'cmi', only4);
      heard(stage, 'cmi', ['drain', 'withdraw', 'drain', 'announce'], [4]);
      heard(stage, 'cmi', [], [6]);
      await untouched(stage, 'pccw', 'hkbn');
      await stage.act('the daemon is started', () => startDaemon(stage.lab.network));
      await healthyAgain(stage);
      heard(stage, 'cmi', ['drain', 'withdraw', 'drain', 'announce'], [4]);
    },
  },
];

function hand(stage: Stage, command: string): Promise<void> {
  return stage.act(`birdc ${command}`, () => askNodeBird(stage.lab.network, command));
}

/** The status names the override and its author; that it is kept is asserted at the carrier. */
async function adopted(stage: Stage, kind: string, reason = /./): Promise<void> {
  await statusSays(
    stage,
    `an override of birdc on the ${kind}`,
    ({ overrides }) =>
      overrides.some(
        (one) =>
          one.author === 'birdc' &&
          one.subject.kind === kind &&
          one.subject.uplink === 'cmi' &&
          one.subject.family === 4 &&
          reason.test(one.reason),
      ),
    3000,
  );
}

async function released(stage: Stage): Promise<void> {
  await statusSays(stage, 'no override', ({ overrides }) => overrides.length === 0, 3000);
}

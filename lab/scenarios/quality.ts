/** Loss, delay, half-dead paths, and faults that are not the carrier's. */
import { delay } from '../faults/delay.ts';
import {
  blackHole,
  burstLoss,
  loss,
  pathDead,
  targetDead,
  targetRateLimited,
} from '../faults/packet-filter.ts';
import type { Fault } from '../faults/fault.ts';
import { targets } from '../network/addresses.ts';
import { announced, drained, gone, heard, quiet, sessionsLived, untouched } from './expect.ts';
import { faultIsPlaced, healthyAgain, protocolShows } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

const firstTarget = targets[0]?.address ?? {};

export const qualityScenarios: readonly Scenario[] = [
  {
    name: 'loss-20',
    summary: '20 % loss behind PCCW: withdrawn there, and back after the hold, once',
    async run(stage) {
      const fault = loss({ carrier: 'pccw', direction: 'out' }, 20);
      await stage.hit(fault);
      await gone(stage, 'pccw');
      await protocolShows(stage, 'announce_pccw_web4', 'down', /^causeway: .*loss/);
      await sessionsLived(stage);
      await stage.mend(fault);
      await announced(stage, 'pccw');
      await quiet(stage, 2000);
      heard(stage, 'pccw', ['withdraw', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'cmi', 'hkbn');
    },
  },
  {
    name: 'delay-400',
    summary: '+400 ms behind CMI: drained (MED, prepends, 65535:0), and back after the hold, once',
    async run(stage) {
      const fault = delay({ carrier: 'cmi' }, 200, 5);
      await stage.hit(fault);
      await drained(stage, 'cmi');
      await protocolShows(stage, 'drain_cmi_web4', 'up', /^causeway: /);
      await sessionsLived(stage);
      await stage.mend(fault);
      await announced(stage, 'cmi');
      await quiet(stage, 2000);
      heard(stage, 'cmi', ['drain', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'drain-and-withdraw',
    summary:
      'slow, then dead, then slow, then well: each of the four steps is one UPDATE and nothing better between',
    node: { patience: '2s' },
    async run(stage) {
      const slow = delay({ carrier: 'cmi' }, 200, 5);
      const dead = blackHole({ carrier: 'cmi' });
      await stage.hit(slow);
      await drained(stage, 'cmi');
      await stage.hit(dead);
      await gone(stage, 'cmi');
      await stage.mend(dead);
      await drained(stage, 'cmi');
      await stage.mend(slow);
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['drain', 'withdraw', 'drain', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'one-path-dead',
    summary: 'one of CMI’s two equal paths swallows everything: some targets perfect, some dead; withdrawn',
    async run(stage) {
      const fault = pathDead({ carrier: 'cmi' }, 1);
      await stage.hit(fault);
      await gone(stage, 'cmi');
      await faultIsPlaced(stage, 'cmi', /one of several equal paths seems dead/);
      await stage.mend(fault);
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  nothingHappens('target-dead', 'one target answers nobody any more', targetDead(firstTarget)),
  nothingHappens(
    'target-limited',
    'one target answers 3 pings a second in all',
    targetRateLimited(firstTarget, 3),
  ),
  nothingHappens(
    'normal-bursts',
    'bursts of 5 lost in 2,500 packets behind CMI are normal',
    burstLoss({ carrier: 'cmi' }, 5, 2500),
  ),
];

/** A fault that is no reason to touch BGP. */
function nothingHappens(name: string, what: string, fault: Fault): Scenario {
  return {
    name,
    summary: `${what}: nothing changes`,
    async run(stage: Stage) {
      await stage.hit(fault);
      await quiet(stage, 12_000);
      await stage.mend(fault);
      await untouched(stage, 'cmi', 'pccw', 'hkbn');
      await healthyAgain(stage);
      await untouched(stage, 'cmi', 'pccw', 'hkbn');
    },
  };
}

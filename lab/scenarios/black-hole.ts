/** Black holes behind a carrier: its router answers, the session lives, and nothing gets through. */
import { blackHole } from '../faults/packet-filter.ts';
import { carrierPlan } from '../network/addresses.ts';
import type { CarrierName } from '../network/names.ts';
import { families } from '../../src/types/units.ts';
import { announced, gone, heard, quiet, sessionsLived, Unexpected, untouched } from './expect.ts';
import { healthyAgain, historyTells, protocolShows } from './expect-node.ts';
import { recordAndReplay } from './expect-replay.ts';
import type { Scenario, Stage } from './stage.ts';

export const blackHoleScenarios: readonly Scenario[] = [
  {
    name: 'black-hole',
    summary: 'everything behind CMI dead: only CMI loses the routes, v4 and v6; back by itself, once',
    async run(stage) {
      const fault = blackHole({ carrier: 'cmi' });
      const replayed = recordAndReplay(stage, 15);
      await stage.hit(fault);
      await gone(stage, 'cmi');
      for (const family of families) {
        await protocolShows(stage, `announce_cmi_web${family}`, 'down', /^causeway: .*loss/);
        await historyTells(stage, 'cmi', family);
      }
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
      await stage.mend(fault);
      await announced(stage, 'cmi');
      await quiet(stage, 2000);
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
      await replayed();
    },
  },
  {
    name: 'black-hole-defaults',
    summary: 'the same with the recovery that the program has by itself: a minute clean, a minute held',
    node: { recovery: 'defaults' },
    async run(stage) {
      const fault = blackHole({ carrier: 'cmi' });
      await stage.hit(fault);
      await gone(stage, 'cmi');
      await stage.mend(fault);
      await quiet(stage, 100_000);
      await announced(stage, 'cmi', { timeoutMillis: 60_000 });
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'gateway-alive',
    summary: 'HKBN swallows the way back while its gateway answers every ping: withdrawn',
    async run(stage) {
      const fault = blackHole({ carrier: 'hkbn', direction: 'back' });
      await stage.hit(fault);
      await gatewayAnswers(stage, 'hkbn');
      await gone(stage, 'hkbn');
      await gatewayAnswers(stage, 'hkbn');
      await sessionsLived(stage);
      await stage.mend(fault);
      await announced(stage, 'hkbn');
      heard(stage, 'hkbn', ['withdraw', 'announce']);
      await untouched(stage, 'cmi', 'pccw');
    },
  },
  {
    name: 'one-family',
    summary: 'only IPv6 is dead behind PCCW: IPv4 stays announced there',
    async run(stage) {
      const fault = blackHole({ carrier: 'pccw', families: [6] });
      await stage.hit(fault);
      await gone(stage, 'pccw', { families: [6] });
      heard(stage, 'pccw', [], [4]);
      await stage.mend(fault);
      await announced(stage, 'pccw', { families: [6] });
      heard(stage, 'pccw', [], [4]);
      heard(stage, 'pccw', ['withdraw', 'announce'], [6]);
      await sessionsLived(stage);
      await untouched(stage, 'cmi', 'hkbn');
    },
  },
  {
    name: 'one-region',
    summary: 'one of five regions dead behind CMI: told in the status, BGP is not touched',
    async run(stage) {
      const fault = blackHole({ carrier: 'cmi', region: 'ID' });
      await stage.hit(fault);
      await quiet(stage, 11_000);
      await untouched(stage, 'cmi', 'pccw', 'hkbn');
      const failed = stage.timeline
        .entries()
        .filter((one) => /^cmi IPv[46] region ID: .*→ failed/.test(one.text));
      if (failed.length !== 2)
        throw new Unexpected(`region ID failed in ${failed.length} families, expected 2`);
      await stage.mend(fault);
      await healthyAgain(stage);
      await untouched(stage, 'cmi', 'pccw', 'hkbn');
    },
  },
];

async function gatewayAnswers(stage: Stage, carrier: CarrierName): Promise<void> {
  for (const family of families) {
    const { router, node } = carrierPlan(carrier);
    const argv = [
      'ping',
      `-${family}`,
      '-c',
      '2',
      '-i',
      '0.2',
      '-W',
      '1',
      '-I',
      node[family],
      router[family],
    ];
    await stage.lab.network.run('node', argv);
  }
}

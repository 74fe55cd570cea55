/** Egress follows the wish: where the node's kernel sends an answer from the anycast address. */
import { blackHole } from '../faults/packet-filter.ts';
import { delay } from '../faults/delay.ts';
import { service, targets } from '../network/addresses.ts';
import type { CarrierName } from '../network/names.ts';
import { waitUntil } from '../network/wait.ts';
import { askNodeBird } from '../node/bird.ts';
import { families, type Family } from '../../src/types/units.ts';
import { announced, drained, gone, heard, quiet, sessionsLived, untouched } from './expect.ts';
import { protocolShows } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

export const egressScenarios: readonly Scenario[] = [
  {
    name: 'egress-follows',
    summary:
      'CMI slow, then dead: answers leave by PCCW, and by CMI again when it is back; a hand on learn_ is kept',
    async run(stage) {
      await withAnycastAddresses(stage, () => followed(stage));
    },
  },
];

async function followed(stage: Stage): Promise<void> {
  await answersLeaveBy(stage, 'cmi');
  const slow = delay({ carrier: 'cmi', direction: 'out' }, 400);
  await stage.hit(slow);
  await drained(stage, 'cmi');
  await answersLeaveBy(stage, 'pccw');
  await stage.mend(slow);
  await announced(stage, 'cmi');
  await answersLeaveBy(stage, 'cmi');
  const dead = blackHole({ carrier: 'cmi' });
  await stage.hit(dead);
  await gone(stage, 'cmi');
  await answersLeaveBy(stage, 'pccw');
  await protocolShows(stage, 'learn_cmi4', 'down', /^causeway: all is withdrawn here: loss/);
  await stage.mend(dead);
  await announced(stage, 'cmi');
  await answersLeaveBy(stage, 'cmi');
  await stage.act('birdc disable learn_cmi4 "ticket 42"', () =>
    askNodeBird(stage.lab.network, 'disable learn_cmi4 "ticket 42"'),
  );
  await answersLeaveBy(stage, 'pccw', [4]);
  await quiet(stage, 1500);
  await stage.act('birdc configure', () => askNodeBird(stage.lab.network, 'configure'));
  await quiet(stage, 1500);
  await answersLeaveBy(stage, 'pccw', [4]);
  await stage.act('birdc enable learn_cmi4', () => askNodeBird(stage.lab.network, 'enable learn_cmi4'));
  await answersLeaveBy(stage, 'cmi');
  heard(stage, 'cmi', ['drain', 'announce', 'withdraw', 'announce']);
  await sessionsLived(stage);
  await untouched(stage, 'pccw', 'hkbn');
}

async function answersLeaveBy(
  stage: Stage,
  carrier: CarrierName,
  chosen: readonly Family[] = families,
): Promise<void> {
  for (const family of chosen) {
    await waitUntil(`IPv${family} answers to leave by ${carrier}`, async () => {
      const argv = [
        'ip',
        `-${family}`,
        'route',
        'get',
        targets[0]?.address[family] ?? '',
        'from',
        anycast[family],
      ];
      return (await stage.lab.network.run('node', argv)).includes(` dev ${carrier} `);
    });
  }
}

const anycast: Readonly<Record<Family, string>> = {
  4: service.prefix[4].replace('.0/24', '.1'),
  6: service.prefix[6].replace('/48', '1'),
};

/** An answer needs the address it comes from; a lab that is used again has none. */
async function withAnycastAddresses(stage: Stage, body: () => Promise<void>): Promise<void> {
  const change = async (verb: 'add' | 'del'): Promise<void> => {
    for (const family of families) {
      const address = `${anycast[family]}/${family === 4 ? 32 : 128}`;
      await stage.lab.network.run('node', ['ip', 'address', verb, address, 'dev', 'lo']);
    }
  };
  await change('add');
  try {
    await body();
  } finally {
    await change('del');
  }
}

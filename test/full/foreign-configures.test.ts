/**
 * What Causeway disabled survives somebody's `birdc configure`, and what somebody disabled survives ours (S16): in both
 * orders, a hundred of them, without an UPDATE at any carrier in between.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { blackHole } from '../../lab/faults/packet-filter.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird } from '../../lab/node/bird.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { type Lab, startLab, waitHealthy } from '../../lab/node/lab.ts';
import { causeway } from '../../lab/node/program.ts';
import { announced, gone, heard, sessionsLived, untouched } from '../../lab/scenarios/expect.ts';
import { healthyAgain, protocolShows, statusSays } from '../../lab/scenarios/expect-node.ts';
import { openStage, type Stage } from '../../lab/scenarios/stage.ts';

const rounds = 50;
const only4 = { families: [4] } as const;

let lab: Lab;
let stage: Stage;

beforeAll(async () => {
  lab = await startLab(freshLabId());
  await waitHealthy(lab);
});

afterAll(() => {
  stage?.timeline.stop();
  lab?.remove();
});

describe('a hundred of them', () => {
  test('a withdrawal by verdict is kept over fifty foreign configures', { timeout: 600_000 }, async () => {
    stage = await openStage(lab);
    const hole = blackHole({ carrier: 'cmi' });
    await stage.hit(hole);
    await gone(stage, 'cmi');
    for (let round = 0; round < rounds; round += 1) {
      await askNodeBird(lab.network, round % 3 === 0 ? 'configure soft' : 'configure');
      await protocolShows(stage, 'announce_cmi_web4', 'down', /loss/);
      await protocolShows(stage, 'announce_cmi_web6', 'down', /loss/);
    }
    heard(stage, 'cmi', ['withdraw']);
    await stage.mend(hole);
    await announced(stage, 'cmi');
    heard(stage, 'cmi', ['withdraw', 'announce']);
    await untouched(stage, 'pccw', 'hkbn');
    await healthyAgain(stage);
    stage.timeline.stop();
  });

  test('a hand is kept over fifty configures of ours', { timeout: 1_800_000 }, async () => {
    stage = await openStage(lab);
    await askNodeBird(lab.network, 'disable "*_cmi_web4" "ticket 42"');
    await gone(stage, 'cmi', only4);
    await statusSays(stage, 'adopted', ({ overrides }) => overrides.some(({ author }) => author === 'birdc'));
    const { config } = nodeFiles(lab.network);
    const text = readFileSync(config, 'utf8');
    for (let round = 0; round < rounds; round += 1) {
      // What a drained route would carry: a new base, and no UPDATE, since nothing is drained.
      writeFileSync(config, text.replace('policy:\n', `policy:\n  drain: { med: ${60_000 + round} }\n`));
      await causeway(lab.network, ['apply']);
      await protocolShows(stage, 'announce_cmi_web4', 'down', /ticket 42/);
    }
    writeFileSync(config, text);
    await causeway(lab.network, ['apply']);
    heard(stage, 'cmi', ['withdraw'], [4]);
    heard(stage, 'cmi', [], [6]);
    await askNodeBird(lab.network, 'enable "*_cmi_web4"');
    await announced(stage, 'cmi', only4);
    await sessionsLived(stage);
    await untouched(stage, 'pccw', 'hkbn');
  });

  test('a hand in the moment after a return of ours is kept, fifty times', { timeout: 900_000 }, async () => {
    stage = await openStage(lab);
    const because = ['--for', '1h', '--reason', 'lab', '--author', 'lab'];
    for (let round = 0; round < rounds; round += 1) {
      await causeway(lab.network, ['force', 'withdraw', 'cmi', '--family', '4', ...because]);
      await routeAtCmi('gone', 20);
      const released = causeway(lab.network, ['release', 'cmi', '--family', '4', '--author', 'lab']);
      await routeAtCmi('there', 1);
      await askNodeBird(lab.network, 'disable "*_cmi_web4" "ticket 42"');
      await statusSays(stage, 'adopted', ({ overrides }) =>
        overrides.some(({ author }) => author === 'birdc'),
      );
      await protocolShows(stage, 'announce_cmi_web4', 'down', /ticket 42/);
      await released;
      await askNodeBird(lab.network, 'enable "*_cmi_web4"');
      await statusSays(stage, 'released', ({ overrides }) => overrides.length === 0);
      await routeAtCmi('there', 20);
    }
    await sessionsLived(stage);
    await untouched(stage, 'pccw', 'hkbn');
  });
});

async function routeAtCmi(state: 'gone' | 'there', everyMillis: number): Promise<void> {
  await waitUntil(
    `the route to be ${state}`,
    async () => ((await lab.observer.view('cmi')).routes[4] === null) === (state === 'gone'),
    { everyMillis },
  );
}

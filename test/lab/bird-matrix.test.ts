/**
 * One fault and its end on each BIRD that was fetched; all other lab tests run on the system's. Those that could not be
 * fetched are named in a skipped test.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { birdVersions } from '../../lab/bird-versions.ts';
import { blackHole } from '../../lab/faults/packet-filter.ts';
import { type Lab, startLab, waitHealthy } from '../../lab/node/lab.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { protocolShows } from '../../lab/scenarios/expect-node.ts';
import { announced, gone, heard, sessionsLived, untouched } from '../../lab/scenarios/expect.ts';
import { openStage, type Stage } from '../../lab/scenarios/stage.ts';

const supported = ['2.17', '2.20', '3.1', '3.4'];
const fetched = birdVersions().filter(({ bird }) => bird.includes('/.cache/'));
const missing = supported.filter((each) => !birdVersions().some(({ version }) => version.startsWith(each)));

test.skipIf(missing.length > 0)(
  `every supported BIRD is here${missing.length === 0 ? '' : `; not fetched (lab/fetch-bird): ${missing.join(', ')}`}`,
  () => {
    expect(birdVersions().length).toBeGreaterThanOrEqual(supported.length);
  },
);

describe.each(fetched)('BIRD $version', ({ bird }) => {
  const fault = blackHole({ carrier: 'cmi' });
  let lab: Lab;
  let stage: Stage;

  beforeAll(async () => {
    lab = await startLab(freshLabId(), { bird });
    await waitHealthy(lab);
    stage = await openStage(lab);
  });
  afterAll(() => {
    stage?.timeline.stop();
    lab?.remove();
  });

  test('brings up six sessions and announces on all of them', async () => {
    await Promise.all([announced(stage, 'cmi'), announced(stage, 'pccw'), announced(stage, 'hkbn')]);
  });
  test('withdraws from the carrier behind which all is dead, in both families', async () => {
    await stage.hit(fault);
    await gone(stage, 'cmi');
  });
  test('shows the reason in `show protocols all`', async () => {
    await protocolShows(stage, 'announce_cmi_web4', 'down', /^causeway: .*loss/);
  });
  test('keeps all sessions up, with unchanged uptime', async () => {
    await sessionsLived(stage);
  });
  test('sends the other carriers nothing', async () => {
    await untouched(stage, 'pccw', 'hkbn');
  });
  test('announces again after the hold, once', async () => {
    await stage.mend(fault);
    await announced(stage, 'cmi');
    heard(stage, 'cmi', ['withdraw', 'announce']);
    expect(stage.measured.size).toBeGreaterThan(0);
  });
});

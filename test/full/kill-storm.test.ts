/** kill -9 of the daemon every 5 s for 5 minutes, in health: the carriers hear nothing (DESIGN §7.1, §10). */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { freshLabId } from '../../lab/network/names.ts';
import { type Lab, startLab, waitHealthy } from '../../lab/node/lab.ts';
import { startDaemon, stopDaemon } from '../../lab/node/program.ts';
import { heard, sessionsLived, untouched } from '../../lab/scenarios/expect.ts';
import { openStage, type Stage } from '../../lab/scenarios/stage.ts';

let lab: Lab;
let stage: Stage;
beforeAll(async () => {
  lab = await startLab(freshLabId());
  await waitHealthy(lab);
  stage = await openStage(lab);
});
afterAll(() => {
  stage?.timeline.stop();
  lab?.remove();
});

test('no UPDATE at any carrier in sixty kills', { timeout: 600_000 }, async () => {
  for (let kill = 0; kill < 60; kill += 1) {
    await stopDaemon(lab.network, 'SIGKILL');
    await startDaemon(lab.network);
    // The rhythm of the storm, not a wait for something.
    await pause(4000);
  }
  for (const carrier of ['cmi', 'pccw', 'hkbn'] as const) heard(stage, carrier, []);
  await untouched(stage, 'cmi', 'pccw', 'hkbn');
  await sessionsLived(stage);
  await waitHealthy(lab);
});

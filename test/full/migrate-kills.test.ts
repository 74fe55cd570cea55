/** kill -9 of `causeway migrate` at any of its steps: the next run ends what was begun, and no other carrier hears of it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIn, stopPidFile } from '../../lab/network/process.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird } from '../../lab/node/bird.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { waitAnnounced } from '../../lab/node/lab.ts';
import { families } from '../../src/types/units.ts';
import {
  type HandWrittenNode,
  operatorsConf,
  programLine,
  startHandWrittenNode,
} from '../lab/support/hand-written-node.ts';

let node: HandWrittenNode;
beforeAll(async () => {
  node = await startHandWrittenNode();
});
afterAll(() => node?.remove());

/** From before the first look to after the return, which a quiet machine reaches in six seconds. */
const moments = Array.from({ length: 24 }, (_, index) => 250 * (index + 1));

test.each(moments)('killed after %i ms', async (afterMillis) => {
  const words = node.migrateWords('cmi', '--yes-reset');
  const from = node.wire.events().length;
  const pidFile = join(node.network.folder, 'migrate.pid');
  await startIn({
    namespace: node.network.namespace('node'),
    argv: programLine(node.network, words),
    log: join(node.network.folder, 'migrate.log'),
    pidFile,
  });
  // The moment of the kill is what is tried here; nothing is waited for.
  await pause(afterMillis);
  await stopPidFile(pidFile, 'SIGKILL');

  const again = await node.run(words);
  expect(`${again.stdout}${again.stderr}`).toMatch(/cmi is taken over|nothing is left/);
  expect(again.exitCode).toBe(0);
  await waitUntil('cmi to hold both routes, undrained', async () => {
    const { routes } = await node.observer.view('cmi');
    return families.every((family) => routes[family]?.communities.length === 0);
  });
  const { stdout } = await node.run(node.migrateWords('cmi'));
  expect(stdout).toContain('nothing is left');
  expect(
    node.wire
      .events()
      .slice(from)
      .filter(({ carrier }) => carrier !== 'cmi'),
  ).toEqual([]);
  await startOver();
});

/** The node as the operator wrote it. */
async function startOver(): Promise<void> {
  writeFileSync(node.conf, operatorsConf());
  await askNodeBird(node.network, 'configure');
  rmSync(nodeFiles(node.network).owned, { force: true });
  await waitAnnounced(node);
}

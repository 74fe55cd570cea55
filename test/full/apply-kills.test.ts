/**
 * A hundred kills at random moments of apply and of withdraw; and a window that stays open because a session does not
 * come back, with the daemon dead until BIRD's own timer has undone it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { birdVersions } from '../../lab/bird-versions.ts';
import { followWire, type WireLog } from '../../lab/carrier/wire-log.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { startIn, stopPidFile } from '../../lab/network/process.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird } from '../../lab/node/bird.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { type Lab, sessionsUp, startLab } from '../../lab/node/lab.ts';
import { startDaemon, stopDaemon } from '../../lab/node/program.ts';
import { expectRight, killStorm, toggle } from '../lab/support/apply-kills.ts';
import { causewayLine, editConfig, uplinkIn } from '../lab/support/apply-lab.ts';

const versions = birdVersions().filter(({ version }) => /^(?:2\.0\.|3\.4\.)/.test(version));

describe.each(versions)('BIRD $version', ({ bird, version }) => {
  let lab: Lab;
  let wire: WireLog;
  beforeAll(async () => {
    lab = await startLab(freshLabId(), { bird });
    wire = followWire(lab.network);
  });
  afterAll(() => {
    wire?.stop();
    lab?.remove();
  });

  test.each([1, 2, 3, 4])('a hundred kills, part %i of four', { timeout: 900_000 }, async (part) => {
    await killStorm(lab, { kills: 25, seed: part * 1000 + (version.startsWith('3') ? 34 : 20), bird });
  });

  test.each(['with no change of the wish', 'with a change of the wish just before the death'])(
    'a window that is open at the death is undone by BIRD’s timer, and announces nothing that was withdrawn, %s',
    { timeout: 300_000 },
    async (which) => {
      const { network } = lab;
      await waitUntil('six sessions', () => sessionsUp(lab.observer), { timeoutMillis: 60_000 });
      await expectRight(lab);
      const isWithdrawn = (await lab.observer.view('cmi')).routes[4] === null;
      if (!isWithdrawn && which.includes('no change')) {
        await toggle(network);
        await waitUntil(
          'cmi to be withdrawn',
          async () => (await lab.observer.view('cmi')).routes[4] === null,
        );
      }
      const file = join(network.folder, 'wrong.key');
      writeFileSync(file, 'carrier-has-none\n');
      editConfig(network, (document) => {
        uplinkIn(document, 'hkbn').peer['password_file'] = file;
      });
      const from = wire.events().length;
      const pidFile = join(network.folder, 'apply.pid');
      await startIn({
        namespace: network.namespace('node'),
        argv: causewayLine(network, ['apply', '--yes-reset', '--json']),
        log: join(network.folder, 'apply.log'),
        pidFile,
      });
      await waitUntil('a window that waits for hkbn', async () => {
        const status = await askNodeBird(network, 'configure status');
        return status.some((line) => line.includes('unconfirmed'));
      });
      const changed = which.includes('no change') ? null : toggle(network);
      await stopDaemon(network, 'SIGKILL');
      await changed;
      await stopPidFile(pidFile, 'SIGTERM');
      await waitUntil(
        'BIRD’s timer to have undone it',
        async () =>
          !(await askNodeBird(network, 'configure status')).some((line) => line.includes('unconfirmed')),
        { timeoutMillis: 120_000, everyMillis: 500 },
      );
      if (which.includes('no change')) {
        const heard = wire.events().slice(from);
        expect(heard.filter(({ kind, carrier }) => kind === 'announced' && carrier === 'cmi')).toEqual([]);
      }
      editConfig(network, (document) => {
        delete uplinkIn(document, 'hkbn').peer['password_file'];
      });
      await startDaemon(network);
      await expectRight(lab);
      expect(readFileSync(nodeFiles(network).owned, 'utf8')).not.toContain('carrier-has-none');
      await waitUntil('six sessions', () => sessionsUp(lab.observer), { timeoutMillis: 60_000 });
    },
  );
});

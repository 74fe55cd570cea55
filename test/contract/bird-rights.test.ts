/** A restricted socket shows everything and changes nothing; it is told apart without changing anything, on each BIRD. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openClient } from '../../bird/client.ts';
import { isRestricted } from '../../bird/rights.ts';
import { birdVersions, compareVersions } from '../../lab/bird-versions.ts';
import { openBirdLook } from '../../src/daemon/bird-look.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { instant } from '../../src/types/units.ts';
import { nodeConfig, uplink } from '../unit/host-node.ts';
import { startBird } from './scratch-bird.ts';

const plain = `router id 10.255.0.1;
protocol static lone { ipv4; disabled; }
`;

/** 2.17 wants no semicolon behind `restrict`. */
function second(version: string, path: string): string {
  return `cli "${path}" { restrict${version.startsWith('2.17.') ? '' : ';'} };\n`;
}

describe.each(birdVersions())('BIRD $version', ({ version, bird: binary }) => {
  const knows = compareVersions(version, '2.16') >= 0;

  test.runIf(knows)(
    'says of its second, restricted socket that it is one, and of the first that it is none',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'causeway-rights-'));
      const restricted = join(folder, 'ro.ctl');
      const bird = await startBird(`${plain}${second(version, restricted)}`, binary);
      const [own, other] = [bird.socket, restricted].map((path) =>
        openClient({ path, timeoutMillis: 20_000 }),
      );
      try {
        if (own === undefined || other === undefined) throw new Error('two clients');
        expect(await isRestricted(own)).toBe(false);
        expect(await isRestricted(other)).toBe(true);
        // Nothing was enabled by the question.
        const shown = await own.command('show protocols lone');
        expect(shown.lines.map(({ text }) => text).join('\n')).toMatch(/lone +Static +\S+ +down/);
        const look = openBirdLook(other, () => instant(performance.now()));
        const config: NodeConfig = nodeConfig([uplink('cmi', 1)]);
        const view = await look.look(config);
        expect(view).toMatchObject({ kind: 'seen', version, restricted: true });
        expect(look.alarms().map(({ code }) => code)).toEqual(['bird-restricted']);
        // A node that observes sends nothing but questions.
        const observing = openBirdLook(other, () => instant(performance.now()));
        expect(await observing.look({ ...config, mode: 'observe' })).not.toHaveProperty('restricted');
      } finally {
        own?.close();
        other?.close();
        await bird.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  test('takes commands on its own socket', async () => {
    const bird = await startBird(plain, binary);
    const client = openClient({ path: bird.socket, timeoutMillis: 20_000 });
    try {
      expect(await isRestricted(client)).toBe(false);
    } finally {
      client.close();
      await bird.stop();
    }
  });
});

test('a BIRD that does not answer is neither', async () => {
  const client = openClient({ path: '/nonexistent/bird.ctl', timeoutMillis: 1000 });
  expect(await isRestricted(client)).toBeNull();
  client.close();
});

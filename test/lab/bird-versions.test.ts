/** Each BIRD that is there runs by itself, whatever release of Debian it came from. `lab/fetch-bird` gets more of them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import { birdVersions, compareVersions } from '../../lab/bird-versions.ts';

test.each(birdVersions())('BIRD $version starts, answers its own birdc and stops', async (each) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-version-'));
  const file = join(folder, 'bird.conf');
  const control = join(folder, 'bird.ctl');
  await writeFile(file, 'router id 10.255.0.1;\nprotocol device {}\n');
  const bird = execa(each.bird, ['-f', '-c', file, '-s', control, '-P', join(folder, 'bird.pid')], {
    reject: false,
  });
  try {
    await vi.waitFor(
      async () => {
        const { stdout } = await execa(each.birdc, ['-s', control, 'show', 'status']);
        expect(stdout).toContain(`BIRD ${each.version}`);
      },
      { timeout: 20_000, interval: 50 },
    );
  } finally {
    bird.kill('SIGTERM');
    await bird;
    await rm(folder, { recursive: true, force: true });
  }
});

test('versions are ordered by their numbers', () => {
  const shuffled = ['3.1.8', '2.9', '2.20.0', '2.0.12', '2.17.6'];
  expect(shuffled.toSorted(compareVersions)).toEqual(['2.0.12', '2.9', '2.17.6', '2.20.0', '3.1.8']);
});

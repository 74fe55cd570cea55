/** `causeway reload`: what a running daemon takes of a new config, and what waits. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deskConfig, type DeskWorld, openDeskWorld, runOn } from '../support/operator-desk.ts';

let world: DeskWorld;

beforeEach(async () => {
  world = await openDeskWorld(deskConfig());
});
afterEach(() => world.close());

const run = (...words: readonly string[]) => runOn(world, ...words);

describe('reload', () => {
  const edit = (from: string, to: string): void => {
    const text = readFileSync(world.file, 'utf8');
    if (!text.includes(from)) throw new Error(`no ${from} in ${text}`);
    writeFileSync(
      world.file,
      text.replace(from, () => to),
    );
  };

  test('takes what does not touch BIRD at once, and shows it', async () => {
    edit('patience: 5s', 'patience: 3s');
    expect(await run('reload', '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringContaining('policy.patience: 5s → 3s'),
    });
    expect(world.settings.now().config.policy.patienceMillis).toBe(5000);
    expect((await run('reload')).out).toContain('taken, without touching BIRD:\n  policy.patience: 5s → 3s');
    expect(world.settings.now().config.policy.patienceMillis).toBe(3000);
    expect((await run('reload')).out).toContain('nothing differs');
  });

  test("leaves what changes BIRD's text to apply, and what a start reads to a restart", async () => {
    edit('med: 65000', 'med: 64000');
    edit('patience: 5s', 'patience: 3s');
    edit('listen: 127.0.0.1:9180', 'listen: 127.0.0.1:9181');
    const { out } = await run('reload');
    expect(out).toContain('taken, without touching BIRD:\n  policy.patience: 5s → 3s');
    expect(out).toContain('wait for `causeway apply`:\n  policy.drain.med: 65000 → 64000');
    expect(out).toContain(
      'wait for a restart of the daemon:\n  http.listen: 127.0.0.1:9180 → 127.0.0.1:9181',
    );
    expect(world.settings.now().config.policy).toMatchObject({
      patienceMillis: 3000,
      drain: { med: 65_000 },
    });
    expect(world.desk.alarms().map(({ code }) => code)).toEqual(['config-waits', 'config-waits']);
  });

  test('of a bad file leaves the running one in force, with every problem and its place, until a good one comes', async () => {
    edit('patience: 5s', 'patience: often');
    const { err, code } = await run('reload');
    expect(code).toBe(1);
    expect(err).toMatch(/causeway\.yaml:\d+:\d+: policy\.patience: found "often"/);
    expect(world.settings.now().config.policy.patienceMillis).toBe(5000);
    expect(world.desk.alarms().map(({ code: alarm }) => alarm)).toEqual(['reload-refused']);
    edit('patience: often', 'patience: 5s');
    await run('reload');
    expect(world.desk.alarms()).toEqual([]);
  });

  test('of an empty file is refused', async () => {
    writeFileSync(world.file, '');
    const other = join(world.folder, 'socket.yaml');
    renameSync(world.file, other);
    await expect(world.desk.commands.reload({ author: 'kim', dryRun: false })).resolves.toMatchObject({
      kind: 'refused',
    });
    expect(world.settings.now().config.uplinks).toHaveLength(3);
  });
});

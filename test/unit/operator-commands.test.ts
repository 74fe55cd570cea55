/** What operators' commands do, by the command line, over the real socket, down to the wish. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deskConfig, type DeskWorld, openDeskWorld, runOn } from '../support/operator-desk.ts';
import { waitUntil } from '../../lab/network/wait.ts';

let world: DeskWorld;

beforeEach(async () => {
  world = await openDeskWorld(deskConfig());
});
afterEach(() => world.close());

const run = (...words: readonly string[]) => runOn(world, ...words);

async function states(): Promise<string> {
  const { announcements } = await world.round();
  return announcements.map(({ uplink, state }) => `${uplink} ${state}`).join(', ');
}

const kept = (): string => readFileSync(join(world.folder, 'state/overrides.json'), 'utf8');
const because = ['--reason', 'ticket 42', '--author', 'kim'];

describe('drain', () => {
  test('drains an uplink until its time, is kept, shown and told, and ends by itself', async () => {
    const { out, code } = await run('drain', 'cmi', '--for', '2h', ...because);
    expect(code).toBe(0);
    expect(out).toContain('drain cmi until 2026-11-30T02:00:00.000Z');
    expect(out).toContain('cmi service web IPv4: announce → drain');
    expect(await states()).toBe('cmi drain, pccw announce, hkbn announce');
    expect(kept()).toContain('"reason": "ticket 42"');
    expect(world.told.at(-1)).toMatchObject({
      kind: 'override',
      event: 'set',
      author: 'kim',
      subject: 'cmi',
    });
    world.clock.wallMillis = 7_200_000;
    world.clock.monotonicMillis = 7_200_000;
    expect(await states()).toBe('cmi announce, pccw announce, hkbn announce');
    expect(kept()).not.toContain('ticket 42');
    expect(world.told.at(-1)).toMatchObject({ kind: 'override', event: 'expired', author: 'causeway' });
  });

  test('with --dry-run shows the same and does nothing', async () => {
    const { out, code } = await run('drain', 'cmi', '--for', '2h', '--dry-run', ...because);
    expect(code).toBe(0);
    expect(out).toContain('would drain cmi until');
    expect(out).toContain('cmi service web IPv4: announce → drain');
    expect(await states()).toBe('cmi announce, pccw announce, hkbn announce');
    expect(existsSync(join(world.folder, 'state/overrides.json'))).toBe(false);
  });

  test('of the whole node needs --last where no fleet is', async () => {
    const refused = await run('drain', '--node', '--for', '1h', ...because);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('no undrained announcement of web IPv4 on this node');
    expect(refused.err).toContain('--last');
    expect(await states()).toBe('cmi announce, pccw announce, hkbn announce');
    expect((await run('drain', '--node', '--for', '1h', '--last', ...because)).code).toBe(0);
    expect(await states()).toBe('cmi drain, pccw drain, hkbn drain');
  });

  test('of the last uplink that others left needs --last too', async () => {
    await run('force', 'withdraw', 'cmi', '--for', '1h', ...because);
    await run('drain', 'pccw', '--for', '1h', ...because);
    expect((await run('drain', 'hkbn', '--for', '1h', ...because)).code).toBe(1);
    expect(await states()).toBe('cmi withdraw, pccw drain, hkbn announce');
  });
});

describe('force, release and undrain', () => {
  test('the newest word about the same wins, and release leaves it to the verdicts', async () => {
    await run('force', 'withdraw', 'cmi', '--until', 'never', ...because);
    expect(await states()).toContain('cmi withdraw');
    await run('force', 'announce', 'cmi', '--until', '2026-12-01T00:00:00+08:00', ...because);
    expect(await states()).toContain('cmi announce');
    expect(kept()).toContain('"expires": "2026-11-30T16:00:00.000Z"');
    const { out, code } = await run('release', 'cmi', '--author', 'kim');
    expect(code).toBe(0);
    expect(out).toContain('end: announce of cmi by kim (ticket 42)');
    expect(JSON.parse(kept())).toMatchObject({ overrides: [] });
  });

  test('undrain ends drains alone', async () => {
    await run('drain', 'cmi', '--for', '1h', ...because);
    await run('force', 'withdraw', 'pccw', '--for', '1h', ...because);
    expect((await run('undrain', '--node')).code).toBe(0);
    expect(await states()).toBe('cmi announce, pccw withdraw, hkbn announce');
  });

  test('release of nothing is refused, and says what stands around it', async () => {
    expect((await run('release', 'cmi')).err).toContain('no override about cmi stands');
    await run('drain', '--node', '--for', '1h', '--last', ...because);
    const { err, code } = await run('release', 'cmi');
    expect(code).toBe(1);
    expect(err).toContain('one about the node does: release that');
  });

  test('release ends a hand in BIRD: it is not adopted again until the protocol was up', async () => {
    const subject = { kind: 'announcement', uplink: 'cmi', service: 'web', family: 4 } as const;
    const hand = {
      subject,
      state: 'withdraw',
      author: 'birdc',
      reason: 'by hand',
      at: '2026-11-29T00:00:00Z',
    } as const;
    world.scene.world.overrides = [{ ...hand, expires: null }];
    expect((await run('release', 'cmi')).code).toBe(0);
    expect(world.scene.world.released).toEqual(new Set(['announce_cmi_web4', 'drain_cmi_web4']));
    expect(JSON.parse(kept())).toMatchObject({ released: ['announce_cmi_web4', 'drain_cmi_web4'] });
  });

  test('says which narrower override stays in force', async () => {
    await run('force', 'announce', 'cmi', '--service', 'web', '--for', '1h', ...because);
    const { out } = await run('force', 'withdraw', 'cmi', '--for', '1h', ...because);
    expect(out).toContain('still in force: announce of cmi service web by kim');
    expect(await states()).toContain('cmi announce');
  });
});

describe('what is refused', () => {
  test.each<[string, readonly string[], string]>([
    ['no end', ['drain', 'cmi', ...because], 'say when it ends'],
    ['two ends', ['drain', 'cmi', '--for', '1h', '--until', 'never', ...because], 'either --for or --until'],
    ['no reason', ['drain', 'cmi', '--for', '1h'], "required option '--reason <text>' not specified"],
    ['an empty reason', ['drain', 'cmi', '--for', '1h', '--reason', ' '], 'reason: a reason of 1 to 200'],
    ['a length without unit', ['drain', 'cmi', '--for', '90', ...because], 'allowed: a duration from 1s'],
    [
      'a time without zone',
      ['drain', 'cmi', '--until', '2026-12-01T00:00', ...because],
      'a time with its zone',
    ],
    ['a time that is over', ['drain', 'cmi', '--until', '2026-01-01T00:00Z', ...because], 'still to come'],
    ['no such uplink', ['drain', 'cni', '--for', '1h', ...because], 'no uplink cni here: cmi, pccw, hkbn'],
    [
      'no such service',
      ['drain', 'cmi', '--service', 'mail', '--for', '1h', ...because],
      'no service mail here: web',
    ],
    ['nothing selected', ['drain', '--for', '1h', ...because], 'name an uplink, --service or --node'],
    [
      'an uplink and the node',
      ['drain', 'cmi', '--node', '--for', '1h', ...because],
      '--node is all uplinks',
    ],
    [
      'a family that is none',
      ['drain', 'cmi', '--family', '5', '--for', '1h', ...because],
      'allowed: 4 or 6',
    ],
    [
      'our own name',
      ['drain', 'cmi', '--for', '1h', '--reason', 'x', '--author', 'birdc'],
      'author: a name other than',
    ],
  ])('%s ends with 2 and does nothing', async (_name, words, says) => {
    const { err, code } = await run(...words);
    expect(err).toContain(says);
    expect(code).toBe(2);
    expect(world.scene.world.overrides).toEqual([]);
  });

  test('the daemon that is away: 3, and what to do in BIRD', async () => {
    await world.server.close();
    const { err, code } = await run(
      'force',
      'withdraw',
      'cmi',
      '--service',
      'web',
      '--for',
      '1h',
      ...because,
    );
    expect(code).toBe(3);
    expect(err).toContain(`birdc disable '"announce_cmi_web*"' "reason"`);
    expect((await run('freeze', '--reason', 'x')).err).toContain('touch /var/lib/causeway/freeze');
    expect((await run('explain', 'cmi')).code).toBe(3);
  });
});

describe('freeze', () => {
  test('holds the wish, lets operators act, waits with expiries, and thaws after a look', async () => {
    await run('drain', 'pccw', '--for', '1h', ...because);
    expect((await run('freeze', ...because)).code).toBe(0);
    expect((await run('freeze', ...because)).err).toContain('it is frozen already, by kim');
    await run('drain', 'cmi', '--for', '2h', ...because);
    world.clock.wallMillis = 3_700_000;
    world.clock.monotonicMillis = 3_700_000;
    expect(await states()).toBe('cmi drain, pccw drain, hkbn announce');
    expect(world.desk.alarms().map(({ code }) => code)).toContain('frozen');
    const asked = await run('thaw', '--author', 'kim');
    expect(asked.code).toBe(1);
    expect(asked.out).toContain('would end: drain of pccw by kim (ticket 42)');
    expect(asked.out).toContain('pccw service web IPv4: drain → announce');
    expect(world.scene.world.operator.freeze).not.toBe(null);
    expect(await run('thaw', '--yes', '--author', 'kim')).toMatchObject({ code: 0 });
    expect(await states()).toBe('cmi drain, pccw announce, hkbn announce');
    expect((await run('thaw', '--yes')).err).toContain('it is not frozen');
  });

  test('a file that somebody touches freezes, with what they wrote as the reason, and its removal thaws', async () => {
    const path = join(world.folder, 'state/freeze');
    mkdirSync(join(world.folder, 'state'), { recursive: true });
    writeFileSync(path, '');
    await world.round();
    expect(world.scene.world.operator.freeze).toMatchObject({ author: 'file' });
    writeFileSync(path, 'carrier is on it\nmore');
    await world.round();
    expect(world.scene.world.operator.freeze).toMatchObject({ author: 'file', reason: 'carrier is on it' });
    rmSync(path);
    await world.round();
    expect(world.scene.world.operator.freeze).toBe(null);
    expect(world.told.map(({ kind }) => kind)).toEqual(['freeze', 'freeze']);
  });

  test('and overrides are there again after a restart', async () => {
    await run('drain', 'cmi', '--for', '2h', ...because);
    await run('freeze', ...because);
    const again = await openDeskWorldAgain();
    expect(again.scene.world.overrides).toMatchObject([{ state: 'drain', reason: 'ticket 42' }]);
    expect(again.scene.world.operator.freeze).toMatchObject({ author: 'kim', reason: 'ticket 42' });
    await again.server.close();
  });
});

/** Another daemon on the same folder; the first one's socket is given up. */
async function openDeskWorldAgain(): Promise<DeskWorld> {
  await world.server.close();
  return openDeskWorld(deskConfig(), undefined, world.folder);
}

describe('a disk that keeps nothing', () => {
  test('lets an override act, says so, and keeps it as soon as it can', async () => {
    const state = join(world.folder, 'state');
    rmSync(state, { recursive: true, force: true });
    writeFileSync(state, 'in the way');
    const { out, code } = await run('drain', 'cmi', '--for', '2h', ...because);
    expect(code).toBe(0);
    expect(out).toContain('not on the disk yet');
    expect(await states()).toContain('cmi drain');
    expect(world.desk.alarms().map(({ code: alarm }) => alarm)).toContain('overrides-not-kept');
    rmSync(state);
    await waitUntil('the alarm to end', async () => {
      // As in the daemon, each round tries again.
      await world.round();
      return world.desk.alarms().length === 0;
    });
    expect(kept()).toContain('ticket 42');
  });
});

/** What the doctor makes of systemd's, the clock's, the disk's and the counters' words. */
import { chmod, mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runtimeChecks } from '../../src/cli/doctor-runtime.ts';
import { judgeProbe } from '../../src/cli/doctor-probe.ts';
import { clockChecks, greatestStep } from '../../src/host/clock-checks.ts';
import { mayWrite, readDaemonUser } from '../../src/host/daemon-user.ts';
import { diskChecks } from '../../src/host/disk-checks.ts';
import { examine, finding } from '../../src/host/doctor.ts';
import { findingCodes } from '../../src/host/finding-codes.ts';
import { leftIn } from '../../src/host/leftover-rules.ts';
import { sentPackets } from '../../src/host/link-counters.ts';
import { routingPlan } from '../../src/host/routing.ts';
import { secretChecks } from '../../src/host/secret-checks.ts';
import { judgeUnit, parseUnit } from '../../src/host/unit-checks.ts';
import { nodeConfig, uplink } from './host-node.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-judges-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a finding has the level of its code', () => {
  const text = { what: 'a', why: 'b', mend: 'c' };
  expect(finding('disk-full', text)).toMatchObject({ kind: 'wrong', code: 'disk-full', what: 'a' });
  expect(finding('disk-low', text).kind).toBe('warning');
  for (const [code, { means }] of Object.entries(findingCodes)) {
    expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(means).toMatch(/^.{20,}\.$/);
  }
});

test('a check that throws is wrong itself, and the others run', async () => {
  const broken = { id: 'a', title: 'a', run: () => Promise.reject(new Error('boom')) };
  const well = { id: 'b', title: 'b', run: async () => ({ kind: 'ok', text: 'fine' }) as const };
  const results = await examine([broken, well], null);
  expect(results.map((one) => one.finding.kind)).toEqual(['wrong', 'ok']);
  expect(results[0]?.finding).toMatchObject({ code: 'check-broken', what: 'boom' });
});

describe('the unit', () => {
  const sound = {
    LoadState: 'loaded',
    ActiveState: 'active',
    UnitFileState: 'enabled',
    Result: 'success',
    NRestarts: '0',
    WatchdogUSec: '10s',
    LimitNOFILE: '65536',
    MemoryMax: 'infinity',
  };
  const judge = (more: Readonly<Record<string, string>>) =>
    judgeUnit(
      parseUnit(
        Object.entries({ ...sound, ...more })
          .map(([key, value]) => `${key}=${value}`)
          .join('\n'),
      ),
    );
  test.each([
    [{ ActiveState: 'failed', Result: 'watchdog' }, 'unit-failed'],
    [{ NRestarts: '9' }, 'unit-failed'],
    [{ UnitFileState: 'disabled' }, 'unit-off'],
    [{ WatchdogUSec: '0' }, 'unit-watchdog'],
    [{ WatchdogUSec: 'infinity' }, 'unit-watchdog'],
    [{ LimitNOFILE: '1024' }, 'unit-files'],
    [{ MemoryMax: '134217728' }, 'unit-memory'],
  ])('%j is %s', (more, code) => {
    expect(judge(more)).toMatchObject({ code });
  });
  test('of a sound one nothing is said, and one that systemd does not know is not looked at', () => {
    expect(judge({})).toEqual({ kind: 'ok', text: 'active, enabled' });
    expect(judge({ LoadState: 'not-found' }).kind).toBe('skipped');
  });
});

describe('the clock', () => {
  const at = (wallMillis: number, monotonicMillis: number, bootId = 'b') => ({
    wallMillis,
    monotonicMillis,
    bootId,
  });
  test('a step is the wall clock against the monotonic one, within one boot', () => {
    expect(greatestStep([at(0, 0), at(1000, 1000), at(4000, 2000)])).toBe(2000);
    expect(greatestStep([at(0, 0), at(1000, 1000), at(-4000, 2000)])).toBe(-6000);
    expect(greatestStep([at(0, 9_000_000, 'a'), at(50_000, 10), at(51_000, 1010)])).toBe(0);
    expect(greatestStep([])).toBe(0);
  });
  const steps = clockChecks.filter(({ id }) => id === 'clock.steps');
  test.each([
    [[at(0, 0), at(5000, 2000)], 6000, 'clock-stepped'],
    [[at(0, 0), at(60_000, 60_000)], 1000, 'clock-behind'],
  ])('%j at %d is %s', async (moments, now, code) => {
    const [result] = await examine(steps, { moments: async () => moments, wallMillis: () => now });
    expect(result?.finding).toMatchObject({ code });
  });
  test('a second of slewing is no step', async () => {
    const moments = async () => [at(0, 0), at(10_900, 10_000)];
    const [result] = await examine(steps, { moments, wallMillis: () => 11_000 });
    expect(result?.finding.kind).toBe('ok');
  });
});

describe('the runtime', () => {
  const well = async () => undefined;
  test.each([
    ['18.19.1', 'wrong'],
    ['20.18.3', 'wrong'],
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
  ])('Node.js %s is %s', async (nodeVersion, kind) => {
    const [node] = await examine(runtimeChecks, { nodeVersion, tryCalls: well });
    expect(node?.finding.kind).toBe(kind);
    if (kind === 'wrong') expect(node?.finding).toMatchObject({ code: 'node-old' });
  });
  test('a library that does not load is said with its first line', async () => {
    const tryCalls = () => Promise.reject(new Error('Cannot find the native Koffi module\n  stack'));
    const [, calls] = await examine(runtimeChecks, { nodeVersion: '20.19.0', tryCalls });
    expect(calls?.finding).toMatchObject({
      code: 'koffi-broken',
      what: 'Cannot find the native Koffi module',
    });
  });
});

describe('probes by the counters', () => {
  const seen = { uplink: uplink('cmi', 1), address: '192.0.2.1', taken: 10, answered: 10, elsewhere: null };
  test.each([
    [{ own: 10 }, 'ok', undefined],
    [{ own: 4000 }, 'ok', undefined],
    [{ own: 3 }, 'wrong', 'probe-stays'],
    [{ own: 0, elsewhere: 'eth2' }, 'wrong', 'probe-elsewhere'],
    [{ own: 10, answered: 0 }, 'warning', 'probe-unanswered'],
  ])('%j is %s', (more, kind, code) => {
    expect(judgeProbe({ ...seen, ...more })).toMatchObject(code === undefined ? { kind } : { kind, code });
  });
  test('counters come from 64 bits where the kernel has them', () => {
    const shown = [
      { ifname: 'eth1', stats64: { tx: { packets: 7 } } },
      { ifname: 'eth2', stats: { tx: { packets: 9 } } },
      { ifname: 'eth3' },
    ];
    expect([...sentPackets(shown)]).toEqual([
      ['eth1', 7],
      ['eth2', 9],
    ]);
    expect(() => sentPackets({})).toThrow('no list');
  });
});

describe('rules that nothing asks for', () => {
  const config = nodeConfig([uplink('cmi', 1)]);
  const wanted = routingPlan(config).rules.filter(({ family }) => family === 4);
  const own = { priority: 10_000, src: '192.0.2.6', table: '1001' };
  test('those of the plan and those of others stay out', () => {
    const shown = [
      own,
      { priority: 0, src: 'all', table: '255' },
      { priority: 32_766, src: 'all', table: '254' },
    ];
    expect(leftIn(shown, 4, wanted)).toEqual([]);
  });
  test('a removed uplink, a removed prefix and a changed table are named with the command that removes them', () => {
    const shown = [
      { ...own, table: '1009' },
      { priority: 10_003, src: 'all', oif: 'eth9', table: '1002' },
      { priority: 20_002, src: '203.0.113.0', srclen: 24, table: '2003' },
    ];
    expect(leftIn(shown, 4, wanted).map(({ mend }) => mend)).toEqual([
      'ip -4 rule del pref 10000 from 192.0.2.6 lookup 1009',
      'ip -4 rule del pref 10003 oif eth9 lookup 1002',
      'ip -4 rule del pref 20002 from 203.0.113.0/24 lookup 2003',
    ]);
  });
});

describe('who the daemon is, and what it may write', () => {
  test('by the package’s user and groups', async () => {
    const [passwd, group] = [join(folder, 'passwd'), join(folder, 'group')];
    await writeFile(passwd, 'root:x:0:0::/:/bin/sh\ncauseway:x:990:991::/:/usr/sbin/nologin\n');
    await writeFile(group, 'bird:x:110:kim,causeway\ncauseway:x:991:\nadm:x:4:kim\n');
    const user = await readDaemonUser({ passwd, group });
    expect(user).toEqual({ name: 'causeway', uid: 990, gid: 991, groups: new Set([991, 110]) });
    const file = (uid: number, gid: number, mode: number) => ({ uid, gid, mode });
    expect(mayWrite(user, file(0, 110, 0o2770))).toBe(true);
    expect(mayWrite(user, file(0, 110, 0o2750))).toBe(false);
    expect(mayWrite(user, file(990, 0, 0o500))).toBe(false);
    expect(mayWrite(user, file(0, 0, 0o755))).toBe(false);
    expect(mayWrite({ ...user, uid: 0 }, file(5, 5, 0o500))).toBe(true);
  });

  test('a folder that is missing or not writable is said with the command that mends it', async () => {
    const state = join(folder, 'state');
    const config = nodeConfig([uplink('cmi', 1)], {
      paths: { ...nodeConfig([]).paths, state },
      bird: { ...nodeConfig([]).bird, config: join(folder, 'owned', 'causeway.conf') },
    });
    const nobody = { name: 'causeway', uid: 990, gid: 991, groups: new Set([991]) };
    const look = async () => {
      const results = await examine(diskChecks(config), { user: async () => nobody });
      return results.map((one) => ('code' in one.finding ? one.finding.code : one.finding.kind));
    };
    expect(await look()).toEqual(['state-missing', 'file-locked']);
    await mkdir(state, { mode: 0o700 });
    await mkdir(join(folder, 'owned'), { mode: 0o755 });
    expect(await look()).toEqual(['state-locked', 'file-locked']);
    await chmod(state, 0o777);
    await chmod(join(folder, 'owned'), 0o777);
    expect(await look()).not.toContain('state-locked');
  });
});

test('a secret that everybody can read, and one that is not there', async () => {
  const [open, kept, none] = [join(folder, 'open'), join(folder, 'kept'), join(folder, 'none')];
  await writeFile(open, 'x', { mode: 0o644 });
  await chmod(open, 0o644);
  await writeFile(kept, 'x', { mode: 0o640 });
  const files = [open, kept, none].map((path) => ({ key: path, path }));
  const results = await examine(secretChecks(files), null);
  expect(results.map((one) => ('code' in one.finding ? one.finding.code : one.finding.kind))).toEqual([
    'secret-open',
    'ok',
    'secret-missing',
  ]);
});

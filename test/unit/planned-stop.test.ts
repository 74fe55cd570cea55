/** An orderly stop: what is wished meanwhile, when it is done, and what the next start makes of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { wishOnLeave } from '../../src/core/overrides/leave.ts';
import { protocolWishes } from '../../src/core/plan/protocols.ts';
import { adoptStanding } from '../../src/daemon/adopt.ts';
import { stillCarrying, stillExporting } from '../../src/daemon/stop.ts';
import { watchTraffic } from '../../src/host/traffic.ts';
import type { BirdSeen, ProtocolSeen } from '../../src/types/bird-view.ts';
import type { AnnounceState } from '../../src/types/wire/enums.ts';
import type { AnnouncementWish, Wish } from '../../src/types/wish.ts';
import { birdShowing } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';

const config = nodeWith(['cmi', 'pccw', 'hkbn']);

function wishOf(states: Readonly<Record<string, AnnounceState>>): Wish {
  const announcements = Object.entries(states).map(
    ([uplink, state]): AnnouncementWish => ({
      service: 'web',
      uplink,
      family: 4,
      state,
      reason: 'healthy',
      text: 'healthy',
      author: 'causeway',
      held: null,
    }),
  );
  const egress = Object.keys(states).map(
    (uplink) =>
      ({ uplink, family: 4, state: 'use', reason: 'healthy', text: 'in use', author: 'causeway' }) as const,
  );
  return { announcements, egress };
}

const before = wishOf({ cmi: 'announce', pccw: 'drain', hkbn: 'withdraw' });

describe('the wish of a stop', () => {
  test.each([
    [null, 'announce drain withdraw'],
    ['drain' as const, 'drain drain withdraw'],
    ['withdraw' as const, 'withdraw withdraw withdraw'],
  ])('with %s is never more than it was', (leaving, states) => {
    const wish = wishOnLeave(before, leaving);
    expect(wish.announcements.map(({ state }) => state).join(' ')).toBe(states);
    expect(wish.egress).toEqual(before.egress);
  });

  test.each(['drain', 'withdraw'] as const)(
    '%s is found by the next start as people’s word: it returns without a hold',
    (leaving) => {
      const wish = wishOnLeave(wishOf({ cmi: 'announce', pccw: 'announce', hkbn: 'announce' }), leaving);
      const file = new Map(
        [...protocolWishes(config, wish, [])].map(([name, { up, description }]) => [
          name,
          { disabled: !up, description },
        ]),
      );
      const { standing } = adoptStanding(config, file, emptyDecideMemory);
      expect(standing['cmi_web4']).toMatchObject({ state: leaving, byVerdict: false });
    },
  );

  test('what a verdict withdrew before is still a verdict’s afterwards', () => {
    const failed: Wish = {
      ...before,
      announcements: before.announcements.map((one) => ({ ...one, reason: 'loss', text: 'loss 34 %' })),
    };
    const wish = wishOnLeave(failed, 'withdraw');
    const file = new Map(
      [...protocolWishes(config, wish, [])].map(([name, { up, description }]) => [
        name,
        { disabled: !up, description },
      ]),
    );
    expect(adoptStanding(config, file, emptyDecideMemory).standing['hkbn_web4']).toMatchObject({
      byVerdict: true,
    });
  });
});

describe('traffic that is to fall', () => {
  const average = new Map([
    ['cmi', 1_000_000],
    ['pccw', 100_000],
    ['hkbn', 0],
  ]);

  test.each<[string, readonly number[], readonly string[]]>([
    ['has fallen below a tenth', [99_000, 9000, 0], []],
    ['has not on one uplink', [101_000, 9000, 0], ['cmi 101 of 1000 kbit/s']],
    ['is our own chatter alone', [99_000, 15_900, 15_900], []],
    ['begins where none was', [0, 0, 50_000], ['hkbn 50 of 0 kbit/s']],
  ])('%s', (_name, [cmi = 0, pccw = 0, hkbn = 0], left) => {
    const now = new Map([
      ['cmi', cmi],
      ['pccw', pccw],
      ['hkbn', hkbn],
    ]);
    expect(stillCarrying(average, now)).toEqual(left);
  });

  test('holds nobody up where no counter can be read', () => {
    expect(stillCarrying(new Map(), new Map())).toEqual([]);
  });
});

describe('the read-back of a withdrawal', () => {
  const session = (exported: number | null, info = 'Established'): ProtocolSeen => ({
    name: '',
    proto: 'BGP',
    state: 'up',
    sinceMillis: 0,
    info,
    description: null,
    message: null,
    channels: [
      {
        family: 4,
        state: 'UP',
        imported: 0,
        exported,
        importUpdates: null,
        importWithdraws: null,
        exportUpdates: null,
        exportWithdraws: null,
      },
    ],
  });
  const seen = (cmi: ProtocolSeen): BirdSeen => ({
    ...birdShowing({}),
    protocols: new Map([
      ['bgp_cmi4', cmi],
      ['bgp_pccw4', session(0)],
    ]),
  });

  test.each<[string, ProtocolSeen, readonly string[]]>([
    ['no route is done', session(0), []],
    ['a route is not', session(1), ['bgp_cmi4 exports 1 routes']],
    ['an unknown number is not', session(null), ['bgp_cmi4 exports an unknown number of routes']],
    ['a session that is down exports nothing', session(1, 'Active'), []],
  ])('%s', (_name, cmi, left) => {
    expect(stillExporting(config, seen(cmi))).toEqual(left);
  });

  test('is not done by a BIRD that cannot be asked', () => {
    const away = {
      kind: 'unreachable',
      readAt: birdShowing({}).readAt,
      path: '/x',
      code: 'ENOENT',
      text: 'gone',
    } as const;
    expect(stillExporting(config, away)).toHaveLength(1);
  });
});

describe('byte counters', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-traffic-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (received: number, sent: number): void => {
    mkdirSync(join(folder, 'eth1/statistics'), { recursive: true });
    writeFileSync(join(folder, 'eth1/statistics/rx_bytes'), `${received}\n`);
    writeFileSync(join(folder, 'eth1/statistics/tx_bytes'), `${sent}\n`);
  };

  test('give the rate of the fuller direction, over the time that is asked', async () => {
    const traffic = watchTraffic(['eth1', 'gone0'], 60_000, folder);
    write(1000, 0);
    await traffic.sample(0);
    expect(traffic.rate('eth1', 60_000)).toBe(null);
    write(1000, 125_000);
    await traffic.sample(1000);
    expect(traffic.rate('eth1', 60_000)).toBe(1_000_000);
    write(1000, 125_000);
    await traffic.sample(2000);
    expect(traffic.rate('eth1', 60_000)).toBe(500_000);
    expect(traffic.rate('eth1', 1000)).toBe(0);
    expect(traffic.rate('gone0', 1000)).toBe(null);
  });

  test('that begin anew, with their interface, give no rate of thousands of terabits', async () => {
    const traffic = watchTraffic(['eth1'], 60_000, folder);
    write(5e12, 5e12);
    await traffic.sample(0);
    write(100, 100);
    await traffic.sample(1000);
    expect(traffic.rate('eth1', 60_000)).toBe(null);
    write(1350, 100);
    await traffic.sample(2000);
    expect(traffic.rate('eth1', 60_000)).toBe(10_000);
  });
});

/** The steps of a migration where something goes wrong; that it goes right is shown on real BIRDs in the lab. */
import { describe, expect, test } from 'vitest';
import { foretold, migrate } from '../../bird/adopt/migrate.ts';
import type { MigratePlan, MigrateWorld, Texts } from '../../bird/adopt/migrate-plan.ts';
import type { BirdSeen, ProtocolSeen } from '../../src/types/bird-view.ts';
import { birdShowing } from '../support/bird.ts';

const conf = `protocol bgp old_cmi { ipv4 { export all; }; }\nprotocol bgp old_pccw { ipv4 { export all; }; }\n`;
const before: Texts = { conf, owned: null };
const plan: MigratePlan = {
  uplink: 'cmi',
  adopted: [{ uplink: 'cmi', family: 4, name: 'old_cmi' }],
  services: [{ name: 'web', family: 4, prefixes: ['203.0.113.0/24'] }],
  confPath: '/etc/bird/bird.conf',
  ownedPath: '/etc/bird/causeway/causeway.conf',
  marks: { asn: 65001, med: 65000, prepend: 1, gshut: true },
  drainMillis: 30_000,
  drainFirst: true,
};

/** A world that does as it is told, and keeps count; what BIRD shows follows from the texts that it was configured with. */
class Told {
  readonly did: string[] = [];
  texts: Texts = before;
  running: Texts = before;
  kept: Texts | null = null;
  pccwSince = 5;
  looks = 5;

  world(more: Partial<MigrateWorld> = {}): MigrateWorld {
    const note = (what: string): void => void this.did.push(what);
    return {
      look: async () => this.seen(),
      texts: async () => this.texts,
      render: async (state) => `owned ${state}`,
      check: async () => null,
      keep: async (texts) => void (this.kept = texts),
      put: async (texts) => {
        note('put');
        this.texts = texts;
      },
      restore: async () => {
        note('restore');
        if (this.kept === null) throw new Error('nothing was kept');
        this.texts = this.kept;
      },
      forget: async () => void (this.kept = null),
      configure: async (undo) => {
        note(undo === null ? 'configure' : 'configure timeout');
        this.running = this.texts;
      },
      confirm: async () => {
        note('confirm');
        return true;
      },
      exported: async () => {
        const isDrained = this.running.conf.includes('65535') || this.texts.owned === 'owned drain';
        const communities = isDrained ? ['65535:0'] : [];
        const route = {
          prefix: '203.0.113.0/24',
          table: 't',
          kind: 'unreachable' as const,
          protocol: 'x',
          primary: true,
          preference: 200,
          nextHops: [],
          med: null,
          localPref: null,
          path: [],
          communities,
          attributes: new Map(),
        }; // prettier-ignore
        return { kind: 'exported', route };
      },
      disable: async (protocol) => note(`disable ${protocol}`),
      waitForNextLook: async () => (this.looks -= 1) > 0,
      pause: async (millis) => note(`pause ${millis}`),
      ...more,
    };
  }

  seen(): BirdSeen {
    const taken = !/^protocol bgp old_cmi/m.test(this.running.conf);
    const up = { state: 'up', info: 'Established', sinceMillis: 5 } as const;
    const view = birdShowing({
      [taken ? 'bgp_cmi4' : 'old_cmi']: up,
      old_pccw: { ...up, sinceMillis: this.pccwSince },
      ...(taken ? { announce_cmi_web4: { state: 'up' as const } } : {}),
    });
    const protocols = new Map<string, ProtocolSeen>(
      [...view.protocols].map(([name, one]) => [name, name.startsWith('a') ? one : { ...one, proto: 'BGP' }]),
    );
    return { ...view, protocols };
  }
}

const quiet = (): void => undefined;

test('all goes well: drained first, then taken over under an undo, then returned, and nothing is left to put back', async () => {
  const told = new Told();
  expect(await migrate(told.world(), plan, quiet)).toEqual({ kind: 'migrated' });
  expect(told.did).toEqual([
    'put',
    'configure timeout',
    'confirm',
    'pause 30000',
    'put',
    'configure timeout',
    'confirm',
    'put',
    'disable drain_cmi_web4',
  ]); // prettier-ignore
  expect(told.texts.owned).toBe('owned announce');
  expect(told.texts.conf).toContain('include "/etc/bird/causeway/causeway.conf";');
  expect(told.kept).toBeNull();
});

test('the wall time of a session wavers by a millisecond between two looks, and is the same', async () => {
  const told = new Told();
  const look: MigrateWorld['look'] = async () => {
    told.pccwSince = 11 - told.pccwSince;
    return told.seen();
  };
  expect(await migrate(told.world({ look }), plan, quiet)).toEqual({ kind: 'migrated' });
});

test('what will happen is told with the session that is reset and those that are not', () => {
  const lines = foretold(plan, new Told().seen());
  expect(lines.filter((line) => line.includes('RESETS'))).toEqual([
    expect.stringMatching(/^take-over: .*RESETS old_cmi .*untouched: old_pccw$/),
  ]);
  expect(lines[0]).toContain('resets no session');
});

describe('nothing is changed', () => {
  test.each<[string, Partial<MigrateWorld>, Partial<MigratePlan>, string]>([
    [
      'when BIRD has no such session',
      {},
      { adopted: [{ uplink: 'cmi', family: 4, name: 'nobody' }] },
      'BIRD has no BGP protocol nobody',
    ],
    [
      'when bird -p refuses the new texts',
      { check: async () => 'bird -p refuses the new text' },
      {},
      'bird -p refuses',
    ],
    [
      'when the texts cannot be kept',
      { keep: async () => Promise.reject(new Error('ENOSPC')) },
      {},
      'ENOSPC',
    ],
    [
      'when a secret cannot be read',
      { render: async () => Promise.reject(new Error('cmi.key: EACCES')) },
      {},
      'cmi.key: EACCES',
    ],
  ])('%s', async (_, more, other, why) => {
    const told = new Told();
    const result = await migrate(told.world(more), { ...plan, ...other }, quiet);
    expect(result).toEqual({ kind: 'refused', why: expect.stringContaining(why) });
    expect(told.did).toEqual([]);
    expect(told.texts).toBe(before);
  });
});

describe('both files are put back and loaded', () => {
  const put = async (told: Told, more: Partial<MigrateWorld>): Promise<unknown> => {
    const result = await migrate(told.world(more), plan, quiet);
    expect(told.did.slice(-2)).toEqual(['restore', 'configure']);
    expect(told.texts).toBe(before);
    expect(told.running).toBe(before);
    expect(told.kept).toBeNull();
    return result;
  };

  test('when another session moves while this one is taken over', async () => {
    const told = new Told();
    const configure = async (undo: number | null): Promise<void> => {
      told.did.push(undo === null ? 'configure' : 'configure timeout');
      told.running = told.texts;
      if (told.texts.owned !== null) told.pccwSince = 99;
    };
    expect(await put(told, { configure })).toMatchObject({
      kind: 'put-back',
      why: expect.stringContaining('old_pccw moved'),
    });
  });

  test('when a session moves that should only be drained', async () => {
    const told = new Told();
    const configure = async (undo: number | null): Promise<void> => {
      told.did.push(undo === null ? 'configure' : 'configure timeout');
      told.running = told.texts;
      told.pccwSince += 30;
    };
    expect(await put(told, { configure })).toMatchObject({ kind: 'put-back' });
    expect(told.did).not.toContain('confirm');
  });

  test('when somebody ends the pending configure first', async () => {
    expect(await put(new Told(), { confirm: async () => false })).toMatchObject({
      kind: 'put-back',
      why: expect.stringContaining('somebody'),
    });
  });

  test('when the new session does not export in time', async () => {
    const told = new Told();
    const exported: MigrateWorld['exported'] = async (session, prefix, isUp) =>
      session === 'bgp_cmi4' ? { kind: 'not-exported' } : told.world().exported(session, prefix, isUp);
    expect(await put(told, { exported })).toMatchObject({
      kind: 'put-back',
      why: 'bgp_cmi4 does not export 203.0.113.0/24',
    });
  });
});

test('what cannot be put back is said, and is kept for the next start', async () => {
  const told = new Told();
  const restore = async (): Promise<void> => Promise.reject(new Error('read-only file system'));
  const result = await migrate(told.world({ confirm: async () => false, restore }), plan, quiet);
  expect(result).toEqual({ kind: 'stuck', why: expect.stringContaining('read-only file system') });
  expect(told.kept).toBe(before);
});

test('an export that cannot be drained by text is refused unless that is waived', async () => {
  const told = new Told();
  told.texts = { conf: conf.replaceAll('export all;', 'export filter nowhere;'), owned: null };
  told.running = told.texts;
  expect(await migrate(told.world(), plan, quiet)).toEqual({
    kind: 'refused',
    why: expect.stringContaining('--no-drain'),
  });
  expect(await migrate(told.world(), { ...plan, drainFirst: false }, quiet)).toEqual({ kind: 'migrated' });
});

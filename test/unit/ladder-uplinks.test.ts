/** Rungs that look from uplink to uplink: backups, tied families, capacity and regions; and a memory that was stored. */
import { describe, expect, test } from 'vitest';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { type DecideMemory, emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { restoreDecideMemory } from '../../src/core/decide/restore-memory.ts';
import type { ServiceUplink, Uplink } from '../../src/types/config.ts';
import { both, failedAt, ofService, play, slowAt, type Story, well, wellAt } from '../support/story.ts';
import { type Fact, healthOf, inputAt, policy, uplinkNamed, web } from '../support/world.ts';

const spare: ServiceUplink = {
  state: 'backup',
  med: null,
  prepend: null,
  communities: null,
  drainCommunities: null,
};
const backups: readonly Story[] = [
  {
    name: 'a backup is drained, announced at once when it is needed, and drained again after',
    always: ofService({ uplinks: new Map([['pccw', spare]]) }),
    moments: [
      { at: 1, facts: both, wish: { cmi: 'announce', pccw: 'drain' } },
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 200, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'drain' } },
    ],
  },
  {
    name: 'a slow uplink is drained where a backup can take over',
    always: ofService({ uplinks: new Map([['pccw', spare]]) }),
    moments: [{ at: 10, facts: { cmi: slowAt(10), pccw: well }, wish: { cmi: 'drain', pccw: 'announce' } }],
  },
  {
    name: 'a backup whose others are down by their sessions is needed',
    always: ofService({ uplinks: new Map([['pccw', spare]]) }),
    moments: [
      {
        at: 10,
        facts: both,
        more: {
          sessions: new Map([
            ['cmi4', 'down'],
            ['pccw4', 'up'],
          ]),
        },
        wish: { cmi: 'announce', pccw: 'announce' },
      },
    ],
  },
];

describe('backup uplinks', () => {
  test.each(backups)('$name', ({ moments, always }) => play(moments, always));
});

describe('tied families', () => {
  const tied = { ...policy, tieFamilies: true };
  const dual = { ...web, prefixes: [...web.prefixes, { family: 6, text: '2001:db8::/48' } as const] };

  function statesOf(health: DecideInput['health'], tie: boolean): readonly string[] {
    const input = inputAt(10, both, { services: [dual], health, policy: tie ? tied : policy });
    const { wish } = decide(input, emptyDecideMemory);
    return wish.announcements.map(({ uplink, family, state }) => `${uplink}${family} ${state}`);
  }

  test('both move with the worse verdict, and apart without the tie', () => {
    const health = [
      healthOf('cmi', 4, well),
      healthOf('cmi', 6, failedAt(10)),
      healthOf('pccw', 4, well),
      healthOf('pccw', 6, well),
    ];
    expect(statesOf(health, true)).toEqual([
      'cmi4 withdraw',
      'pccw4 announce',
      'cmi6 withdraw',
      'pccw6 announce',
    ]);
    expect(statesOf(health, false)).toEqual([
      'cmi4 announce',
      'pccw4 announce',
      'cmi6 withdraw',
      'pccw6 announce',
    ]);
  });

  test('a family without targets borrows the verdict of the other', () => {
    const health = [healthOf('cmi', 4, failedAt(10)), healthOf('pccw', 4, well)];
    expect(statesOf(health, true)).toEqual([
      'cmi4 withdraw',
      'pccw4 announce',
      'cmi6 withdraw',
      'pccw6 announce',
    ]);
  });
});

describe('tied families with few targets', () => {
  test('too few say nothing, while a family that is unknown for now makes both so', () => {
    const reasonsOf = (reason: 'too-few-samples' | 'prober-silent'): readonly string[] => {
      const six = healthOf('cmi', 6, { health: 'unknown', reason });
      const input = inputAt(10, both, {
        services: [{ ...web, prefixes: [...web.prefixes, { family: 6, text: '2001:db8::/48' }] }],
        health: [healthOf('cmi', 4, well), six],
        policy: { ...policy, tieFamilies: true },
      });
      return decide(input, emptyDecideMemory).wish.announcements.map((one) => one.reason);
    };
    expect(reasonsOf('too-few-samples')).toEqual(['healthy', 'healthy']);
    expect(reasonsOf('prober-silent')).toEqual(['unknown-keep', 'unknown-keep']);
  });
});

describe('capacity', () => {
  const loaded = (
    gigabits: Readonly<Record<string, number>>,
    capacity: number | null = 10e9,
  ): Partial<DecideInput> => ({
    uplinks: Object.keys(gigabits).map((name): Uplink => ({ ...uplinkNamed(name), capacityBits: capacity })),
    traffic: new Map(Object.entries(gigabits).map(([name, load]) => [name, load * 1e9])),
  });
  const outcome = (facts: Readonly<Record<string, Fact>>, more: Partial<DecideInput>): string => {
    const { wish } = decide(inputAt(10, facts, more), emptyDecideMemory);
    return wish.announcements.map(({ state, held }) => `${state} ${held?.guard ?? ''}`.trim()).join(', ');
  };

  test.each([
    [
      'a drain that fits is made',
      { cmi: slowAt(1), pccw: well },
      loaded({ cmi: 4, pccw: 4 }),
      'drain, announce',
    ],
    [
      'one that does not is held',
      { cmi: slowAt(1), pccw: well },
      loaded({ cmi: 8, pccw: 4 }),
      'announce capacity, announce',
    ],
    [
      'a failed uplink that carries most is drained at once instead of withdrawn',
      { cmi: failedAt(1, { loss: 0.08 }), pccw: well },
      loaded({ cmi: 8, pccw: 4 }),
      'drain capacity, announce',
    ],
    [
      'one that loses half leaves at once, room or not',
      { cmi: failedAt(1, { loss: 0.5 }), pccw: well },
      loaded({ cmi: 8, pccw: 9 }),
      'withdraw, announce',
    ],
    [
      'one whose gateway is dead leaves at once, room or not',
      { cmi: failedAt(1, { loss: 0.1, gateway: 'failed' }), pccw: well },
      loaded({ cmi: 8, pccw: 9 }),
      'withdraw, announce',
    ],
    [
      'without a capacity nothing is held',
      { cmi: failedAt(1, { loss: 0.08 }), pccw: well },
      loaded({ cmi: 8, pccw: 9 }, null),
      'withdraw, announce',
    ],
    [
      'two that want to go at once share what room there is, the worse first',
      { cmi: failedAt(1, { loss: 0.1 }), pccw: failedAt(1, { loss: 0.3 }), hkbn: well },
      loaded({ cmi: 4, pccw: 4, hkbn: 5 }),
      'drain capacity, withdraw, announce',
    ],
  ] as const)('%s', (_name, facts, more, wanted) => {
    expect(outcome(facts, more)).toBe(wanted);
  });

  test("what an override's end takes away is no verdict, and is not held", () => {
    const memory: DecideMemory = {
      ...emptyDecideMemory,
      standing: { cmi_web4: { state: 'withdraw', reason: 'loss', text: 'x', byVerdict: true } },
      wished: { cmi_web4: { state: 'announce', beneath: 'withdraw' } },
    };
    const facts: Readonly<Record<string, Fact>> = { cmi: { health: 'unknown' }, pccw: well };
    const { wish } = decide(inputAt(10, facts, loaded({ cmi: 8, pccw: 9 })), memory);
    expect(wish.announcements.map(({ state }) => state)).toEqual(['withdraw', 'announce']);
  });

  test('without counters nothing is held', () => {
    const more = { ...loaded({ cmi: 8, pccw: 9 }), traffic: new Map() };
    expect(outcome({ cmi: failedAt(1, { loss: 0.08 }), pccw: well }, more)).toBe('withdraw, announce');
  });
});

describe('regions', () => {
  test('one that fails on a good uplink is told apart and never touches BGP', () => {
    const health = healthOf('cmi', 4, well);
    const regions = new Map([
      ['ID', { ...health.uplinkVerdict, health: 'failed' as const, text: 'loss 40 % in ID' }],
      ['PH', health.uplinkVerdict],
    ]);
    const input = inputAt(10, both, { health: [{ ...health, regions }, healthOf('pccw', 4, well)] });
    const { wish, regional } = decide(input, emptyDecideMemory);
    expect(regional).toEqual([
      { uplink: 'cmi', family: 4, region: 'ID', state: 'down', text: 'loss 40 % in ID' },
    ]);
    expect(wish.announcements.map(({ state }) => state)).toEqual(['announce', 'announce']);
    expect(wish.egress.map(({ state }) => state)).toEqual(['use', 'use']);
  });

  test('of an uplink that failed itself none is told apart', () => {
    const health = healthOf('cmi', 4, failedAt(1));
    const regions = new Map([['ID', health.uplinkVerdict]]);
    const input = inputAt(10, both, { health: [{ ...health, regions }, healthOf('pccw', 4, well)] });
    expect(decide(input, emptyDecideMemory).regional).toEqual([]);
  });
});

describe('a stored memory', () => {
  test('of an older version, or of none, is filled up with full budgets', () => {
    const standing: DecideMemory['standing'] = {
      cmi_web4: { state: 'withdraw', reason: 'loss', text: 'x', byVerdict: true },
    };
    expect(restoreDecideMemory({ standing, clocks: {} })).toEqual({ ...emptyDecideMemory, standing });
    for (const broken of [null, 7, 'x', [], { standing: [], events: {}, now: 'soon', consented: null }])
      expect(restoreDecideMemory(broken)).toEqual(emptyDecideMemory);
  });
});

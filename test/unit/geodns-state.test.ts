/** Order of reports, overrides, the guard against mass removal, the ladder and the reasons. */
import { describe, expect, test } from 'vitest';
import { availabilityOf, viewOf } from '../../geodns/decision/availability.ts';
import { choose } from '../../geodns/decision/choose.ts';
import { clientOf, decide } from '../../geodns/decision/decide.ts';
import { parseEvent } from '../../geodns/decision/events.ts';
import { heldReports } from '../../geodns/decision/guard.ts';
import {
  accept,
  emptyState,
  fold,
  nextExpiryMillis,
  type Override,
  snapshot,
  type State,
} from '../../geodns/decision/state.ts';
import { type GeoFacts, nothingKnown } from '../../geodns/mmdb/geo.ts';
import { parseAddress } from '../../geodns/address.ts';
import type { Family } from '../../src/types/units.ts';
import { hear, labNetworks, labRules, policyOf, report, stateWith, told } from '../support/geodns.ts';

const hour = 3_600_000;
const later = 1000 * hour;
const cdn = policyOf(labRules, 'cdn');

describe('order', () => {
  const base = hear(emptyState, 'hk1/cmi', report(5, 10, told('up')), 1000);
  test.each([
    { name: 'a higher seq', message: report(5, 11, told('down')), kind: 'accepted' },
    { name: 'a higher epoch with a low seq', message: report(6, 0, told('down')), kind: 'accepted' },
    { name: 'a late one', message: report(5, 9, told('down')), kind: 'stale' },
    { name: 'an old epoch with a high seq', message: report(4, 99, told('down')), kind: 'stale' },
    { name: 'the same again', message: report(5, 10, told('up')), kind: 'replay' },
    { name: 'the same order with another state', message: report(5, 10, told('down')), kind: 'stale' },
    { name: 'one without order', message: report(0, 0, told('down')), kind: 'order-required' },
  ])('$name is $kind', ({ message, kind }) => {
    expect(accept(base, 'hk1/cmi', message, 2000).kind).toBe(kind);
  });
  test('a report without order is taken where no node sends orders, and forgotten when it expires', () => {
    const message = { ...report(0, 0, told('down')), expiresAtMillis: 5000 };
    const state = hear(emptyState, 'hk1/cmi', message, 1000);
    const target = labRules.targets.get('hk1/cmi');
    const at = (now: number): string | undefined =>
      target &&
      availabilityOf(viewOf(labRules, state, now), target, { family: 4, country: null, service: null }).state;
    expect(at(4999)).toBe('down');
    expect(at(5000)).toBe('up');
    expect(nextExpiryMillis(state, 1000)).toBe(5000);
  });
  test('the time of a change stays while the state stays', () => {
    const first = hear(emptyState, 'hk1/cmi', report(1, 1, told('down', { regions: { ID: 'down' } })), 1000);
    const second = hear(first, 'hk1/cmi', report(1, 2, told('down', { regions: { ID: 'up' } })), 2000);
    expect(second.records.get('hk1/cmi')?.changedAtMillis).toMatchObject({ 4: 1000, '4/ID': 2000 });
  });
});

test('a snapshot through JSON is the same state', () => {
  const override: Override = {
    glob: 'hk1/*',
    family: null,
    state: 'drain',
    untilMillis: 9e12,
    author: 'ann',
    reason: 'work',
  };
  const state = fold(
    stateWith({ 'hk1/cmi': told('down', { regions: { ID: 'down' } }), 'hk1/pccw': told('up') }),
    {
      kind: 'override',
      override,
      atMillis: 1,
    },
  );
  const back = snapshot(state, 5)
    .map((event) => parseEvent(JSON.parse(JSON.stringify(event))))
    .reduce((sum: State, event) => (event === undefined ? sum : fold(sum, event)), emptyState);
  expect(back).toEqual(state);
});

test.each([null, 1, {}, { kind: 'other' }, { kind: 'revision', revision: -1, atMillis: 0, text: '' }])(
  'the foreign journal entry %j is no event',
  (entry) => {
    expect(parseEvent(entry)).toBeUndefined();
  },
);

describe('guard', () => {
  const burst = (spacing: number): State =>
    stateWith(
      {
        'hk1/cmi': told('down'),
        'hk1/pccw': told('down'),
        'hk1/hkbn': told('down'),
        'hk2/cmi': told('down'),
      },
      spacing,
    );
  test('holds what is beyond the share when all go down together, and keeps the first ones out', () => {
    expect([...heldReports(labRules, burst(1000), later)].sort()).toEqual([
      'hk1/hkbn 6',
      'hk2/cmi 4',
      'hk2/cmi 6',
    ]);
  });
  test('believes them one by one when they fail further apart than the window', () => {
    expect(heldReports(labRules, burst(31_000), later).size).toBe(0);
  });
  test('lets a held one go as soon as another of the burst has recovered', () => {
    const state = hear(burst(1000), 'hk1/cmi', report(2, 1, told('up')), 60_000);
    expect([...heldReports(labRules, state, later)]).toEqual(['hk2/cmi 6']);
  });
  test('does not count what an operator took down', () => {
    const override: Override = {
      glob: '*/cmi',
      family: null,
      state: 'down',
      untilMillis: 9e12,
      author: 'ann',
      reason: 'x',
    };
    const state = fold(burst(1000), { kind: 'override', override, atMillis: 1 });
    expect(heldReports(labRules, state, later).size).toBe(0);
  });
  test('counts each region for itself', () => {
    const down = told('up', { regions: { ID: 'down' } });
    const state = stateWith({ 'hk1/cmi': down, 'hk1/pccw': down, 'hk1/hkbn': down, 'hk2/cmi': down }, 1000);
    expect([...heldReports(labRules, state, later)].sort()).toEqual([
      'hk1/hkbn 6/ID',
      'hk2/cmi 4/ID',
      'hk2/cmi 6/ID',
    ]);
  });
});

describe('availability', () => {
  const target = labRules.targets.get('hk1/cmi');
  const stateFor = (
    state: State,
    country: string | null,
    service: string | null = null,
  ): string | undefined =>
    target && availabilityOf(viewOf(labRules, state, later), target, { family: 4, country, service }).state;
  test('of a region counts for its users alone, by code or by name', () => {
    const state = stateWith({ 'hk1/cmi': told('up', { regions: { ID: 'down', gulf: 'drain' } }) });
    expect([
      stateFor(state, 'ID'),
      stateFor(state, 'QA'),
      stateFor(state, 'VN'),
      stateFor(state, null),
    ]).toEqual(['down', 'drain', 'up', 'up']);
  });
  test('of a service counts for its policies alone', () => {
    const state = stateWith({ 'hk1/cmi': told('up', { services: { web: 'down' } }) });
    expect([stateFor(state, null, 'web'), stateFor(state, null, 'mail'), stateFor(state, null)]).toEqual([
      'down',
      'up',
      'up',
    ]);
  });
  test('an override beats every report until it expires', () => {
    const override: Override = {
      glob: 'hk1/*',
      family: 4,
      state: 'up',
      untilMillis: later,
      author: 'ann',
      reason: 'x',
    };
    const state = fold(stateWith({ 'hk1/cmi': told('down') }), { kind: 'override', override, atMillis: 1 });
    expect(
      target &&
        availabilityOf(viewOf(labRules, state, later - 1), target, {
          family: 4,
          country: null,
          service: null,
        }).state,
    ).toBe('up');
    expect(stateFor(state, null)).toBe('down');
  });
});

describe('ladder', () => {
  const order = [...(cdn.rules[2]?.use ?? []), ...cdn.otherwise];
  const level = (state: State, family: Family = 4): string => {
    const chosen = choose(viewOf(labRules, state, later), order, { family, country: null, service: null });
    return `${chosen.level} ${chosen.pool} ${chosen.targets.join(' ')}`;
  };
  const down = (...names: readonly string[]): Record<string, ReturnType<typeof told>> =>
    Object.fromEntries(names.map((name) => [name, told('down')]));
  const hk = ['hk1/cmi', 'hk2/cmi', 'hk1/pccw', 'hk2/pccw'];
  test('begins with the first pool', () => {
    expect(level(emptyState)).toBe('normal hk-cmi hk1/cmi hk2/cmi');
  });
  test('leaves out a target that is down', () => {
    expect(level(stateWith(down('hk1/cmi')))).toBe('normal hk-cmi hk2/cmi');
  });
  test('goes to the next pool, then to the default', () => {
    expect(level(stateWith(down('hk1/cmi', 'hk2/cmi')))).toBe('normal hk-pccw hk1/pccw hk2/pccw');
    expect(level(stateWith(down(...hk)))).toBe('normal multi sg1/multi');
  });
  test('prefers a drained target to a dead one', () => {
    expect(level(stateWith({ ...down(...hk, 'sg1/multi'), 'hk2/cmi': told('drain') }))).toBe(
      'drained hk-cmi hk2/cmi',
    );
  });
  test('fails open to the whole first pool when nothing is left', () => {
    expect(level(stateWith(down(...hk, 'sg1/multi')))).toBe('fail-open hk-cmi hk1/cmi hk2/cmi');
  });
  test('keeps what an operator took down out even then, as long as there is anything else', () => {
    const override: Override = {
      glob: 'hk1/cmi',
      family: null,
      state: 'down',
      untilMillis: 9e12,
      author: 'a',
      reason: 'x',
    };
    const state = fold(stateWith(down(...hk, 'sg1/multi')), { kind: 'override', override, atMillis: 1 });
    expect(level(state)).toBe('fail-open hk-cmi hk2/cmi');
    const all = fold(state, { kind: 'override', override: { ...override, glob: '*/*' }, atMillis: 1 });
    expect(level(all)).toBe('all-down hk-cmi hk1/cmi hk2/cmi');
  });
  test('skips pools without an address of the family', () => {
    expect(level(stateWith(down('hk1/cmi', 'hk2/cmi', 'hk1/pccw')), 6)).toBe('normal multi sg1/multi');
  });
  test('takes the healthier pool where fewer than min_healthy are up, and the short one only after it', () => {
    const pools = [labRules.pools.get('hk-any'), labRules.pools.get('hk-hkbn')].filter(
      (pool) => pool !== undefined,
    );
    const pick = (state: State): string => {
      const chosen = choose(viewOf(labRules, state, later), pools, {
        family: 4,
        country: null,
        service: null,
      });
      return `${chosen.level} ${chosen.targets.join(' ')}`;
    };
    expect(pick(stateWith(down('hk1/cmi', 'hk1/pccw')))).toBe('normal hk1/hkbn');
    expect(pick(stateWith(down('hk1/hkbn', 'hk1/pccw')))).toBe('short hk1/cmi');
  });
  test('shares a weight among the addresses of a target', () => {
    const pool = labRules.pools.get('hk-any');
    const chosen = choose(viewOf(labRules, emptyState, later), pool ? [pool] : [], {
      family: 4,
      country: null,
      service: null,
    });
    expect(chosen.answer).toEqual({
      kind: 'weighted',
      choices: [
        { address: '203.0.113.11', weight: 3 },
        { address: '203.0.113.12', weight: 3 },
        { address: '203.0.113.21', weight: 2 },
        { address: '203.0.113.31', weight: 2 },
      ],
    });
  });
});

describe('decision', () => {
  const answer = (text: string, facts: Partial<GeoFacts>, state = emptyState): ReturnType<typeof decide> => {
    const address = parseAddress(text) ?? { family: 4, value: 0n };
    const client = clientOf(labNetworks, address, { ...nothingKnown, ...facts });
    return decide(viewOf(labRules, state, later), cdn, client, 4);
  };
  test.each<{ name: string; address?: string; facts: Partial<GeoFacts>; rule: number | null; pool: string }>([
    {
      name: 'a subnet before all else',
      address: '198.51.100.9',
      facts: { asn: 9808 },
      rule: 1,
      pool: 'multi',
    },
    {
      name: 'South China Telecom by network and subdivision',
      facts: { asn: 4134, country: 'CN', subdivision: 'CN-GD' },
      rule: 2,
      pool: 'hk-pccw',
    },
    {
      name: 'other Telecom by the joined rule',
      facts: { asn: 4812, country: 'CN' },
      rule: 4,
      pool: 'hk-pccw',
    },
    { name: 'a mobile user anywhere', facts: { asn: 56040 }, rule: 3, pool: 'hk-cmi' },
    { name: 'an ASN', facts: { asn: 4788, country: 'MY' }, rule: 5, pool: 'hk-hkbn' },
    {
      name: 'a joined subnet only with its country',
      address: '100.64.1.1',
      facts: { country: 'ID' },
      rule: 6,
      pool: 'hk-cmi',
    },
    {
      name: 'that subnet elsewhere by the default',
      address: '100.64.1.1',
      facts: { country: 'JP' },
      rule: null,
      pool: 'multi',
    },
    { name: 'a country', facts: { country: 'VN' }, rule: 7, pool: 'hk-cmi' },
    { name: 'a region', facts: { country: 'PH' }, rule: 8, pool: 'hk-any' },
    { name: 'Hong Kong not as China', facts: { country: 'HK' }, rule: null, pool: 'multi' },
    { name: 'a code that is no country', facts: { country: 'EU' }, rule: null, pool: 'multi' },
    { name: 'nobody known', facts: {}, rule: null, pool: 'multi' },
  ])('takes $name', ({ address, facts, rule, pool }) => {
    const decision = answer(address ?? '192.0.2.1', facts);
    expect([decision.rule?.number ?? null, decision.pool]).toEqual([rule, pool]);
  });
  test('says why, with what was left out', () => {
    const state = stateWith({ 'hk1/cmi': told('down'), 'hk2/cmi': told('up', { regions: { VN: 'down' } }) });
    expect(answer('192.0.2.1', { asn: 45899, country: 'VN', continent: 'AS' }, state).why).toEqual([
      'access network vnpt by AS45899; AS 45899; VN, AS',
      'rule 7 (VN)',
      'normal: hk-pccw',
      'hk1/cmi is down (uplink: loss 34 %)',
      'hk2/cmi is down (region: VN: loss 34 %)',
    ]);
  });
});

/** DESIGN §7.12 line by line: what GeoDNS and other APIs hear of an announcement, an uplink and its regions. */
import { describe, expect, test } from 'vitest';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { newsOfUplink } from '../../src/core/tell/news.ts';
import { saysSame, tell, type TellInput } from '../../src/core/tell/tell.ts';
import { type Known, wordFor } from '../../src/core/tell/words.ts';
import type { ToldUplink } from '../../src/types/told.ts';
import type { ToldState } from '../../src/types/wire/enums.ts';
import type { AnnouncementWish } from '../../src/types/wish.ts';
import { failedAt, readiness, said, well, window } from '../support/story.ts';
import { type Fact, healthOf, inputAt, verdict } from '../support/world.ts';

const wish = (more: Partial<AnnouncementWish>): AnnouncementWish => ({
  service: 'web',
  uplink: 'cmi',
  family: 4,
  state: 'announce',
  reason: 'healthy',
  text: '',
  author: 'causeway',
  held: null,
  ...more,
});
const held = (guard: NonNullable<AnnouncementWish['held']>['guard']): AnnouncementWish['held'] => ({
  guard,
  text: '',
  until: null,
});
const known = (more: Partial<Known>): Known => ({
  wish: wish({}),
  session: 'up',
  seen: 'exported',
  birdSeen: true,
  last: null,
  ...more,
});
const keeps = (more: Partial<Known>): readonly (ToldState | null)[] =>
  (['up', 'drain', 'down', null] as const).map((last) => wordFor(known({ ...more, last })));
const repeated = ['up', 'drain', 'down', null];

describe('the word of an announcement', () => {
  test.each<[string, Partial<Known>, ToldState]>([
    ['announced and exported is up', {}, 'up'],
    [
      'a decided failure that no guard holds is down',
      { wish: wish({ state: 'withdraw', reason: 'loss' }), seen: 'absent' },
      'down',
    ],
    [
      'a decided failure is down in the tick that decides it, while BIRD still exports',
      { wish: wish({ state: 'withdraw', reason: 'loss' }), last: 'up' },
      'down',
    ],
    ['a degraded uplink is drained', { wish: wish({ state: 'drain', reason: 'latency' }) }, 'drain'],
    ['a session that is surely down is down', { session: 'down', seen: 'session-down', last: 'up' }, 'down'],
    [
      'a session that is surely down is down, whatever an operator says',
      { session: 'down', wish: wish({ reason: 'override', author: 'ops' }) },
      'down',
    ],
    ['a canary is drained', { wish: wish({ state: 'drain', held: held('canary') }), last: 'down' }, 'drain'],
    ['a backup is drained', { wish: wish({ state: 'drain', reason: 'backup' }) }, 'drain'],
    [
      'a service that is not ready and waits for consent is drained',
      { wish: wish({ state: 'drain', reason: 'not-ready', held: held('no-consent') }), last: 'up' },
      'drain',
    ],
    [
      'a planned drain is drain before BGP follows',
      { wish: wish({ reason: 'dns-first', author: 'ops', held: held('dns-first') }), last: 'up' },
      'drain',
    ],
    [
      'a planned drain is drain while BIRD is unreachable',
      { wish: wish({ reason: 'dns-first', held: held('dns-first') }), birdSeen: false, last: 'up' },
      'drain',
    ],
  ])('%s', (_name, more, word) => {
    expect(wordFor(known(more))).toBe(word);
  });

  const people = ['override', 'maintenance', 'not-ready', 'booting', 'stopping'] as const;
  test.each(people)('%s is never hidden, not by an unreachable BIRD either', (reason) => {
    const state = { wish: wish({ state: 'withdraw', reason }), birdSeen: false, seen: 'unknown' } as const;
    expect(wordFor(known({ ...state, last: 'up' }))).toBe('down');
  });

  test.each<[string, Partial<Known>]>([
    ['a guard that holds a failure', { wish: wish({ reason: 'all-bad', held: held('all-bad') }) }],
    ['the last resort', { wish: wish({ reason: 'last-resort', held: held('last-resort') }) }],
    ['a return that is held', { wish: wish({ state: 'withdraw', reason: 'hold', held: held('hold') }) }],
    ['a frozen wish', { wish: wish({ state: 'withdraw', reason: 'frozen', held: held('frozen') }) }],
    ['an unknown health', { wish: wish({ reason: 'unknown-keep' }) }],
    ['the first window', { wish: wish({ state: 'withdraw', reason: 'as-found' }), seen: 'absent' }],
    ['an unreachable BIRD', { birdSeen: false, seen: 'unknown' }],
    [
      'an unreachable BIRD and a failure',
      { birdSeen: false, wish: wish({ state: 'withdraw', reason: 'loss' }) },
    ],
    ['an announcement that BIRD does not show exported yet', { seen: 'absent' }],
    ['a session that is down for a moment', { session: 'unknown', seen: 'session-down' }],
  ])('%s adds nothing: the last word is said again', (_name, more) => {
    expect(keeps(more)).toEqual(repeated);
  });
});

/** The tell of a decided tick; all that is announced is exported. */
function toldAt(
  facts: Readonly<Record<string, Fact>>,
  more: Partial<DecideInput> = {},
  extra: Partial<TellInput> = {},
  before: readonly ToldUplink[] = [],
): Readonly<Record<string, ToldUplink>> {
  const input = inputAt(100, facts, more);
  const decision = decide(input, emptyDecideMemory);
  const told = tell(
    {
      services: input.services,
      uplinks: input.uplinks,
      wish: decision.wish,
      health: input.health,
      sessions: input.sessions,
      seen: new Map(Object.keys(facts).map((name) => [`${name}_web4`, 'exported'])),
      birdSeen: true,
      frozen: false,
      ...extra,
    },
    new Map(before.map((one) => [one.uplink, one])),
  );
  return Object.fromEntries(told.map((one) => [one.uplink, one]));
}
const stateOf = (told: Readonly<Record<string, ToldUplink>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(told).map(([name, { families }]) => [name, families[4]?.state ?? '-']));

describe('what is told of an uplink', () => {
  test('a dead carrier is down, with its reason and evidence, and the others are up', () => {
    const told = toldAt({ cmi: failedAt(90), pccw: well });
    expect(stateOf(told)).toEqual({ cmi: 'down', pccw: 'up' });
    expect(told['cmi']).toMatchObject({
      carrier: 'cmi',
      held: null,
      reason: 'failed in a test',
      evidence: { loss: 1, targets: 4 },
    });
  });

  test('all that fail together are told as they were, and the guard is named', () => {
    const before = Object.values(toldAt({ cmi: well, pccw: well }));
    const told = toldAt({ cmi: failedAt(99), pccw: failedAt(99) }, {}, {}, before);
    expect(stateOf(told)).toEqual({ cmi: 'up', pccw: 'up' });
    expect(told['cmi']?.held).toBe('all-bad');
  });

  test('all that failed together before anything was told is left out', () => {
    expect(toldAt({ cmi: failedAt(99), pccw: failedAt(99) })).toEqual({});
  });

  test('a window and an operator are told while BIRD is unreachable', () => {
    const more = { overrides: [window('withdraw', 'cmi'), said('withdraw', { uplink: 'pccw' })] };
    const told = toldAt({ cmi: well, pccw: well, hkbn: well }, more, { birdSeen: false });
    expect(stateOf(told)).toEqual({ cmi: 'down', pccw: 'down' });
  });

  test('a service that is not ready is drained on every uplink', () => {
    const told = toldAt({ cmi: well, pccw: well }, readiness('not-ready'));
    expect(stateOf(told)).toEqual({ cmi: 'drain', pccw: 'drain' });
  });

  test('with a service that is down and one that is up the uplink is up, and the service down', () => {
    const dns = { ...inputAt(0, { cmi: well }).services[0], name: 'dns' };
    const services = [...inputAt(0, { cmi: well }).services, dns] as DecideInput['services'];
    const more = { services, overrides: [said('withdraw', { service: 'dns' })] };
    const seen = { seen: new Map([['cmi_web4', 'exported'] as const, ['cmi_dns4', 'absent'] as const]) };
    const told = toldAt({ cmi: well }, more, seen);
    expect(told['cmi']?.families[4]).toMatchObject({ state: 'up', services: { web: 'up', dns: 'down' } });
  });

  test('the sentence is cut, so that a message is never large', () => {
    const long = said('withdraw', { uplink: 'cmi' }, { reason: 'x'.repeat(5000) });
    expect(toldAt({ cmi: well }, { overrides: [long] })['cmi']?.reason.length).toBe(200);
  });

  test('figures and sentences make no news, states and guards do', () => {
    const [one] = Object.values(toldAt({ cmi: well }));
    if (one === undefined) throw new Error('nothing was told');
    expect(saysSame(one, { ...one, reason: 'other', evidence: null })).toBe(true);
    expect(saysSame(one, { ...one, held: 'flap' })).toBe(false);
    const four = { state: 'drain', regions: {}, services: {} } as const;
    expect(saysSame(one, { ...one, families: { 4: four } })).toBe(false);
  });
});

describe('regions', () => {
  const withRegion = (
    uplink: string,
    region: 'failed' | 'healthy' | 'unknown' | 'degraded',
    own: Fact = well,
  ) => ({
    ...healthOf(uplink, 4, own),
    regions: new Map([['ID', verdict({ health: region })]]),
  });
  const uplinks = inputAt(0, { cmi: well, pccw: well }).uplinks.map((one, index) => ({
    ...one,
    localPref: 300 - 100 * index,
  }));
  const regionsOf = (
    uplink: string,
    health: DecideInput['health'],
    more: Partial<DecideInput> = {},
    extra: Partial<TellInput> = {},
    before: readonly ToldUplink[] = [],
  ): unknown => {
    const told = toldAt({ cmi: well, pccw: well }, { uplinks, health, ...more }, extra, before);
    return told[uplink]?.families[4]?.regions;
  };

  test('a region that fails on an uplink is told where answers leave by a better one', () => {
    expect(regionsOf('pccw', [healthOf('cmi', 4, well), withRegion('pccw', 'failed')])).toEqual({
      ID: 'down',
    });
    expect(regionsOf('pccw', [healthOf('cmi', 4, well), withRegion('pccw', 'degraded')])).toEqual({
      ID: 'drain',
    });
  });

  test('it is not told of the uplink by which answers leave: moving users would not move them', () => {
    expect(regionsOf('cmi', [withRegion('cmi', 'failed'), healthOf('pccw', 4, well)])).toEqual({});
  });

  test('it is told there too, if a service answers by the uplink that it was asked on', () => {
    const web = inputAt(0, { cmi: well }).services[0];
    const bound = {
      state: 'announce',
      med: null,
      prepend: null,
      communities: null,
      drainCommunities: null,
    } as const;
    const services = [
      { ...web, egress: 'by-source', uplinks: new Map([['cmi', bound]]) },
    ] as DecideInput['services'];
    const health = [withRegion('cmi', 'failed'), healthOf('pccw', 4, well)];
    expect(regionsOf('cmi', health, { services }, { services })).toEqual({ ID: 'down' });
  });

  test('an unknown region, a freeze and an unreachable BIRD say the last word again', () => {
    const four = { state: 'up', regions: { ID: 'down' }, services: { web: 'up' } } as const;
    const last: ToldUplink = {
      uplink: 'pccw',
      carrier: 'pccw',
      families: { 4: four },
      held: null,
      reason: '',
      evidence: null,
    };
    const of = (region: 'healthy' | 'unknown', extra: Partial<TellInput> = {}): unknown =>
      regionsOf('pccw', [healthOf('cmi', 4, well), withRegion('pccw', region)], {}, extra, [last]);
    expect(of('unknown')).toEqual({ ID: 'down' });
    expect(of('healthy', { frozen: true })).toEqual({ ID: 'down' });
    expect(of('healthy', { birdSeen: false })).toEqual({ ID: 'down' });
    expect(of('healthy')).toEqual({});
  });
});

describe('what webhooks hear of an uplink', () => {
  const teller = { node: 'hk1', site: 'hkg', at: '2026-11-30T01:00:00Z' };
  const family = (state: ToldState) => ({ state, regions: {}, services: {} });
  const told = (four: ToldState, six: ToldState): ToldUplink => ({
    uplink: 'cmi',
    carrier: 'cmi',
    families: { 4: family(four), 6: family(six) },
    held: null,
    reason: 'loss',
    evidence: null,
  });
  test.each<[ToldState, ToldState, string]>([
    ['up', 'up', 'announce'],
    ['up', 'drain', 'drain'],
    ['down', 'drain', 'withdraw'],
    ['up', 'down', 'withdraw'],
  ])('IPv4 %s and IPv6 %s is %s', (four, six, event) => {
    expect(newsOfUplink(told(four, six), teller).event).toBe(event);
  });
});

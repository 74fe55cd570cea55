/** What the edge is told: the words of each uplink, the node's view of itself, and the whole message (DESIGN §7.12, §9). */
import { afterAll, describe, expect, test } from 'vitest';
import { edgeWord, type OtherNodes, urgentText } from '../../src/core/edge-feed/snapshot.ts';
import { startCount } from '../../src/core/ready/count.ts';
import { nodeView, type UplinkWord } from '../../src/core/edge-feed/node-view.ts';
import { scoreOf, steadyScore } from '../../src/core/edge-feed/score.ts';
import { edgeWords, toldIn, type WordFacts } from '../../src/core/edge-feed/words.ts';
import type { UplinkHealth } from '../../src/types/health.ts';
import { instant, millis } from '../../src/types/units.ts';
import type { AnnouncementWish } from '../../src/types/wish.ts';
import { edgeSnapshot, type EdgeNodeView } from '../../src/types/wire/node-to-edge.ts';
import { startLua } from '../support/lua.ts';
import { healthOf, policy, uplinkNamed, verdict } from '../support/world.ts';

const announced: AnnouncementWish = {
  service: 'web',
  uplink: 'cmi',
  family: 4,
  state: 'announce',
  reason: 'healthy',
  text: 'healthy',
  author: 'causeway',
  held: null,
};
const told = (state: UplinkWord['state']): ReadonlyMap<string, UplinkWord> =>
  new Map([['cmi4', { state, regions: new Map() }]]);

function factsWith(wishes: readonly Partial<AnnouncementWish>[], more: Partial<WordFacts> = {}): WordFacts {
  const announcements = wishes.map((wish) => ({ ...announced, ...wish }));
  return {
    wish: { announcements, egress: [] },
    health: [healthOf('cmi', 4, { health: 'healthy' })],
    sessions: new Map([['cmi4', 'up']]),
    seen: new Map(announcements.map(({ service }) => [`cmi_${service}4`, 'exported'])),
    birdSeen: true,
    ...more,
  };
}

describe('the word of an uplink', () => {
  const allBad = { guard: 'all-bad', text: 'all bad', until: null } as const;
  test.each<[string, WordFacts, UplinkWord['state'], UplinkWord['state']]>([
    ['healthy and exported is up', factsWith([{}]), 'down', 'up'],
    ['decided and not held is down', factsWith([{ state: 'withdraw', reason: 'loss' }]), 'up', 'down'],
    ['degraded is drain', factsWith([{ state: 'drain', reason: 'latency' }]), 'up', 'drain'],
    ['held: all-bad adds nothing', factsWith([{ reason: 'all-bad', held: allBad }]), 'up', 'up'],
    ['the first window adds nothing', factsWith([{ reason: 'as-found' }]), 'down', 'down'],
    ['unknown adds nothing', factsWith([{ reason: 'unknown-keep' }]), 'up', 'up'],
    ['BIRD away adds nothing', factsWith([{}], { birdSeen: false }), 'down', 'down'],
    [
      'a session surely down is down',
      factsWith([{}], { sessions: new Map([['cmi4', 'down']]) }),
      'up',
      'down',
    ],
    [
      'an operator is never hidden, not by BIRD that is away either',
      factsWith([{ state: 'drain', reason: 'override' }], { birdSeen: false }),
      'up',
      'drain',
    ],
    [
      'of two services the better one speaks',
      factsWith([{ state: 'withdraw', reason: 'not-ready' }, { service: 'dns' }]),
      'down',
      'up',
    ],
    ['without an announcement it is as it was', factsWith([]), 'drain', 'drain'],
  ])('%s', (_title, facts, before, state) => {
    expect(edgeWords(facts, told(before)).get('cmi4')?.state).toBe(state);
  });

  test('is up where nothing was told yet and nothing can be said', () => {
    expect(edgeWords(factsWith([{ reason: 'as-found' }]), new Map()).get('cmi4')?.state).toBe('up');
  });

  test('a failed region is down, a healthy one up, an unknown one as it was, and of a failed uplink none is new', () => {
    const regions = new Map([
      ['ID', verdict({ health: 'failed' })],
      ['PH', verdict({ health: 'unknown' })],
      ['SG', verdict({ health: 'healthy' })],
    ]);
    const before = new Map([
      [
        'cmi4',
        { state: 'up', regions: new Map([['PH', 'down'] as const, ['SG', 'down'] as const]) } as const,
      ],
    ]);
    const of = (health: UplinkHealth) => [
      ...(edgeWords(factsWith([{}], { health: [health] }), before).get('cmi4')?.regions ?? []),
    ];
    const healthy = healthOf('cmi', 4, { health: 'healthy' });
    expect(of({ ...healthy, regions })).toEqual([
      ['ID', 'down'],
      ['PH', 'down'],
      ['SG', 'up'],
    ]);
    const failed = healthOf('cmi', 4, { health: 'failed' });
    expect(of({ ...failed, regions })[0]).toEqual(['ID', 'up']);
  });
});

describe('the score', () => {
  test('is 100 for a clean uplink, 0 for a failed one, and falls with loss', () => {
    const of = (fact: Parameters<typeof verdict>[0]) => scoreOf(verdict(fact), policy);
    expect([of({ health: 'healthy' }), of({ health: 'failed' }), of({ health: 'unknown', loss: 0 })]).toEqual(
      [100, 0, 100],
    );
    expect(of({ health: 'healthy', loss: 0.01 })).toBe(88);
    expect(of({ health: 'degraded', loss: 0.01 })).toBe(40);
  });

  test('stays where it is for a breath of jitter, and falls to 0 and rises from it at once', () => {
    expect([steadyScore(null, 93), steadyScore(97, 93), steadyScore(97, 92), steadyScore(3, 0)]).toEqual([
      93, 97, 92, 0,
    ]);
    expect(steadyScore(0, 2)).toBe(2);
  });
});

const edge = {
  host: 'hk1.edge.test',
  weight: 50,
  ttlMillis: millis(15_000),
  probe: { intervalMillis: millis(1000), timeoutMillis: millis(500), rise: 2, fall: 3 },
  pools: [
    {
      name: 'app',
      origins: [
        { family: 4, address: '192.0.2.10', port: 443, weight: 1, via: ['cmi'] } as const,
        { family: 6, address: '2001:db8::10', port: 8443, weight: 2, via: ['cmi'] } as const,
      ],
    },
  ],
};

function viewWith(
  words: ReadonlyMap<string, UplinkWord>,
  wishes: readonly Partial<AnnouncementWish>[] = [{}],
) {
  return nodeView({
    edge,
    uplinks: [uplinkNamed('cmi')],
    policy,
    health: [healthOf('cmi', 4, { health: 'healthy' })],
    wish: { announcements: wishes.map((wish) => ({ ...announced, ...wish })), egress: [] },
    told: words,
    last: null,
  });
}

describe('this node as the edges see it', () => {
  test('a drained uplink is not up, and a node that announces on none that is up accepts nobody', () => {
    expect(viewWith(told('up'))).toEqual({
      host: 'hk1.edge.test',
      weight: 50,
      accepting: true,
      uplinks: { cmi: { carrier: 'cmi', score: 100, families: { '4': { up: true } } } },
    });
    const drained = viewWith(told('drain'), [{ state: 'drain', reason: 'override' }]);
    expect([drained.accepting, drained.uplinks['cmi']?.families['4']?.up]).toEqual([false, false]);
    expect(viewWith(told('up'), [{ state: 'withdraw', reason: 'not-ready' }]).accepting).toBe(false);
  });

  test('a family that is down takes nothing from the score of the other', () => {
    const words = new Map([
      ['cmi4', { state: 'up', regions: new Map() } as const],
      ['cmi6', { state: 'down', regions: new Map() } as const],
    ]);
    const dual = nodeView({
      edge,
      uplinks: [uplinkNamed('cmi')],
      policy,
      health: [healthOf('cmi', 4, { health: 'healthy' }), healthOf('cmi', 6, { health: 'failed' })],
      wish: { announcements: [announced], egress: [] },
      told: words,
      last: null,
    });
    expect(dual.uplinks['cmi']).toEqual({
      carrier: 'cmi',
      score: 100,
      families: { '4': { up: true }, '6': { up: false } },
    });
  });
});

const lua = startLua(`
  local snapshot = require 'edge.snapshot'
  return function(message) return snapshot.problem(message) or false end`);
afterAll(() => lua.close());

describe('the whole message', () => {
  const view = viewWith(told('up'));
  const alone: OtherNodes = { nodes: new Map(), read: true };
  const facts = {
    self: 'hk1',
    edge,
    view,
    others: alone,
    origins: new Map(),
    carriers: new Map([['cmi', 'cmi']]),
    now: instant(0),
  };
  const other: EdgeNodeView = { ...view, host: 'hk2.edge.test' };
  const both: OtherNodes = { nodes: new Map([['hk2', other]]), read: true };

  test('passes the wire schema and the edge’s own check', async () => {
    const word = edgeWord({ ...facts, others: both }, null);
    const message = { ...word, epoch: 1, seq: 1, generatedAt: '2026-11-30T01:00:00Z' };
    expect(edgeSnapshot.parse(message)).toEqual(message);
    expect(await lua.call(message)).toBe(false);
    const wrong = { ...message, origins: { app: [{ ...word.origins?.['app']?.[0], carriers: [7] }] } };
    expect(await lua.call(wrong)).toBe('origins.app.1.carriers has something that is not a name');
  });

  test('an origin of which nothing is known is told as it was, and up at first', () => {
    const first = edgeWord(facts, null);
    expect(first.origins?.['app']?.map(({ up }) => up)).toEqual([true, true]);
    const down = {
      ...first,
      origins: { app: [{ address: '192.0.2.10', port: 443, weight: 1, up: false, carriers: ['cmi'] }] },
    };
    expect(edgeWord(facts, down).origins?.['app']?.map(({ up }) => up)).toEqual([false, true]);
  });

  test('of two uplinks the one that is known yet takes nothing from the other, of which nothing is known', () => {
    const probed = (['cmi', 'pccw'] as const).map((uplink, index) => {
      const known = { ...startCount(instant(0)), state: index === 0 ? 'unknown' : 'ready' } as const;
      const stream = {
        uplink,
        origin: '192.0.2.10 443',
        count: known,
        ranAt: instant(0),
        silentMillis: 9000,
      };
      return [index, stream] as const;
    });
    const twoUplinks = { ...facts, carriers: new Map([['cmi', 'cmi'] as const, ['pccw', 'pccw'] as const]) };
    const last = {
      ...edgeWord(facts, null),
      origins: { app: [{ address: '192.0.2.10', port: 443, up: true, carriers: ['cmi', 'pccw'] }] },
    };
    const next = edgeWord({ ...twoUplinks, origins: new Map(probed) }, last);
    expect(next.origins?.['app']?.[0]?.carriers).toEqual(['cmi', 'pccw']);
    const first = edgeWord({ ...twoUplinks, origins: new Map(probed) }, null);
    expect(first.origins?.['app']?.[0]?.carriers).toEqual(['pccw']);
  });

  test('a fleet that cannot be read takes nodes away from nobody’s limits, and sends nobody to them', () => {
    const read = edgeWord({ ...facts, others: both }, null);
    expect([read.nodesActive, Object.keys(read.nodes).toSorted()]).toEqual([2, ['hk1', 'hk2']]);
    const silent = edgeWord({ ...facts, others: { nodes: new Map(), read: false } }, read);
    expect([silent.nodesActive, Object.keys(silent.nodes)]).toEqual([2, ['hk1']]);
    expect(edgeWord(facts, silent).nodesActive).toBe(1);
  });

  test('another score alone is not urgent, anything else is', () => {
    const word = edgeWord(facts, null);
    const uplink = { carrier: 'cmi', score: 7, families: { '4': { up: true } } };
    const scored = { ...word, nodes: { hk1: { ...view, uplinks: { cmi: uplink } } } };
    expect(urgentText(scored)).toBe(urgentText(word));
    const closed = { ...word, nodes: { hk1: { ...view, accepting: false } } };
    expect(urgentText(closed)).not.toBe(urgentText(word));
  });

  test('a forerunner’s file gives back what was told', () => {
    const word = edgeWord({ ...facts, view: viewWith(told('down')) }, null);
    expect(toldIn(word).get('cmi4')?.state).toBe('down');
  });
});

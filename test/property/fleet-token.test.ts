/**
 * The promise of the fleet: machines' decisions never leave fewer than keep_nodes nodes announcing, whatever happens to
 * Redis, to clocks and to the nodes' daemons; and what each written assumption is needed for (docs/fleet.md).
 */
import { describe, expect, test } from 'vitest';
import { type FleetRules } from '../../src/core/fleet/memory.ts';
import { instant } from '../../src/types/units.ts';
import {
  announcingNodes,
  cycle,
  failOver,
  type FleetModel,
  type ModelNode,
  type ModelServer,
  newModel,
  restart,
  tick,
  wipe,
} from '../support/fleet-model.ts';
import { fc, test as property } from '../support/property.ts';

const isFull = process.env['CAUSEWAY_TEST_FULL'] === '1';
const hour = 3_600_000;
const rules: Omit<FleetRules, 'node' | 'site'> = {
  keepNodes: 1,
  perSite: false,
  expireMillis: 5000,
  lifeMillis: 10_000,
  leavers: 1,
  windowMillis: 60_000,
};

const index = fc.nat({ max: 4 });
/** A stretch of ordinary life: steps of nodes that are not paused, each some time after the one before. */
const life = fc.record({
  kind: fc.constant('life' as const),
  steps: fc.integer({ min: 20, max: 250 }),
  stepMillis: fc.constantFrom(3, 10, 25, 60),
  seed: fc.nat(),
  lossOneIn: fc.constantFrom(1000, 1000, 20, 4),
});
const event = fc.oneof(
  { weight: 8, arbitrary: life },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const), index, notReady: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('turn-all' as const), notReady: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), index, keeps: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revive' as const), index }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cut' as const), index, server: fc.nat({ max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('failover' as const), oldLives: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wipe' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('jump' as const), index, millis: fc.constantFrom(-hour, hour) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('redis-jump' as const), millis: fc.constantFrom(-hour, hour) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('sleep' as const),
      millis: fc.constantFrom(4000, 20_000, hour),
    }),
  },
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

const stories = fc.record({
  names: fc.integer({ min: 2, max: 5 }).map((count) => ['a', 'b', 'c', 'd', 'e'].slice(0, count)),
  keepNodes: fc.constantFrom(1, 1, 2),
  leavers: fc.constantFrom(1, 5),
  // One that is over at once leaves all to the tokens.
  windowMillis: fc.constantFrom(1, 1, 10_000),
  rates: fc.array(fc.constantFrom(0.99, 1, 1.01), { minLength: 5, maxLength: 5 }),
  events: fc.array(event, { minLength: 5, maxLength: 60 }),
});

interface Play {
  readonly model: FleetModel;
  readonly paused: Set<ModelNode>;
  snapshot: ModelServer | null;
}

function chance(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Lets nodes go on in any order; each thread of a node is as likely as any other. */
function live(play: Play, given: Extract<Event, { kind: 'life' }>, check: () => void): void {
  const { model, paused } = play;
  const random = chance(given.seed);
  const awake = model.nodes.filter((node) => !paused.has(node));
  for (let step = 0; step < given.steps && awake.length > 0; step += 1) {
    model.nowMillis += given.stepMillis * random() * 2;
    const node = awake[Math.floor(random() * awake.length)];
    if (node === undefined) continue;
    if (random() < 0.4) tick(model, node);
    else cycle(model, node, random() * given.lossOneIn < 1);
    check();
  }
}

function happen(play: Play, one: Event, check: () => void): void {
  const { model } = play;
  const { nodes, servers } = model;
  const node = 'index' in one ? nodes[one.index % nodes.length] : undefined;
  const master = servers[model.master];
  switch (one.kind) {
    case 'life':
      return live(play, one, check);
    case 'sleep':
      model.nowMillis += one.millis;
      return;
    case 'turn-all':
      for (const each of nodes) Object.assign(each, { good: false, notReady: one.notReady });
      return;
    case 'snapshot':
      play.snapshot = master === undefined ? null : { ...master };
      return;
    case 'failover':
      if (master !== undefined) failOver(model, play.snapshot ?? { ...master }, one.oldLives);
      return;
    case 'wipe':
      return wipe(model);
    case 'redis-jump':
      if (master !== undefined) master.clockOffsetMillis += one.millis;
      return;
    default:
      if (node !== undefined) befall(play, node, one);
  }
}

function befall({ paused }: Play, node: ModelNode, one: Event): void {
  switch (one.kind) {
    case 'turn':
      node.good = !node.good;
      node.notReady = one.notReady;
      return;
    case 'pause':
      if (!paused.delete(node)) paused.add(node);
      return;
    case 'restart':
      node.wallMillis = one.keeps ? node.wallMillis : -hour;
      return restart(world, node, one.keeps);
    case 'revive':
      node.announcing ||= node.out;
      return;
    case 'cut':
      if (!node.cutOff.delete(one.server)) node.cutOff.add(one.server);
      return;
    case 'jump':
      node.wallMillis += one.millis;
      return;
    default:
      return;
  }
}
/** Of the play under way: a restart reads its clock. */
let world: FleetModel;

interface Cast {
  readonly names: readonly string[];
  readonly rates: readonly number[];
}

function begin(story: Cast, more: Partial<typeof rules> = {}): Play {
  world = newModel(story.names, { ...rules, ...more }, story.rates);
  return { model: world, paused: new Set(), snapshot: null };
}

/** Everything works again: each node goes round for this long. */
function heal(play: Play, lengthMillis: number, check: () => void, stepMillis = 20): void {
  const { model, paused } = play;
  paused.clear();
  for (const node of model.nodes) node.cutOff.clear();
  // An old master that is seen again is made a replica.
  for (const [at, server] of model.servers.entries()) server.alive = at === model.master;
  const until = model.nowMillis + lengthMillis;
  while (model.nowMillis < until) {
    for (const node of model.nodes) {
      tick(model, node);
      model.nowMillis += stepMillis;
      cycle(model, node, false);
    }
    check();
  }
}

describe('never fewer than keep_nodes announce by machines’ decisions', () => {
  let leaves = 0;
  let refusedLast = 0;
  property.prop([stories], { numRuns: isFull ? 4000 : 60 })('whatever happens', (story) => {
    const { keepNodes, leavers, windowMillis } = story;
    fc.pre(story.names.length >= keepNodes);
    const play = begin(story, { keepNodes, leavers, windowMillis, expireMillis: 1500, lifeMillis: 2500 });
    heal(play, 6000, () => undefined, 60);
    let before = announcingNodes(play.model);
    const check = (): void => {
      const now = announcingNodes(play.model);
      if (now < before) expect(now).toBeGreaterThanOrEqual(keepNodes);
      before = now;
    };
    for (const one of story.events) {
      happen(play, one, check);
      before = announcingNodes(play.model);
    }
    // No deadlock: once all works, a bad node is out where enough good ones announce, and each good one announces.
    heal(play, 12_000 + (story.names.length + 1) * windowMillis, check, 60);
    const { nodes } = play.model;
    const good = nodes.filter((node) => node.good);
    expect(good.every((node) => node.announcing)).toBe(true);
    const needed = keepNodes + (leavers > 1 ? nodes.length : 0);
    if (good.length >= needed) expect(nodes.filter((node) => !node.good && node.announcing)).toEqual([]);
    leaves += play.model.leaves;
    if (good.length < keepNodes) refusedLast += 1;
  });

  test('the worlds above are not idle: nodes left in many, and the last ones had to stay in many', () => {
    expect(leaves).toBeGreaterThan(30);
    expect(refusedLast).toBeGreaterThan(5);
  });
});

describe('what each assumption is for', () => {
  /** a was given a token by the first master, does not need it, and does not know yet that the master is another one. */
  function tokenOfOldMaster(rates: readonly number[] = [1, 1]): Play & { a: ModelNode; b: ModelNode } {
    const play = begin({ names: ['a', 'b'], rates: [...rates, 1, 1, 1] });
    const { model } = play;
    const [a, b] = model.nodes;
    const first = model.servers[0];
    if (a === undefined || b === undefined || first === undefined) throw new Error('two nodes and a server');
    heal(play, 30_000, () => undefined);
    const snapshot = { ...first };
    a.good = false;
    tick(model, a);
    while (a.memory.tokens.size === 0) {
      model.nowMillis += 20;
      cycle(model, a, false);
      cycle(model, b, false);
      tick(model, b);
    }
    a.good = true;
    tick(model, a);
    failOver(model, snapshot, false);
    // b goes over at once; a says to the new master that it is well, and never hears the answer.
    while (b.server === 0 || b.memory.link.master !== 'm1') {
      model.nowMillis += 20;
      cycle(model, b, false);
    }
    a.server = 1;
    a.waiting = null;
    a.asks = [];
    const kept = a.memory.tokens;
    cycle(model, a, true);
    // It was pruned from memory when it was seen to be unneeded; here its daemon had no time for that.
    a.memory = { ...a.memory, tokens: kept };
    a.waiting = null;
    b.good = false;
    return { ...play, a, b };
  }

  /** b asks for as long as it takes, while a is heard and well. */
  function letAsk({ model, a, b }: ReturnType<typeof tokenOfOldMaster>, lengthMillis: number): void {
    const until = model.nowMillis + lengthMillis;
    const beat = model.servers[1];
    while (model.nowMillis < until) {
      model.nowMillis += 20;
      // a goes on speaking to the new master, and hears none of it.
      if (beat !== undefined && a.noted !== null) {
        a.seq += 1;
        const known = beat.registry.beats.get('a');
        const word = { node: 'a', epoch: a.epoch, seq: a.seq, content: a.content, ageMillis: 0 };
        if (known !== undefined)
          beat.registry = { ...beat.registry, beats: new Map(beat.registry.beats).set('a', word) };
      }
      tick(model, b);
      cycle(model, b, false);
    }
  }

  function lastLeaves(play: ReturnType<typeof tokenOfOldMaster>): number {
    letAsk(play, 1000);
    play.a.good = false;
    tick(play.model, play.a);
    return announcingNodes(play.model);
  }

  test('with the wait after a change of the master, one stays', () => {
    expect(lastLeaves(tokenOfOldMaster())).toBeGreaterThanOrEqual(1);
  });

  test('without the wait after a change of the master, both leave', () => {
    const play = tokenOfOldMaster();
    const { b } = play;
    const long = instant(-1e9);
    b.memory = { ...b.memory, link: { ...b.memory.link, masterSince: long, goodSince: long } };
    expect(lastLeaves(play)).toBe(0);
  });

  test('with a clock that runs at a fifth of the speed, the wait is too short for its token, and both leave', () => {
    const play = tokenOfOldMaster([0.2, 1]);
    letAsk(play, 16_000);
    play.a.good = false;
    tick(play.model, play.a);
    expect(announcingNodes(play.model)).toBe(0);
    const right = tokenOfOldMaster([0.99, 1.01]);
    letAsk(right, 16_000);
    right.a.good = false;
    tick(right.model, right.a);
    expect(announcingNodes(right.model)).toBe(1);
  });

  test.each([
    ['with the tokens as they are, one stays', false, 1],
    ['with a token that was deleted by hand, both leave', true, 0],
  ] as const)('%s', (_, deleted, left) => {
    const play = begin({ names: ['a', 'b'], rates: [1, 1, 1, 1, 1] }, { windowMillis: 1 });
    const { model } = play;
    const [a, b] = model.nodes;
    const server = model.servers[0];
    if (a === undefined || b === undefined || server === undefined) throw new Error('two nodes and a server');
    heal(play, 30_000, () => undefined);
    a.good = false;
    tick(model, a);
    while (a.memory.tokens.size === 0) {
      model.nowMillis += 20;
      cycle(model, a, false);
      tick(model, b);
      cycle(model, b, false);
    }
    // It is well again and says so, but does not hear that it was heard, so that its token still stands.
    a.good = true;
    tick(model, a);
    const kept = a.memory.tokens;
    cycle(model, a, true);
    a.memory = { ...a.memory, tokens: kept };
    if (deleted) server.registry = { ...server.registry, tokens: new Map() };
    b.good = false;
    for (let round = 0; round < 40; round += 1) {
      model.nowMillis += 20;
      tick(model, b);
      cycle(model, b, false);
    }
    a.good = false;
    tick(model, a);
    expect(announcingNodes(model)).toBe(left);
  });
});

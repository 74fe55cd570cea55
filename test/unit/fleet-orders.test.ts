/** Operators' words for the whole fleet: given on one desk, carried out on another, over restarts and a wiped Redis. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { subjectKey } from '../../src/core/hands/subject.ts';
import type { OrderBook } from '../../src/core/fleet/orders.ts';
import { openOrders, type OrderExchange } from '../../src/daemon/fleet-orders.ts';
import type { FleetOrder } from '../../src/types/wire/fleet-order.ts';
import { deskConfig, type DeskWorld, openDeskWorld } from '../support/operator-desk.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Desk extends DeskWorld {
  readonly orders: OrderExchange;
}

/** What lies in Redis. */
let redis: Map<string, { version: number; text: string }>;

async function deskOf(name: string, folder?: string, key: string | null = null): Promise<Desk> {
  redis ??= new Map();
  const config = deskConfig();
  const world = await openDeskWorld({ ...config, node: { ...config.node, name } }, undefined, folder);
  closers.push(() => world.close());
  const orders = await openOrders(
    join(world.folder, 'state'),
    () => undefined,
    () => null,
    () => Promise.resolve(key === null ? null : { kind: 'read', text: key }),
  );
  Object.assign(world.scene, { fleet: orders });
  return Object.assign(world, { orders });
}

/** A cycle of each: they tell Redis what it lacks and take what they lack. */
async function exchange(...desks: readonly Desk[]): Promise<void> {
  for (const { orders } of [...desks, ...desks]) {
    const told: OrderBook = await orders.exchange(redis);
    for (const [name, order] of told) redis.set(name, order);
  }
  for (const desk of desks) await desk.round();
}

function freezeOf({ scene }: Desk) {
  return scene.world.operator.freeze;
}

/** A command of the desk is carried out in the next round. */
async function say<T>(desk: Desk, command: Promise<T>): Promise<T> {
  await desk.round();
  return command;
}

const freeze = { author: 'ann', reason: 'storm', fleet: true, dryRun: false };

test('a freeze for the fleet reaches every node, and its thaw too; a node’s own freeze outlasts it', async () => {
  redis = new Map();
  const [hk1, hk2, hk3] = [await deskOf('hk1'), await deskOf('hk2'), await deskOf('hk3')];
  await say(hk3, hk3.desk.commands.freeze({ ...freeze, author: 'bob', fleet: false }));
  const given = await say(hk1, hk1.desk.commands.freeze(freeze));
  expect(given).toMatchObject({
    kind: 'done',
    answer: { notes: [expect.stringMatching(/within a second/)] },
  });
  await exchange(hk1, hk2, hk3);
  expect(freezeOf(hk2)).toMatchObject({ author: 'ann@hk1', reason: 'storm', scope: 'fleet' });
  expect(freezeOf(hk3)).toMatchObject({ author: 'bob' });
  await say(hk2, hk2.desk.commands.thaw({ author: 'eve', fleet: true, dryRun: false }));
  await exchange(hk1, hk2, hk3);
  expect([freezeOf(hk1), freezeOf(hk2)]).toEqual([null, null]);
  expect(freezeOf(hk3)).toMatchObject({ author: 'bob' });
});

test('a Redis that was wiped thaws nobody and is told again; a node that thawed alone stays thawed', async () => {
  redis = new Map();
  const [hk1, hk2] = [await deskOf('hk1'), await deskOf('hk2')];
  await say(hk1, hk1.desk.commands.freeze(freeze));
  await exchange(hk1, hk2);
  redis = new Map();
  const alone = await say(hk2, hk2.desk.commands.thaw({ author: 'eve', fleet: false, dryRun: false }));
  expect(alone).toMatchObject({ answer: { notes: [expect.stringMatching(/the fleet stays frozen/)] } });
  await exchange(hk1, hk2);
  expect(redis.get('freeze')?.version).toBe(1);
  expect(freezeOf(hk1)).not.toBe(null);
  expect(freezeOf(hk2)).toBe(null);
});

test('an order that was known before a restart is not carried out a second time', async () => {
  redis = new Map();
  const hk1 = await deskOf('hk1');
  const folder = mkdtempSync(join(tmpdir(), 'causeway-orders-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const book = (): Promise<OrderExchange> =>
    openOrders(
      folder,
      () => undefined,
      () => null,
    );
  await say(hk1, hk1.desk.commands.freeze(freeze));
  await exchange(hk1);
  const first = await book();
  await first.exchange(redis);
  expect(first.take()).toHaveLength(1);
  first.carriedOut();
  await expect.poll(async () => (await book()).known().length, { timeout: 30_000 }).toBe(1);
  const again = await book();
  await again.exchange(redis);
  expect(again.take()).toEqual([]);
});

test('an override for the fleet is set and released on every node that has the uplink', async () => {
  redis = new Map();
  const [hk1, hk2] = [await deskOf('hk1'), await deskOf('hk2')];
  const cmi = { uplink: 'cmi', service: null, family: null };
  await say(
    hk1,
    hk1.desk.commands.override({
      selection: cmi,
      state: 'drain',
      author: 'ann',
      reason: 'carrier works',
      ends: { kind: 'after', millis: 3_600_000 },
      last: false,
      fleet: true,
      dryRun: false,
    }),
  );
  await exchange(hk1, hk2);
  expect(hk2.scene.world.overrides).toMatchObject([
    { state: 'drain', author: 'ann@hk1', reason: 'carrier works', scope: 'fleet' },
  ]);
  const release = { selection: cmi, states: null, author: 'bob', fleet: true, dryRun: false };
  await say(hk2, hk2.desk.commands.release(release));
  await exchange(hk1, hk2);
  expect([hk1.scene.world.overrides, hk2.scene.world.overrides]).toEqual([[], []]);
});

test('an override that would leave a node without an undrained announcement is not carried out there, and said', async () => {
  redis = new Map();
  const [hk1, hk2] = [await deskOf('hk1'), await deskOf('hk2')];
  const drain = (uplink: string, fleet: boolean) => ({
    selection: { uplink, service: null, family: null },
    state: 'drain' as const,
    author: 'ann',
    reason: 'works',
    ends: { kind: 'never' as const },
    last: false,
    fleet,
    dryRun: false,
  });
  await say(hk2, hk2.desk.commands.override(drain('pccw', false)));
  await say(hk2, hk2.desk.commands.override(drain('hkbn', false)));
  await say(hk1, hk1.desk.commands.override(drain('cmi', true)));
  await exchange(hk1, hk2);
  expect(hk2.scene.world.overrides.map(({ scope }) => scope)).toEqual([undefined, undefined]);
  expect([...hk2.orders.refusals().values()].join()).toMatch(
    /is not done here: it leaves no undrained announcement/,
  );
});

describe('what lies in Redis is no proof', () => {
  const withdrawAll = (last: boolean): FleetOrder => ({
    kind: 'override',
    schema: 1,
    node: 'hk1',
    author: 'mallory',
    at: '2026-11-30T00:00:00Z',
    subject: 'selection * * *',
    override: {
      subject: { kind: 'selection', service: null, uplink: null, family: null },
      state: 'withdraw',
      author: 'mallory',
      reason: 'bye',
      at: '2026-11-30T00:00:00Z',
      expires: null,
    },
    last,
  });
  const forge = (order: FleetOrder, version = 7): void => {
    const subject = order.kind === 'override' ? subjectKey(order.override?.subject ?? nothing) : '';
    const named = order.kind === 'override' ? { ...order, subject } : order;
    redis.set(order.kind === 'override' ? `override ${subject}` : 'freeze', {
      version,
      text: JSON.stringify(named),
    });
  };
  const nothing = { kind: 'selection', service: null, uplink: null, family: null } as const;

  test('without a key nobody takes the last announcement from another node', async () => {
    redis = new Map();
    const hk2 = await deskOf('hk2');
    forge(withdrawAll(true));
    await exchange(hk2);
    expect(hk2.scene.world.overrides).toEqual([]);
    expect([...hk2.orders.refusals().values()].join()).toMatch(
      /that takes `--last`, and fleet.orders_key_file/,
    );
  });

  test('with one, an order that is not sealed by it is refused and said, and an honest one goes through', async () => {
    redis = new Map();
    const key = 'a key that all nodes share';
    const [hk1, hk2] = [await deskOf('hk1', undefined, key), await deskOf('hk2', undefined, key)];
    const other = await deskOf('hk3', undefined, 'another key');
    forge({ ...withdrawAll(true) });
    forge({
      kind: 'freeze',
      schema: 1,
      node: 'hk1',
      author: 'mallory',
      at: '2026-11-30T00:00:00Z',
      freeze: null,
    });
    await exchange(hk2);
    expect(hk2.scene.world.overrides).toEqual([]);
    expect([...hk2.orders.refusals().values()]).toEqual([
      expect.stringMatching(/of mallory@hk1 is not carried out: it is not sealed/),
      expect.stringMatching(/of mallory@hk1 is not carried out: it is not sealed/),
    ]);
    redis = new Map();
    await say(hk1, hk1.desk.commands.freeze(freeze));
    await exchange(hk1, hk2, other);
    expect(freezeOf(hk2)).toMatchObject({ author: 'ann@hk1' });
    expect(freezeOf(other)).toBe(null);
    // The thaw, and then the old freeze again under a new number.
    const old = redis.get('freeze');
    await say(hk1, hk1.desk.commands.thaw({ author: 'ann', fleet: true, dryRun: false }));
    await exchange(hk1, hk2);
    redis.set('freeze', { version: 9, text: old?.text ?? '' });
    await exchange(hk2);
    expect(freezeOf(hk2)).toBe(null);
    expect([...hk2.orders.refusals().keys()]).toContain('freeze');
  });
});

test('without a fleet the words are refused, and nothing is done', async () => {
  redis = new Map();
  const hk1 = await deskOf('hk1');
  Object.assign(hk1.scene, { fleet: null });
  const refusal = { kind: 'refused', status: 409 };
  expect(await say(hk1, hk1.desk.commands.freeze(freeze))).toMatchObject(refusal);
  expect(await say(hk1, hk1.desk.commands.thaw({ author: 'a', fleet: true, dryRun: false }))).toMatchObject(
    refusal,
  );
  expect(freezeOf(hk1)).toBe(null);
});

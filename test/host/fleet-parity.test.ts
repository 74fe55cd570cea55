/** The token and order functions: the same answers from the model and from a real Redis, by FUNCTION and by EVAL. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FleetSession, openFleetSession } from '../../src/adapters/fleet-session.ts';
import { fleetLibrary, functionName, scriptOf } from '../../src/adapters/fleet-lua.ts';
import { connectRedis, type RedisConnection } from '../../src/adapters/redis.ts';
import type { Ask } from '../../src/core/fleet/ask.ts';
import type { Beat } from '../../src/core/fleet/memory.ts';
import { fleetConfigAt } from '../../lab/fleet/redis-config.ts';
import { type Question, type Registry, serveAsk } from '../support/fleet-registry.ts';
import { fc } from '../support/property.ts';
import { type Redis, startRedis } from '../support/redis.ts';

const names = ['a', 'b', 'c'] as const;
const node = fc.constantFrom(...names);
const small = fc.constantFrom(1, 1, 1, 2);
const step = fc.oneof(
  fc.record({ kind: fc.constant('beat' as const), node, epoch: small, content: small }),
  fc.record({
    kind: fc.constant('ask' as const),
    node,
    epoch: small,
    isWrongMaster: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    what: fc.constantFrom('leave', 'leave', 'leave', 'hold', 'release'),
    witnesses: fc.array(fc.record({ node, epoch: small, content: small, inSite: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
    need: fc.integer({ min: 0, max: 2 }),
    needInSite: fc.constantFrom(0, 0, 1),
    strong: fc.boolean(),
    leavers: small,
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
/** Longer than the test takes: the model's clock stands still. */
const windowMillis = 600_000;

let redis: Redis;
let connection: RedisConnection;
let session: FleetSession;
let round = 0;

beforeAll(async () => {
  redis = await startRedis();
  connection = await connectRedis(fleetConfigAt(redis.port), 'test');
  await connection.call(['FUNCTION', 'LOAD', fleetLibrary]);
});
afterAll(async () => {
  connection.end();
  session.end();
  await redis.stop();
});

function questionOf(one: Extract<Step, { kind: 'ask' }>, group: string, master: string): Question {
  const { witnesses, need, needInSite, strong, what } = one;
  const ask: Ask =
    what === 'leave' ? { kind: what, group, witnesses, need, needInSite, strong } : { kind: what, group };
  const { node: name, epoch, leavers } = one;
  return { ask, node: name, epoch, leavers, windowMillis, master: one.isWrongMaster ? 'no' : master };
}

describe('the token function', () => {
  test('answers as the model does, whatever is asked in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        round += 1;
        const config = fleetConfigAt(redis.port, { prefix: `p${round}` });
        session = await openFleetSession(config, 'test');
        const words = { node: 'z', epoch: 1, seq: 1, content: 1, ageMillis: 0, text: '{}', ring: false };
        const { master } = await session.publish(words);
        const beats = new Map<string, Beat>();
        for (const name of names) {
          beats.set(name, { node: name, epoch: 1, seq: 1, content: 1, ageMillis: 0 });
          await connection.call(['HSET', `p${round}:beats`, name, '1 1 1 0']);
        }
        let model: Registry = { master, beats, tokens: new Map(), leaves: new Map() };
        for (const one of steps) {
          if (one.kind === 'beat') {
            const { node: name, epoch, content } = one;
            beats.set(name, { node: name, epoch, seq: content, content, ageMillis: 0 });
            await connection.call(['HSET', `p${round}:beats`, name, `${epoch} ${content} ${content} 0`]);
            continue;
          }
          const question = questionOf(one, 'web4', master);
          const served = serveAsk(model, question, 0);
          model = served.registry;
          const { ask, ...speaker } = question;
          expect(await session.ask(ask, speaker)).toEqual(served.answer);
        }
        session.end();
      }),
      { numRuns: 60 },
    );
  });

  test('of nodes that are overloaded one after another one leaves, the next needs stronger evidence', async () => {
    session = await openFleetSession(fleetConfigAt(redis.port, { prefix: 'overload' }), 'test');
    let master = '';
    for (const name of ['a', 'b', 'c', 'd']) {
      const words = { node: name, epoch: 1, seq: 1, content: 1, ageMillis: 0, text: '{}', ring: false };
      ({ master } = await session.publish(words));
    }
    const askFor = (name: string, leavers: number, strong: boolean, others: string) => {
      const witnesses = others.split('').map((one) => ({ node: one, epoch: 1, content: 1, inSite: true }));
      const ask: Ask = { kind: 'leave', group: 'web4', witnesses, need: 1, needInSite: 0, strong };
      return session.ask(ask, { node: name, epoch: 1, master, leavers, windowMillis });
    };
    expect(await askFor('a', 1, false, 'bcd')).toEqual({ kind: 'given' });
    expect(await askFor('b', 1, true, 'cd')).toEqual({ kind: 'window', recent: 1 });
    expect(await askFor('b', 2, false, 'cd')).toEqual({ kind: 'evidence', recent: 1 });
    // One more than keep_nodes must remain for each that left before.
    expect(await askFor('b', 2, true, 'ac')).toEqual({ kind: 'few', count: 1, need: 2 });
    expect(await askFor('b', 2, true, 'cd')).toEqual({ kind: 'given' });
    expect(await askFor('c', 9, true, 'abd')).toEqual({ kind: 'few', count: 1, need: 3 });
    session.end();
  });

  test('is the same text by EVAL, for a Redis without functions', async () => {
    const beats = { node: 'z', epoch: 1, seq: 1, content: 1, ageMillis: 0, text: '{}', ring: false };
    session = await openFleetSession(fleetConfigAt(redis.port, { prefix: 'script' }), 'test');
    const { master } = await session.publish(beats);
    const keys = ['script:tokens:web4', 'script:leaves:web4', 'script:beats', 'script:generation'];
    const words = ['leave', 'z', '1', master, '0', '0', '1', '1000', '1'];
    const script = await connection.call(['EVAL', scriptOf('token'), 4, ...keys, ...words]);
    expect(script).toEqual(['given']);
    const called = await connection.call(['FCALL', functionName('token'), 4, ...keys, ...words]);
    expect(called).toEqual(['given']);
  });

  test('loads itself again after the functions were flushed', async () => {
    await connection.call(['FUNCTION', 'FLUSH']);
    const words = { node: 'y', epoch: 1, seq: 1, content: 1, ageMillis: 0, text: '{}', ring: false };
    session = await openFleetSession(fleetConfigAt(redis.port, { prefix: 'flushed' }), 'test');
    const { master } = await session.publish(words);
    const speaker = { node: 'y', epoch: 1, master, leavers: 1, windowMillis: 1000 };
    expect(await session.ask({ kind: 'hold', group: 'web4' }, speaker)).toEqual({ kind: 'given' });
  });
});

test('of two orders the younger one stands, and of equal versions the same one on every Redis', async () => {
  session = await openFleetSession(fleetConfigAt(redis.port, { prefix: 'orders' }), 'test');
  const orders = ['1 b', '3 a', '2 z', '3 c', '3 b'];
  for (const order of orders) {
    const [version = '', text = ''] = order.split(' ');
    await session.order('freeze', { version: Number(version), text });
  }
  expect(await connection.call(['HGET', 'orders:orders', 'freeze'])).toBe('3 c');
});

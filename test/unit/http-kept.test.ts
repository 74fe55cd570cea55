/** Answers that are made once for all, and work that is done in turns. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isLoopback, isOwnName } from '../../src/http/host-header.ts';
import { keepAnswers } from '../../src/http/kept-answers.ts';
import { accepts, hasAlready } from '../../src/http/negotiate.ts';
import { oneByOne } from '../../src/http/one-by-one.ts';
import { openTurns } from '../../src/http/turns.ts';
import { ask, type HttpWorld, openHttpWorld, sendRaw } from '../support/http-world.ts';
import { statusOf } from './host-node.ts';

describe('a kept answer', () => {
  /** Making one takes `costMillis`; the clock stands still but for that. */
  function world(costMillis: number) {
    const state = { now: 0, tick: 0, made: 0 };
    const kept = keepAnswers(
      () => [state.tick],
      () => state.now,
    );
    const get = () =>
      kept.text('status', () => {
        state.made += 1;
        state.now += costMillis;
        return `{"tick":${state.tick}}`;
      });
    return { state, get };
  }

  test('is made once in a tick, however many ask', () => {
    const { state, get } = world(1);
    for (let index = 0; index < 1000; index += 1) get();
    expect(state.made).toBe(1);
  });

  test('is made anew in the next tick', () => {
    const { state, get } = world(1);
    const before = get();
    state.now += 200;
    state.tick += 1;
    const after = get();
    expect([state.made, after.etag === before.etag]).toEqual([2, false]);
  });

  test('keeps its tag where nothing changed but the time', () => {
    const state = { now: 0, tick: 0 };
    const kept = keepAnswers(
      () => [state.tick],
      () => state.now,
    );
    const get = () => kept.text('status', () => `{"schema":1,"tickAgeMillis":${state.tick}.5,"x":1}`);
    const before = get();
    state.tick = 1;
    state.now = 200;
    const after = get();
    expect(after.bytes.toString()).toContain('"tickAgeMillis":1.5');
    expect(after.etag).toBe(before.etag);
  });

  test('takes a twentieth of the time at most: a costly one is sent for longer than a tick', () => {
    const { state, get } = world(50);
    const until = (end: number): void => {
      for (; state.now < end; state.now += 10) {
        state.tick = Math.floor(state.now / 200);
        get();
      }
    };
    // In which its cost is believed.
    until(3000);
    state.made = 0;
    until(63_000);
    expect(state.made * 50).toBeLessThan(60_000 / 19);
    expect(state.made).toBeGreaterThan(40);
  });

  test.each([
    { name: 'the first one, when the program has just begun', costs: [80, 1, 1] },
    { name: 'one in between, when the machine did something else', costs: [1, 80, 1] },
  ])('is made anew in the next tick though one took long: $name', ({ costs }) => {
    const state = { now: 0, tick: 0, made: 0 };
    const kept = keepAnswers(
      () => [state.tick],
      () => state.now,
    );
    for (const cost of costs) {
      kept.text('status', () => {
        state.made += 1;
        state.now += cost;
        return `{"tick":${state.tick}}`;
      });
      state.now += 200;
      state.tick += 1;
    }
    expect(state.made).toBe(3);
  });

  test('is made anew where no tick ends any more, so that ages grow', () => {
    const { state, get } = world(1);
    for (; state.now < 10_000; state.now += 10) get();
    expect(state.made).toBeGreaterThan(15);
    expect(state.made).toBeLessThan(25);
  });
});

describe('turns', () => {
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  test('one turn does as much as fits its time, and each worker one piece after the other', async () => {
    let now = 0;
    const done: string[] = [];
    const turns = openTurns(() => now);
    const worker = (name: string, pieces: number) => {
      let left = pieces;
      const self = {
        work() {
          now += 0.4;
          done.push(name);
          left -= 1;
          if (left > 0) turns.ask(self);
        },
      };
      turns.ask(self);
    };
    worker('greedy', 10);
    worker('a', 1);
    worker('b', 1);
    await settle();
    expect(done).toEqual(['greedy', 'a', 'b']);
    await settle();
    expect(done).toHaveLength(6);
    for (let turn = 0; turn < 10; turn += 1) await settle();
    expect(done).toHaveLength(12);
  });

  test('nothing is worked on while they are held, and all of it afterwards', async () => {
    // However slow this machine is, the hold does not end by itself.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const turns = openTurns();
    let worked = 0;
    turns.hold();
    turns.ask({ work: () => void (worked += 1) });
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect(worked).toBe(0);
    turns.go();
    await settle();
    expect(worked).toBe(1);
  });

  test('a hold that nobody ends ends by itself', async () => {
    const turns = openTurns();
    let worked = 0;
    turns.ask({ work: () => void (worked += 1) });
    turns.hold();
    await vi.waitFor(() => expect(worked).toBe(1), { timeout: 30_000 });
  });

  test('who left is not asked any more', async () => {
    const turns = openTurns();
    let worked = 0;
    const worker = { work: () => void (worked += 1) };
    turns.ask(worker);
    turns.leave(worker);
    await settle();
    expect(worked).toBe(0);
  });

  test('of what is done one by one only so much waits', async () => {
    const order: number[] = [];
    const work = oneByOne(2);
    const first = work.run(async () => order.push(1));
    const second = work.run(async () => {
      order.push(2);
      throw new Error('fault');
    });
    expect(work.run(async () => order.push(3))).toBeNull();
    await first;
    await expect(second).rejects.toThrow('fault');
    await work.run(async () => order.push(4));
    expect(order).toEqual([1, 2, 4]);
  });
});

describe('over a real connection', () => {
  let world: HttpWorld;
  beforeAll(async () => {
    world = await openHttpWorld({ ticks: false });
  });
  afterAll(() => world.close());

  test('thousands of requests at once are answered in order', async () => {
    const one = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';
    const last = 'GET /nothing HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
    const text = await sendRaw(world.port, `${one.repeat(3000)}${last}`);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3000);
    expect(text.match(/HTTP\/1\.1 404 /g)).toHaveLength(1);
    expect(text.indexOf('HTTP/1.1 404')).toBeGreaterThan(text.lastIndexOf('HTTP/1.1 200'));
  });

  test.each(['/v1/status', '/v1/uplinks/cmi', '/v1/explain/cmi', '/v1/history', '/docs/json', '/docs'])(
    'who has %s already is not sent it again',
    async (path) => {
      world.document = statusOf();
      const first = await ask(world.port, { path, headers: { accept: '*/*' } });
      expect(first.status).toBe(200);
      const etag = String(first.headers['etag']);
      const headers = { accept: '*/*', 'if-none-match': `"other", ${etag}` };
      const again = await ask(world.port, { path, headers });
      expect([again.status, again.body, again.headers['etag']]).toEqual([304, '', etag]);
      const other = await ask(world.port, { path, headers: { accept: '*/*', 'if-none-match': 'W/"other"' } });
      expect([other.status, other.body]).toEqual([200, first.body]);
    },
  );

  test('a body that comes in drops is one body', async () => {
    const body = JSON.stringify({ reason: 'x', author: 'kim', dryRun: true, other: 'y'.repeat(5000) });
    const head = `POST /v1/freeze HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer correct-horse-battery\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
    expect(await sendRaw(world.port, `${head}${body}`)).toMatch(/^HTTP\/1\.1 400 [\s\S]*other/);
  });
});

test.each<[string | undefined, string, boolean]>([
  [undefined, 'application/json', true],
  ['', 'application/json', true],
  ['*/*', 'text/plain', true],
  ['application/*', 'application/json', true],
  ['text/html', 'application/json', false],
  ['text/html, */*;q=0.1', 'application/json', true],
  ['application/json;q=0', 'application/json', false],
  ['application/json;q=0, */*', 'application/json', false],
  ['APPLICATION/JSON', 'application/json', true],
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
    'text/plain',
    true,
  ],
  [';;;,,,', 'application/json', false],
])('Accept: %s takes %s: %s', (header, mediaType, taken) => {
  expect(accepts(header, mediaType)).toBe(taken);
});

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ['*', true],
  ['W/"1"', true],
  ['"1"', true],
  ['"0", "1"', true],
  ['"11"', false],
])('If-None-Match: %s has W/"1": %s', (header, has) => {
  expect(hasAlready(header, 'W/"1"')).toBe(has);
});

test.each<[string | undefined, boolean]>([
  ['127.0.0.1:9180', true],
  ['localhost', true],
  ['[::1]:9180', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['1.2.3', false],
  ['', false],
  [undefined, false],
])('the name %s is our own: %s', (header, own) => {
  expect(isOwnName(header)).toBe(own);
});

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['10.0.0.1', false],
  ['::', false],
])('%s is loopback: %s', (host, loopback) => {
  expect(isLoopback(host)).toBe(loopback);
});

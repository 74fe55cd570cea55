/**
 * Minutes of hostile clients, in processes of their own: a tick that asks a socket and a disk as the daemon's does comes in
 * time, nothing is left behind, and memory is flat. The whole daemon on a lab node: `npm run bench -- http-load`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { attacks } from '../../bench/http-attacks.ts';
import { attack, faultIn, hostile } from '../support/hostile.ts';
import { ask, event, type HttpWorld, openHttpWorld } from '../support/http-world.ts';
import * as fc from 'fast-check';

const seconds = 15;
const tickMillis = 200;

let world: HttpWorld;
let ticker: Ticker;
beforeAll(async () => {
  world = await openHttpWorld();
  for (let index = 0; index < 1900; index += 1) world.history.tell(event(`entry ${index}`));
  ticker = await startTicker();
});
afterAll(async () => {
  await ticker.stop();
  await world.close();
});

interface Ticker {
  /** How late each tick began and how long it took, in ms, since the last call. */
  taken(): readonly { readonly lateMillis: number; readonly tookMillis: number }[];
  stop(): Promise<void>;
}

/** Ticks as the daemon does: a timer, some answers of another socket, a look at a file. */
async function startTicker(): Promise<Ticker> {
  const path = join(world.socket, '..', 'echo.sock');
  const echo = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => {
    echo.listen(path, resolve);
  });
  const socket = connect(path);
  const answer = () =>
    new Promise((resolve) => {
      socket.once('data', resolve);
      socket.write('show protocols all\n');
    });
  let ticks: { lateMillis: number; tookMillis: number }[] = [];
  const over = new AbortController();
  const run = (async () => {
    while (!over.signal.aborted) {
      const due = performance.now() + tickMillis;
      await sleep(tickMillis);
      const began = performance.now();
      world.turns.hold();
      for (let question = 0; question < 3; question += 1) await answer();
      await stat(path);
      world.turns.go();
      world.tick += 1;
      ticks.push({ lateMillis: began - due, tookMillis: performance.now() - began });
    }
  })();
  return {
    taken() {
      const found = ticks;
      ticks = [];
      return found;
    },
    async stop() {
      over.abort();
      await run;
      socket.destroy();
      echo.close();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await gone;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;

/** Nanoseconds on a CPU, and waiting for one, of this thread since its start (proc/schedstats). */
function scheduled(): { readonly ran: number; readonly waited: number } {
  const [ran = 0, waited = 0] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
  return { ran, waited };
}

/**
 * From when a tick was due to its end: what half of them and 99 of 100 keep, and the worst. `share` of the time that it
 * wanted a CPU this thread had one: the rest is the machine's, and no fault of what runs in the thread.
 */
async function figuresOver(forMillis: number) {
  const from = scheduled();
  ticker.taken();
  await sleep(forMillis);
  const ticks = ticker.taken();
  const to = scheduled();
  const late = ticks.map(({ lateMillis, tookMillis }) => lateMillis + tookMillis);
  const [ran, waited] = [to.ran - from.ran, to.waited - from.waited];
  const of = (share: number) => Number(quantile(late, share).toFixed(1));
  return {
    ticks: ticks.length,
    p50: of(0.5),
    p99: of(0.99),
    worst: of(1),
    cpu: Number((ran / forMillis / 1e6).toFixed(2)),
    share: Number((ran / (ran + waited)).toFixed(2)),
  };
}

test.each(attacks.map((one) => [one.name, one.attack] as const))(
  '%s: ticks come in time',
  async (name, command) => {
    if (command === null) throw new Error('an attack without clients');
    const rest = await figuresOver(5000);
    const [program = '', ...args] = command(world.port, seconds);
    const player = spawn(program, args, { stdio: 'ignore' });
    try {
      await sleep(1000);
      const busy = await figuresOver(seconds * 1000);
      process.stderr.write(`${name}: at rest ${JSON.stringify(rest)}, under it ${JSON.stringify(busy)}\n`);
      expect(busy.ticks).toBeGreaterThan(seconds);
      // A thread that had a CPU for less than half of the time is judged by its usual tick.
      expect((busy.share < 0.5 ? busy.p50 : busy.p99) * busy.share).toBeLessThan(50);
    } finally {
      await end(player);
    }
    expect((await ask(world.port, { path: '/healthz' })).status).toBe(200);
  },
);

test('ten thousand hostile clients leave nothing behind', async () => {
  const handles = () => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length;
  const before = handles();
  const sizes: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const clients = fc.sample(hostile, { numRuns: 1000, seed: round });
    for (let from = 0; from < clients.length; from += 50) {
      const some = clients.slice(from, from + 50);
      const answers = await Promise.all(some.map((one) => attack(world.port, one)));
      expect(answers.map(faultIn).filter((fault) => fault !== null)).toEqual([]);
    }
    globalThis.gc?.();
    sizes.push(process.memoryUsage().heapUsed);
  }
  await vi.waitFor(() => expect(world.history.followers()).toBe(0), { timeout: 60_000 });
  await vi.waitFor(() => expect(handles()).toBeLessThan(before + 8), { timeout: 60_000 });
  process.stderr.write(
    `heap after each thousand, MB: ${sizes.map((size) => (size / 1e6).toFixed(0)).join(' ')}\n`,
  );
  const [, second = 0] = sizes;
  expect(Math.min(...sizes.slice(-3))).toBeLessThan(second + 30e6);
});

/** What our own machine does to a probe is never taken for the path: stalls, sleep, and steps of the wall clock. */
import { afterEach, describe, expect, test } from 'vitest';
import { type Engine, makeEngine } from '../../probes/engine.ts';
import { roundTrip } from '../../probes/round-trip.ts';
import type { Sample } from '../../src/types/outcome.ts';
import { instant } from '../../src/types/units.ts';
import { createServer } from './udp-server.ts';
import { loopbackTask } from '../support/loopback-task.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** DNS questions over lo to a server that answers, or never does. */
async function start(answers: boolean, asleep?: () => number): Promise<Engine> {
  const server = createServer((question, reply) => {
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8180, 2);
    if (answers) reply(answer);
  });
  const port = await server.listen('127.0.0.2');
  const engine = asleep === undefined ? makeEngine() : makeEngine(undefined, asleep);
  open.push(engine, server);
  engine.plan([loopbackTask('dns', port, { dns: { name: 'example.com', type: 'A' } })]);
  return engine;
}

/** Harvests until it holds. */
async function until(
  engine: Engine,
  holds: (samples: readonly Sample[]) => boolean,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const end = performance.now() + 30_000;
  while (!holds(samples)) {
    if (performance.now() > end) throw new Error(`not within 30 s: ${JSON.stringify(samples.slice(-5))}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    samples.push(...engine.harvest().samples);
  }
  return samples;
}

function block(blockMillis: number): void {
  const end = performance.now() + blockMillis;
  while (performance.now() < end);
}

describe('a stall of our own', () => {
  test('over the time-out loses nothing: replies that the kernel has are read before silence is judged', async () => {
    const engine = await start(true);
    await until(engine, (samples) => samples.some(({ outcome }) => outcome.kind === 'answered'));
    // The server stands in this process, so what is on its way must be answered before the stall.
    const before = engine.harvest();
    block(900);
    const samples = await until(
      engine,
      (all) => all.filter(({ outcome }) => outcome.kind === 'answered').length > 5,
    );
    expect(before.samples.concat(samples).filter(({ outcome }) => outcome.kind === 'lost')).toEqual([]);
  });

  test('makes silences that end in it not-run', async () => {
    const engine = await start(false);
    await until(engine, (samples) => samples.some(({ outcome }) => outcome.kind === 'lost'));
    block(900);
    const samples = await until(engine, (all) => all.some(({ outcome }) => outcome.kind === 'not-run'));
    const why = samples.flatMap(({ outcome }) => (outcome.kind === 'not-run' ? [outcome.why] : []));
    expect(new Set(why)).toEqual(new Set(['loop-lag']));
  });
});

test('what was on its way while the machine slept is not-run, and the next probes count again', async () => {
  let slept = 0;
  const engine = await start(false, () => slept);
  await until(engine, (samples) => samples.some(({ outcome }) => outcome.kind === 'lost'));
  slept = 3_600_000;
  const samples = await until(engine, (all) => {
    const first = all.findIndex(({ outcome }) => outcome.kind === 'not-run' && outcome.why === 'suspended');
    return first >= 0 && all.slice(first).some(({ outcome }) => outcome.kind === 'lost');
  });
  const why = samples.flatMap(({ outcome }) => (outcome.kind === 'not-run' ? [outcome.why] : []));
  // Twenty are on their way at any time.
  expect(why.filter((one) => one === 'suspended').length).toBeGreaterThan(5);
});

test.each([
  { name: 'the stamp', ago: 30, rtt: 20 },
  { name: 'a stamp of now', ago: 0, rtt: 50 },
  { name: 'a clock that was put back an hour', ago: 3_600_000, rtt: 50 },
  { name: 'a clock that was put on an hour', ago: -3_600_000, rtt: 50 },
  { name: 'a clock that was put back a little, before the probe was sent', ago: 51, rtt: 50 },
])('the round trip by $name is $rtt ms of the 50 that were seen', ({ ago, rtt }) => {
  expect(roundTrip(instant(1000), instant(1050), ago)).toBe(rtt);
});

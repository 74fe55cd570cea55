/** The one-number bucket (edge/lua/edge/bucket.lua) against a token bucket that counts tokens, and its bound under change. */
import { fc, test } from '../support/property.ts';
import { afterAll, expect } from 'vitest';
import { startLua } from '../support/lua.ts';

// A dictionary as nginx's, without expiry: incr starts from init, set replaces.
const lua = startLua(`
  local now = 0
  package.loaded['edge.clock'] = { now = function() return now end }
  local bucket = require 'edge.bucket'
  return function(run)
    local store = {}
    local dict = {
      get = function(_, key) return store[key] end,
      set = function(_, key, value) store[key] = value return true end,
      incr = function(_, key, by, init) store[key] = (store[key] or init) + by return store[key] end,
      expire = function() return true end,
    }
    local out = {}
    now = run.start
    for i, step in ipairs(run.steps) do
      now = now + step.wait
      local ok, left, wait = bucket.take(dict, 'k', step.T, step.burst, step.cost, 60)
      out[i] = { ok, left, wait }
    end
    return out
  end`);
afterAll(() => lua.close());

type Answer = readonly [allowed: boolean, left: number, waitMicros: number];
interface Step {
  readonly wait: number;
  readonly cost: number;
  readonly T: number;
  readonly burst: number;
}

async function take(steps: readonly Step[]): Promise<readonly Answer[]> {
  const out = await lua.call({ start: 1_000_000, steps });
  return out as readonly Answer[];
}

const limits = fc.record({
  T: fc.integer({ min: 1, max: 2_000_000 }),
  burst: fc.integer({ min: 1, max: 50 }),
});
const arrivals = fc.array(
  fc.record({
    wait: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5_000_000 })),
    cost: fc.integer({ min: 1, max: 5 }),
  }),
  { minLength: 1, maxLength: 200 },
);

test.prop([limits, arrivals])(
  'it allows exactly what a bucket of tokens allows, and says exactly how long to wait (B13)',
  async ({ T, burst }, list) => {
    const answers = await take(list.map((one) => ({ ...one, T, burst })));
    let credit = burst * T; // in microseconds: a token is worth T of them
    for (const [index, { wait, cost }] of list.entries()) {
      credit = Math.min(burst * T, credit + wait);
      if (cost > burst) {
        expect(answers[index]).toEqual([false, 0, burst * T]);
        continue;
      }
      const allowed = credit >= cost * T;
      expect(answers[index]?.slice(0, 3)).toEqual(
        allowed ? [true, Math.floor((credit - cost * T) / T), 0] : [false, 0, cost * T - credit],
      );
      if (allowed) credit -= cost * T;
    }
  },
);

test.prop([limits, limits, arrivals, arrivals])(
  'after any change of limits it admits no more than the new burst and rate, and locks nobody out for longer than the new depth',
  async (before, next, first, second) => {
    const answers = await take([
      ...first.map((one) => ({ ...one, ...before })),
      ...second.map((one) => ({ ...one, ...next })),
    ]);
    let admitted = 0;
    let passed = 0;
    for (const [index, one] of second.entries()) {
      if (index > 0) passed += one.wait;
      const answer = answers[first.length + index];
      if (answer?.[0]) admitted += one.cost;
      else if (one.cost <= next.burst) expect(answer?.[2]).toBeLessThanOrEqual(next.T * next.burst);
      expect(admitted).toBeLessThanOrEqual(next.burst + passed / next.T + 1e-9);
    }
  },
);

test.prop([limits, limits, arrivals])(
  'who waits as long as a refusal says is served, also after a change of limits',
  async (before, next, list) => {
    const cost = Math.min(next.burst, 2);
    const steps = [...list.map((one) => ({ ...one, ...before })), { ...next, wait: 0, cost }];
    const wait = (await take(steps)).at(-1)?.[2] ?? 0;
    const again = await take([...steps, { ...next, wait, cost: wait === 0 ? 0 : cost }]);
    expect(again.at(-1)?.[0]).toBe(true);
  },
);

// Workers at once: each stops after it has read the key, and goes on when the schedule says so.
const racing = startLua(`
  package.loaded['edge.clock'] = { now = function() return 5e6 end }
  local bucket = require 'edge.bucket'
  return function(run)
    bucket.setup(run.requests)
    local value
    local dict = {
      get = function() local seen = value coroutine.yield() return seen end,
      set = function(_, _, new) value = new return true end,
      incr = function(_, _, by, init) value = (value or init) + by coroutine.yield() return value end,
      expire = function() return true end,
    }
    local admitted, workers = 0, {}
    for i = 1, run.requests do
      workers[i] = coroutine.create(function()
        if bucket.take(dict, 'k', run.T, run.burst, 1, 60) then admitted = admitted + 1 end
      end)
    end
    for _, pick in ipairs(run.schedule) do
      local worker = workers[pick % run.requests + 1]
      if coroutine.status(worker) == 'suspended' then coroutine.resume(worker) end
    end
    for _, worker in ipairs(workers) do
      while coroutine.status(worker) == 'suspended' do coroutine.resume(worker) end
    end
    return { admitted, (value or 5e6) - 5e6 }
  end`);
afterAll(() => racing.close());

test.prop([limits, fc.integer({ min: 1, max: 40 }), fc.array(fc.nat(), { maxLength: 200 })])(
  'in whatever order workers come, a full bucket gives no more than its burst, and what was refused owes nothing',
  async ({ T, burst }, requests, schedule) => {
    const [admitted = 0, debt] = (await racing.call({ T, burst, requests, schedule })) as number[];
    expect(admitted).toBeLessThanOrEqual(burst);
    expect(debt).toBe(admitted * T);
  },
);

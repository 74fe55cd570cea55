/**
 * Defects of the original limiters that show in the order of steps and in clocks: both ways run in LuaJIT on the same
 * stand-ins, the original does what it must not, and the edge does not (notes B1, B2, B6, B12; case F1).
 */
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { startLua } from '../support/lua.ts';
import { script, twoKeys } from '../support/originals.ts';

const local = startLua(`
  package.loaded['edge.clock'] = { now = function() return 5e6 end }
  local bucket = require 'edge.bucket'
  local store, reads, writes, hold = {}, 0, 0, false
  local function step() if hold then coroutine.yield() end end
  local dict = {
    get = function(_, key) reads = reads + 1 local seen = store[key] step() return seen end,
    set = function(_, key, value) writes = writes + 1 store[key] = value step() return true end,
    incr = function(_, key, by, init) writes = writes + 1 store[key] = (store[key] or init) + by step() return store[key] end,
    expire = function() return true end,
  }
  local ngx = { shared = { limit = dict }, var = { binary_remote_addr = 'k' }, now = function() return 5 end, exit = function(code) return code end }
  local ways = {
    original = function() return (function() ${twoKeys} end)() == nil end,
    edge = function() return (bucket.take(dict, 'k', 60e6, 3, 1, 60)) end,
  }
  return function(ask)
    store, reads, writes, hold = {}, 0, 0, ask.together
    bucket.setup(ask.requests)
    local admitted, workers = 0, {}
    for i = 1, ask.requests do
      workers[i] = coroutine.create(function() if ways[ask.way]() then admitted = admitted + 1 end end)
      if not ask.together then coroutine.resume(workers[i]) end
      if i == ask.requests - 1 then reads, writes = 0, 0 end
    end
    -- Each does one step in its turn: all read before one writes.
    for _ = 1, 8 do
      for _, worker in ipairs(workers) do
        if coroutine.status(worker) == 'suspended' then coroutine.resume(worker) end
      end
    end
    return { admitted = admitted, reads = reads, writes = writes }
  end`);

const library = readFileSync('edge/redis/edge.lua', 'utf8').replace(/^#!.*/, '');
const central = startLua(`
  local at, times, stored, asked
  redis = {
    call = function(name, ...)
      name = name:lower()
      if name == 'time' then asked = asked + 1 at = at + 1 local t = times[math.min(at, #times)] return { t[1], t[2] } end
      if name == 'hmget' then return { stored[1], stored[2] } end
      if name == 'hmset' then local _, _, tokens, _, last = ... stored = { tokens, last } return end
      if name == 'get' then return stored[1] end
      if name == 'set' then local _, value = ... stored = { value } end
    end,
    error_reply = error,
    register_function = function(_, run) LEASE = run end,
  }
  loadstring([==[${library}]==])()
  local original = loadstring([==[${script}]==])
  return function(ask)
    if ask.fresh then stored = {} end
    times, at, asked = ask.times, 0, 0
    local allowed, wait
    if ask.way == 'original' then
      KEYS, ARGV = { 'k' }, { '1', '3' }
      allowed = original() == 1
    else
      local reply = LEASE({ 'k' }, { '1000000', '3', '1', '0' })
      allowed, wait = reply[1] == 1, reply[2]
    end
    return { allowed = allowed, wait = wait or 0, asked = asked, last = tonumber(stored[2]) or 0 }
  end`);
afterAll(async () => {
  await local.close();
  await central.close();
});

const run = async (way: string, together: boolean): Promise<Record<string, number>> =>
  (await local.call({ way, together, requests: 6 })) as Record<string, number>;

test('six at once on a bucket of three: the original lets all six in, the edge three (B1, F1)', async () => {
  expect((await run('original', true))['admitted']).toBe(6);
  expect((await run('edge', true))['admitted']).toBe(3);
});

test('a refusal costs the original two reads and two writes, and the edge one read (B2)', async () => {
  const original = await run('original', false);
  expect([original['admitted'], original['reads'], original['writes']]).toEqual([3, 2, 2]);
  const edge = await run('edge', false);
  expect([edge['admitted'], edge['reads'], edge['writes']]).toEqual([3, 1, 0]);
});

interface Reply {
  readonly allowed: boolean;
  readonly wait: number;
  readonly asked: number;
  readonly last: number;
}
const ask = async (way: string, times: readonly (readonly string[])[], fresh = false): Promise<Reply> =>
  (await central.call({ way, times, fresh })) as Reply;

test('at the turn of a second the original’s clock falls back by one, for it is read in two halves (B6)', async () => {
  const turn = [
    ['100', '999999'],
    ['101', '0'],
  ];
  const original = await ask('original', turn, true);
  expect([original.asked, original.last]).toEqual([2, 100]);
  expect((await ask('edge', turn, true)).asked).toBe(1);
});

test('after a failover to a clock an hour behind, the original refuses for an hour and the edge for its depth at most (B12)', async () => {
  for (const way of ['original', 'edge']) {
    await ask(way, [['7200', '0']], true);
    for (let i = 0; i < 2; i += 1) expect((await ask(way, [['7200', '0']])).allowed).toBe(true);
    expect((await ask(way, [['7200', '0']])).allowed).toBe(false);
  }
  // Three minutes later by the new clock: a bucket of three that gets one back each second is full.
  const later = [['3780', '0']];
  for (let i = 0; i < 3; i += 1) await ask('original', [['7200', '0']], i === 0);
  expect((await ask('original', [['7200', '0']])).allowed).toBe(false);
  expect((await ask('original', later)).allowed).toBe(false);
  for (let i = 0; i < 3; i += 1) await ask('edge', [['7200', '0']], i === 0);
  const refused = await ask('edge', [['3600', '0']]);
  expect([refused.allowed, refused.wait <= 3_000_000]).toEqual([false, true]);
  expect((await ask('edge', later)).allowed).toBe(true);
});

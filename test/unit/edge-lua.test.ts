/** The edge's pure Lua modules in tables: keys (F4), CDN-Loop, the choice among equal nodes, luacheck and the size of files. */
import { readdirSync, readFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { startLua } from '../support/lua.ts';

const keys = startLua(`
  local key, address, prefixes = require 'edge.key', require 'edge.address', require 'edge.prefixes'
  local function bytes(hex) return (hex:gsub('%x%x', function(p) return string.char(tonumber(p, 16)) end)) end
  return function(ask)
    local who = { addr = ask.hex and address.canonical(bytes(ask.hex)), asn = ask.asn,
      network = ask.network and { name = ask.network }, hash = function(text) return text end,
      header = function() return ask.header end, cookie = function() return ask.cookie end }
    local policy = { name = ask.policy or 'p', key = ask.key, classes = ask.classes or {} }
    for _, class in ipairs(policy.classes) do
      class.matcher = prefixes.build(class.prefixes or {})
      local networks, asns = {}, {}
      for _, n in ipairs(class.networks or {}) do networks[n] = true end
      for _, n in ipairs(class.asns or {}) do asns[n] = true end
      class.networks, class.asns = networks, asns
    end
    local _, class = key.class(policy, who)
    return (key.build(policy, class, who, ask.route or 'www.0'):gsub('[^ -~]', function(c) return ('\\\\x%02x'):format(c:byte()) end))
  end`);
const loops = startLua(`
  local loop = require 'edge.loop'
  return function(ask)
    local value = ask.value
    if #ask.value == 0 then value = nil elseif #ask.value == 1 then value = value[1] end
    return { loop.passed(value, ask.id), loop.append(value, ask.id) }
  end`);
afterAll(async () => {
  await keys.close();
  await loops.close();
});

const client = [{ kind: 'client' }];
const wide = [{ kind: 'client-wide' }];
const v6 = (last: string): string => `20010db80000000${last}`.padEnd(32, '0');

describe('keys', () => {
  const of = (ask: object): Promise<unknown> => keys.call({ key: client, ...ask });

  test('all addresses of an IPv6 /64 are one user, two /64 are two, and one /48 is one at the second level', async () => {
    const one = await of({ hex: `${v6('1').slice(0, 16)}0000000000000001` });
    expect(await of({ hex: `${v6('1').slice(0, 16)}ffffffffffffffff` })).toBe(one);
    expect(await of({ hex: v6('2') })).not.toBe(one);
    expect(await of({ key: wide, hex: v6('1') })).toBe(await of({ key: wide, hex: v6('2') }));
  });

  test('an IPv4 address that came mapped into IPv6 is itself, not one bucket for all of IPv4', async () => {
    expect(await of({ hex: '00000000000000000000ffffc0000201' })).toBe(await of({ hex: 'c0000201' }));
    expect(await of({ hex: '00000000000000000000ffffc0000201' })).not.toBe(
      await of({ hex: '00000000000000000000ffffc6336409' }),
    );
  });

  test('parts never run together, nor two policies (B4, F4)', async () => {
    const two = [{ kind: 'header', name: 'a' }, { kind: 'route' }];
    expect(await of({ key: two, hex: 'c0000201', header: 'a|b', route: 'c' })).not.toBe(
      await of({ key: two, hex: 'c0000201', header: 'a', route: 'b|c' }),
    );
    expect(await of({ policy: 'a', hex: 'c0000201' })).not.toBe(await of({ policy: 'b', hex: 'c0000201' }));
  });

  test('who sends no API key is limited by address, and an unknown address never shares with a known one', async () => {
    const header = [{ kind: 'header', name: 'x-api-key' }];
    expect(await of({ key: header, hex: 'c0000201' })).not.toBe(await of({ key: header, hex: 'c0000202' }));
    expect(await of({ key: header, hex: 'c0000201', header: 'k' })).toBe(
      await of({ key: header, hex: 'c0000202', header: 'k' }),
    );
    expect(await of({})).toBe('p|0|1:x');
  });

  test('a NAT prefix, network or ASN has a class of its own, the first that fits', async () => {
    const classes = [{ prefixes: [['c0000200', 24, true]] }, { networks: ['cm'] }, { asns: [9808] }];
    const start = async (ask: object): Promise<string> => String(await of({ classes, ...ask })).slice(0, 4);
    expect(await start({ hex: 'c0000201', network: 'cm' })).toBe('p|1|');
    expect(await start({ hex: 'c6336401', network: 'cm' })).toBe('p|2|');
    expect(await start({ hex: 'c6336401', asn: 9808 })).toBe('p|3|');
    expect(await start({ hex: 'c6336401' })).toBe('p|0|');
  });
});

test.each([
  [[], false, 'me'],
  [['other'], false, 'other, me'],
  [['me'], true, 'me, me'],
  [['a, me;x=1'], true, 'a, me;x=1, me'],
  [['a', ' me '], true, 'a,  me , me'],
  [['notme, me2, x;me'], false, 'notme, me2, x;me, me'],
])('CDN-Loop %j: seen %s', async (value, seen, appended) => {
  expect(await loops.call({ value, id: 'me' })).toEqual([seen, appended]);
});

test('an excluded ASN is unknown even where a list names it, and a prefix goes before both', async () => {
  const lua = startLua(`
    local networks = require 'edge.networks'
    return function(compiled)
      local built = networks.build(compiled)
      local out = {}
      for i, asn in ipairs { 1, 2 } do
        local found = networks.classify(built, '\\192\\0\\2\\1', asn)
        local fixed = networks.classify(built, '\\198\\51\\100\\1', asn)
        out[i] = { found and found.name or false, fixed and fixed.name or false }
      end
      return out
    end`);
  const compiled = {
    version: 'v',
    networks: { a: { kind: 'access', carriers: [] } },
    asns: { '1': 'a', '2': 'a' },
    excluded: [2],
    prefixes: [['c6336400', 24, 'a']],
  };
  expect(await lua.call(compiled)).toEqual([
    ['a', 'a'],
    [false, 'a'],
  ]);
  await lua.close();
});

test('a full dictionary refuses nobody but where the policy is closed, and what earlier limits took is given back (F6)', async () => {
  const lua = startLua(`
    local now = 5e6
    package.loaded['edge.clock'] = { now = function() return now end }
    package.loaded['edge.lease'] = {}
    local store, counts = {}, {}
    local roomy = {
      get = function(_, k) return store[k] end,
      set = function(_, k, v) store[k] = v return true end,
      incr = function(_, k, by, init) store[k] = (store[k] or init) + by return store[k] end,
      expire = function() return true end,
    }
    local full = { get = function() end, set = function() return nil, 'no memory' end, incr = function() return nil, 'no memory' end }
    ngx = { shared = { edge_rl = full, edge_rl_wide = roomy } }
    package.loaded['edge.metrics'] = { count = function(name, labels) counts[labels] = (counts[labels] or 0) + 1 end }
    local limit = require 'edge.limit'
    return function(fail)
      store, counts = {}, {}
      local function policy(name, wide, mode)
        return { name = name, wide = wide, fail = mode, scope = 'node', cost = 1, key = { { kind = 'route' } }, classes = {}, T = 1e6, rate = 1, burst = 3, ttl = 60 }
      end
      local policies = { first = policy('first', true, 'local'), second = policy('second', false, fail) }
      limit.setup(policies)
      local refused = limit.check({ id = 'r', limits = { policies.first, policies.second } }, { names = {} })
      local debt = 0
      for _, tat in pairs(store) do debt = debt + tat - now end
      return { refused and refused.policy.name or false, refused and refused.wait or 0, debt, counts['policy="second",result="error"'] or 0 }
    end`);
  expect(await lua.call('local')).toEqual([false, 0, 1e6, 1]);
  expect(await lua.call('open')).toEqual([false, 0, 1e6, 1]);
  expect(await lua.call('closed')).toEqual(['second', 1e6, 0, 1]);
  await lua.close();
});

test('users of one carrier spread over nodes of like score by weight, and never to one that is clearly worse', async () => {
  const lua = startLua(`
    local steer = require 'edge.steer'
    return function(ask)
      local counts = {}
      local function node(host, score, weight)
        return { host = host, accepting = true, weight = weight, uplinks = { cmi = { carrier = 'cmi', score = score, families = { ['4'] = { up = true } } } } }
      end
      local nodes = { a = node('a.test', 95, 100), b = node('b.test', 90, 300), c = node('c.test', 60, 10000) }
      local world = { host = 'x.test', steered = { ['www.test'] = true }, fresh = true, snapshot = { self = 'x', nodes = nodes } }
      world.hosts = steer.hosts(world.snapshot)
      for i = 1, 4000 do
        local _, _, to = steer.decide({ host = 'www.test', method = 'GET', client = 'client' .. i, family = '4', network = { kind = 'access', carriers = { 'cmi' } } }, world)
        counts[to.name] = (counts[to.name] or 0) + 1
      end
      return counts
    end`);
  const counts = (await lua.call({})) as Record<string, number>;
  await lua.close();
  expect(Object.keys(counts).sort()).toEqual(['a', 'b']);
  expect(counts['a']).toBeGreaterThan(850);
  expect(counts['a']).toBeLessThan(1150);
});

describe('the Lua files', () => {
  const files = readdirSync('edge/lua/edge');
  test('pass luacheck, with no globals', async () => {
    const result = await execa('luacheck', ['--config', 'edge/.luacheckrc', 'edge/lua'], {
      reject: false,
      all: true,
    });
    expect([result.exitCode, result.exitCode === 0 ? '' : result.all]).toEqual([0, '']);
  });
  test('load no library by its name: what nginx and LuaJIT bring is enough (A5)', () => {
    for (const name of files) expect(readFileSync(`edge/lua/edge/${name}`, 'utf8')).not.toContain('ffi.load');
  });
  test.each(files)('%s has fewer than 150 lines', (name) => {
    expect(readFileSync(`edge/lua/edge/${name}`, 'utf8').split('\n').length).toBeLessThan(151);
  });
});

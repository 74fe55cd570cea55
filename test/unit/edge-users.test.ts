/** Who a client is, kept for the addresses seen last (edge/lua/edge/users.lua), and over which uplink an origin is fetched. */
import { afterAll, describe, expect, test } from 'vitest';
import { startLua } from '../support/lua.ts';

const users = startLua(`
  local geo = { version = 1, lookups = 0 }
  function geo.asn(addr) geo.lookups = geo.lookups + 1 return addr:byte(1) == 10 and 9808 or nil, 'hit' end
  function geo.region() return 'ID' end
  package.loaded['edge.geo'] = geo
  package.loaded['edge.var'] = { get = function() return nil end }
  local networks, prefixes, users = require 'edge.networks', require 'edge.prefixes', require 'edge.users'
  local compiled = { version = 'v', networks = { cm = { kind = 'access', carriers = { 'cmi' } } }, asns = { ['9808'] = 'cm' },
    excluded = {}, prefixes = {} }
  users.setup { networks = networks.build(compiled), trusted = prefixes.build { { 'c0000232', 32, true } } }
  local function numbered(i) return string.char(11, math.floor(i / 65536) % 256, math.floor(i / 256) % 256, i % 256) end
  return function(ask)
    if ask.swap then geo.version = geo.version + 1 end
    for i = 1, ask.others or 0 do users.of(numbered(i)) end
    local before = geo.lookups
    local user = users.of(ask.text or (ask.hex:gsub('%x%x', function(p) return string.char(tonumber(p, 16)) end)))
    return { known = user.addr ~= nil, network = user.network and user.network.name or false, sums = user.sums,
      region = user.region or false, family = user.family, lookups = geo.lookups - before }
  end`);
const ways = startLua(`
  local ways = require 'edge.ways'
  return function(ask)
    ways.setup(ask.sources)
    local way = ways.choose(ask.origin, ask.snapshot, function(address) return address ~= ask.gone end)
    return way or false
  end`);
afterAll(async () => {
  await users.close();
  await ways.close();
});

describe('users', () => {
  const of = async (ask: object): Promise<Record<string, unknown>> =>
    (await users.call(ask)) as Record<string, unknown>;
  const mobile = { hex: '0a000001' };

  test('an address is looked up once, and again after a new database', async () => {
    expect(await of(mobile)).toEqual({
      known: true,
      network: 'cm',
      sums: 'network="cm",asn="9808"',
      region: 'ID',
      family: '4',
      lookups: 1,
    });
    expect((await of(mobile))['lookups']).toBe(0);
    expect((await of({ ...mobile, swap: true }))['lookups']).toBe(1);
  });

  test('thousands of others push an address out, so memory is bounded; who keeps coming is kept', async () => {
    for (let i = 0; i < 5; i += 1) expect((await of({ ...mobile, others: 3000 }))['lookups']).toBe(0);
    expect((await of({ ...mobile, others: 9000 }))['lookups']).toBe(1);
  });

  test('a mapped address is the IPv4 address, and an IPv6 address its own family', async () => {
    expect(await of({ hex: '00000000000000000000ffff0a000001' })).toMatchObject({
      family: '4',
      network: 'cm',
    });
    expect(await of({ hex: '20010db8000000000000000000000001' })).toMatchObject({ family: '6', known: true });
  });

  test('a trusted proxy and a Unix socket are nobody, of an unknown network', async () => {
    for (const ask of [{ hex: 'c0000232' }, { text: 'unix:' }, { text: '' }])
      expect(await of(ask)).toMatchObject({
        known: false,
        network: false,
        region: false,
        sums: 'network="unknown",asn="other"',
      });
  });
});

describe('ways', () => {
  const sources = {
    cmi: { '4': '192.0.2.1', '6': '2001:db8::1' },
    hkbn: { '4': '192.0.2.3' },
    pccw: { '4': '192.0.2.2' },
  };
  const uplink = (carrier: string, score: number, four = true, six = true): object => ({
    carrier,
    score,
    families: { '4': { up: four }, '6': { up: six } },
  });
  const told = (uplinks: object): object => ({ self: 'hk1', nodes: { hk1: { uplinks } } });
  const all = told({ cmi: uplink('cmi', 80), hkbn: uplink('hkbn', 90), pccw: uplink('pccw', 90) });
  const four = { address: '198.51.100.9' };
  test.each([
    ['the best score, then the first name', four, all, 'hkbn'],
    ['one of the carriers over which it answers', { ...four, carriers: ['pccw', 'cmi'] }, all, 'pccw'],
    ['an uplink with an address of its family', { address: '2001:db8:9::9' }, all, 'cmi'],
    ['none that is down', four, told({ cmi: uplink('cmi', 10), pccw: uplink('pccw', 90, false) }), 'cmi'],
    ['none when all are down', four, told({ cmi: uplink('cmi', 90, false) }), undefined],
    ['none without a word of the daemon', four, undefined, undefined],
    ['none of another node', four, { self: 'hk1', nodes: { hk2: { uplinks: {} } } }, undefined],
  ])('an origin is fetched over %s', async (_, origin, snapshot, expected) => {
    const way = (await ways.call({ sources, origin, snapshot })) as { uplink?: string } | false;
    expect(way ? way.uplink : undefined).toBe(expected);
  });

  test('an address that is gone is passed over', async () => {
    expect(await ways.call({ sources, origin: four, snapshot: all, gone: '192.0.2.3' })).toEqual({
      uplink: 'pccw',
      address: '192.0.2.2',
      carrier: 'pccw',
    });
  });
});

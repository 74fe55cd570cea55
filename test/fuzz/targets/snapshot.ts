/** Snapshots of the daemon for the edge: the schema of TypeScript, and the checks of Lua in a real LuaJIT. */
import { edgeSnapshot } from '../../../src/types/wire/node-to-edge.ts';
import { type Lua, startLua } from '../../support/lua.ts';
import type { FuzzTarget } from '../target.ts';

let lua: Lua | null = null;

/** Decodes as the admin socket does; what it accepts goes through the ladder for a user of each carrier. */
const chunk = `
local snapshot = require 'edge.snapshot'
local steer = require 'edge.steer'
local cjson = require 'cjson'
return function(input)
  local ok, value = pcall(cjson.decode, input.text)
  if not ok then return 'no JSON' end
  local problem = snapshot.problem(value)
  if problem then return problem end
  snapshot.compare(value, { epoch = 1, seq = 1 })
  local world = { host = 'me.example', steered = { ['www.example'] = true }, snapshot = value, fresh = true }
  world.hosts = steer.hosts(value)
  for _, carrier in ipairs({ 'cmi', 'pccw' }) do
    for _, family in ipairs({ '4', '6' }) do
      local network = { kind = 'access', carriers = { carrier, 'hkbn' } }
      local req = { host = 'www.example', method = 'GET', client = '192.0.2.7', family = family, region = 'ID', network = network }
      local action = steer.decide(req, world)
      if action ~= 'serve' and action ~= 'redirect' then return 1 end
    end
  end
  return 'accepted'
end`;

const good = {
  schema: 1,
  epoch: 1_796_000_000_000,
  seq: 42,
  generatedAt: '2026-11-30T01:00:00Z',
  ttlMillis: 15_000,
  self: 'hk1',
  nodesActive: 2,
  nodes: {
    hk2: {
      host: 'hk2.edge.example.com:8443',
      accepting: true,
      weight: 10,
      uplinks: { cmi: { carrier: 'cmi', score: 90, families: { '4': { up: true }, '6': { up: false } } } },
    },
    hk1: {
      host: 'hk1.edge.example.com',
      accepting: true,
      weight: 100,
      uplinks: {
        cmi: { carrier: 'cmi', score: 97, families: { '4': { up: true, regions: { ID: true } } } },
      },
    },
  },
  origins: { app: [{ address: '192.0.2.10', port: 443, weight: 1, up: true }] },
  networks: '2026-11-01',
};

export const snapshotTarget: FuzzTarget = {
  name: 'snapshot',
  summary: 'edge snapshots, in TypeScript and in Lua',
  seeds: () => [Buffer.from(JSON.stringify(good))],
  together: 32,
  async check(input) {
    lua ??= startLua(chunk);
    const text = input.toString('utf8');
    const word = await lua.call({ text });
    if (typeof word !== 'string') return `Lua answers ${JSON.stringify(word)}`;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return null;
    }
    edgeSnapshot.safeParse(value);
    return null;
  },
  async close() {
    await lua?.close();
    lua = null;
  },
};

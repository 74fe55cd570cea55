/**
 * What Redis decides by itself, in one step that nothing comes between: whether a node may leave, and which of two orders
 * is the younger one. A FUNCTION where Redis has them (7 and newer), else the same text by EVAL. test/support/
 * fleet-registry.ts tells the same in TypeScript, and a test compares both on a real Redis.
 *
 *   token   KEYS tokens leaves beats generation
 *           ARGV kind node epoch master                                   kind: hold, release
 *           ARGV leave node epoch master need needInSite leavers windowMillis strong (node epoch content inSite)…
 *   order   KEYS orders    ARGV name version text
 *
 * Tokens do not end by Redis's clock, which may jump: a holder stops believing in its own one, and one whose holder
 * speaks with a younger epoch is void. The clock only says how long ago somebody left.
 */
const body = `
local function master(generation)
  local server = redis.call('INFO', 'server')
  local replication = redis.call('INFO', 'replication')
  if not string.find(replication, 'role:master', 1, true) then return 'replica' end
  return string.match(server, 'run_id:(%x+)') .. '/' .. string.match(replication, 'master_replid:(%x+)') .. '/' .. generation
end

local function numbers(text)
  if not text then return nil end
  local epoch, seq, content = string.match(text, '^(%d+) (%d+) (%d+)')
  return tonumber(epoch), tonumber(seq), tonumber(content)
end

local function epochOf(text)
  if not text then return nil end
  return tonumber(string.match(text, '^%d+'))
end

local function recentLeaves(key, node, windowMillis, now)
  local recent = 0
  local leaves = redis.call('HGETALL', key)
  for i = 1, #leaves, 2 do
    local name, at = leaves[i], tonumber(leaves[i + 1])
    if at > now then
      at = now
      redis.call('HSET', key, name, string.format('%.0f', now))
    end
    if now - at >= windowMillis then
      redis.call('HDEL', key, name)
    elseif name ~= node then
      recent = recent + 1
    end
  end
  return recent
end

local function standing(keys, argv, node)
  local count, inSite = 0, 0
  for i = 10, #argv, 4 do
    local name, epoch, content = argv[i], tonumber(argv[i + 1]), tonumber(argv[i + 2])
    local nowEpoch, _, nowContent = numbers(redis.call('HGET', keys[3], name))
    local held = epochOf(redis.call('HGET', keys[1], name))
    local isFree = held == nil or held < epoch
    if name ~= node and nowEpoch == epoch and nowContent == content and isFree then
      count = count + 1
      if argv[i + 3] == '1' then inSite = inSite + 1 end
    end
  end
  return count, inSite
end

local function token(keys, argv)
  local kind, node, epoch = argv[1], argv[2], tonumber(argv[3])
  local generation = redis.call('GET', keys[4])
  if not generation or master(generation) ~= argv[4] then return { 'anew' } end
  if epochOf(redis.call('HGET', keys[3], node)) ~= epoch then return { 'fenced' } end
  if kind == 'release' then
    redis.call('HDEL', keys[1], node)
    return { 'released' }
  end
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local function give()
    redis.call('HSET', keys[1], node, string.format('%.0f %.0f', epoch, now))
    redis.call('PEXPIRE', keys[1], 604800000)
    return { 'given' }
  end
  if kind == 'hold' then return give() end
  local need, needInSite = tonumber(argv[5]), tonumber(argv[6])
  local recent = recentLeaves(keys[2], node, tonumber(argv[8]), now)
  if recent >= tonumber(argv[7]) then return { 'window', recent } end
  if recent > 0 and argv[9] ~= '1' then return { 'evidence', recent } end
  local count, inSite = standing(keys, argv, node)
  if count < need + recent then return { 'few', count, need + recent } end
  if inSite < needInSite then return { 'few', inSite, needInSite } end
  redis.call('HSET', keys[2], node, string.format('%.0f', now))
  redis.call('PEXPIRE', keys[2], 604800000)
  return give()
end

local function order(keys, argv)
  local version, text = tonumber(argv[2]), argv[3]
  local known = redis.call('HGET', keys[1], argv[1])
  if known then
    local knownVersion = epochOf(known)
    local knownText = string.sub(known, string.find(known, ' ', 1, true) + 1)
    if knownVersion > version or (knownVersion == version and knownText >= text) then return { 'known' } end
  end
  redis.call('HSET', keys[1], argv[1], string.format('%.0f', version) .. ' ' .. text)
  return { 'taken' }
end
`;

/** Goes up with each change of the text: nodes of two versions may share a Redis. */
const version = 1;

export const fleetLibrary = `#!lua name=causeway_fleet_${version}
${body}
redis.register_function('causeway_token_${version}', token)
redis.register_function('causeway_order_${version}', order)
`;

export type FleetFunction = 'token' | 'order';

/** Its name for FCALL. */
export function functionName(one: FleetFunction): string {
  return `causeway_${one}_${version}`;
}

/** Its text for EVAL. */
export function scriptOf(one: FleetFunction): string {
  return `${body}\nreturn ${one}(KEYS, ARGV)\n`;
}

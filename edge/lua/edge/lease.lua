-- Fleet-wide limits: tokens are leased from Redis in chunks and spent here, so that most requests ask nobody. One request
-- of a node fetches at a time, the others wait for it; a refusal is remembered until its time is over; when Redis fails
-- three times in a second it is left alone for one, and the node limits its own share (rate and burst / live nodes).
-- Bound on what a fleet of n nodes admits in t seconds while Redis answers: burst + n * chunk + rate * t.
local bucket = require 'edge.bucket'
local clock = require 'edge.clock'
local metrics = require 'edge.metrics'
local redis = require 'edge.redis'
local state = require 'edge.state'

local M = {}
local library

-- Called once with the text of the function library.
function M.setup(text)
  library = text
end

local function chunk(limits, cost)
  local nodes = state.nodes()
  local size = math.min(0.05 * limits.rate / nodes, limits.burst / nodes)
  return math.max(1, cost, math.floor(size)), nodes
end

local function breaker_open(dict, now)
  local till = dict:get('breaker')
  return till and till > now
end
M.breaker_open = function() return breaker_open(ngx.shared.edge_lease, clock.now()) and true or false end

-- The node's own share, for when Redis is away. What it gives out is written down as a debt.
local function share(key, limits, cost, alone)
  if not alone then return nil, 'redis gave no lease' end
  local nodes = state.nodes()
  local T, burst = limits.T * nodes, math.max(cost, limits.burst / nodes)
  local ok, left, wait = bucket.take(ngx.shared.edge_rl, 's' .. key, T, burst, cost, bucket.ttl(T, burst))
  if ok then ngx.shared.edge_lease:incr('o' .. key, cost, 0, 60) end
  return ok, left, wait, 'fallback'
end

local function load_library(dict, key)
  if not dict:safe_add('loading' .. redis.name(key), true, 5) then return nil, 'function library is being loaded' end
  metrics.count('edge_lease_calls_total', 'result="load"')
  return redis.call(key, { 'FUNCTION', 'LOAD', 'REPLACE', library })
end

local function ask(dict, key, limits, want, debt)
  local args = { 'FCALL', 'edge_lease_v1', 1, 'rl:' .. key, string.format('%.6f', limits.T), limits.burst, want, debt }
  local reply, err, own = redis.call(key, args)
  if own and err:find('Function not found', 1, true) then
    reply, err = load_library(dict, key)
    if reply then reply, err = redis.call(key, args) end
  end
  if type(reply) == 'table' and tonumber(reply[1]) then return reply end
  return nil, err or 'not a lease'
end

-- Fetches a chunk: tokens or a refusal go into the dictionary. Returns true, or nil where Redis gave no answer.
local function fetch(key, limits, cost)
  local dict = ngx.shared.edge_lease
  local want, nodes = chunk(limits, cost)
  local debt = dict:get('o' .. key) or 0
  local reply, err = ask(dict, key, limits, want, debt)
  if not reply then
    metrics.count('edge_lease_calls_total', 'result="error"')
    local errors = dict:incr('errors', 1, 0, 1)
    if errors and errors >= 3 then dict:set('breaker', clock.now() + 1e6, 2) end
    if errors == 1 or errors == 3 then ngx.log(ngx.WARN, 'edge: redis gave no lease: ', err, '; this node limits its share') end
    return nil
  end
  if debt > 0 then dict:incr('o' .. key, -debt) end
  local granted, wait = reply[1], reply[2]
  if granted > 0 then
    metrics.count('edge_lease_calls_total', 'result="granted"')
    -- Long enough that a slow client can spend all of it: else stranded tokens would eat its rate.
    local ttl = math.max(2, 4 * want * nodes / limits.rate)
    if dict:incr('t' .. key, granted, 0, ttl) then dict:expire('t' .. key, ttl) end
  else
    metrics.count('edge_lease_calls_total', 'result="denied"')
    dict:set('d' .. key, clock.now() + wait, math.max(0.001, wait / 1e6))
    -- Saturated: fetching ahead would only bring crumbs, in more calls.
    dict:set('w' .. key, true, 1)
  end
  return true
end

local function prefetch(_, key, limits, cost)
  fetch(key, limits, cost)
  ngx.shared.edge_lease:delete('f' .. key)
end

local function spend(dict, key, limits, cost)
  local left = dict:incr('t' .. key, -cost)
  if not left then return nil end
  if left < 0 then
    dict:incr('t' .. key, cost)
    return nil
  end
  local size = chunk(limits, cost)
  if size < 4 or left >= size / 4 or dict:get('w' .. key) or breaker_open(dict, clock.now()) then return left end
  if dict:safe_add('f' .. key, true, 0.1) and not ngx.timer.at(0, prefetch, key, limits, cost) then dict:delete('f' .. key) end
  return left
end

-- Takes `cost` tokens of a fleet-wide limit { T, rate, burst }. Returns as bucket.take, and then 'lease' or 'fallback'.
-- `alone`: whether this node limits its own share while Redis is away; else nil, why.
function M.take(key, limits, cost, alone)
  local dict = ngx.shared.edge_lease
  local deadline = clock.now() + 50000
  while true do
    local left = spend(dict, key, limits, cost)
    if left then return true, left, 0, 'lease' end
    local now = clock.now()
    local denied = dict:get('d' .. key)
    if denied and denied > now then return false, 0, denied - now, 'lease' end
    if now > deadline or breaker_open(dict, now) then return share(key, limits, cost, alone) end
    local mine, why = dict:safe_add('f' .. key, true, 0.1)
    if mine then
      local answered = fetch(key, limits, cost)
      dict:delete('f' .. key)
      if not answered then return share(key, limits, cost, alone) end
    elseif why == 'exists' then
      ngx.sleep(0.002)
    else
      return share(key, limits, cost, alone)
    end
  end
end

-- Gives leased tokens back to this node's purse.
function M.refund(key, cost)
  ngx.shared.edge_lease:incr('t' .. key, cost)
end

return M

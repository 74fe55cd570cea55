-- Which origin gets the request: those that the daemon's probes call up; when none is, all of them (everything down means
-- try, not refuse); when the daemon never spoke of the pool, the config's own list. First those that answer over the
-- carriers of the user's network, in its order of preference; of equal ones one at random by weight. One more try on another
-- origin when the first cannot be reached or fails. Where the config names the uplinks' addresses, the connection is bound to
-- an uplink that is up (ways.lua).
local metrics = require 'edge.metrics'
local state = require 'edge.state'
local users = require 'edge.users'
local ways = require 'edge.ways'

local M = {}
local pools = {}

-- pools: { [name] = { fallback = { { address, port } }, tries, connectSeconds, readSeconds } }
function M.setup(config)
  pools = config
end

-- The list to choose from: the daemon's word (stale or not: the last one counts), or the config's.
function M.list(pool, snapshot)
  local told = snapshot and snapshot.origins and snapshot.origins[pool.name]
  if not told or #told == 0 then return pool.fallback end
  local up = {}
  for _, origin in ipairs(told) do
    if origin.up and origin.weight ~= 0 then up[#up + 1] = origin end
  end
  return #up > 0 and up or told
end

-- Place of an origin for a network: of the first of its carriers over which it answers, else behind all of them.
local function place(origin, carriers)
  for i, carrier in ipairs(carriers) do
    for _, own in ipairs(origin.carriers or {}) do
      if own == carrier then return i end
    end
  end
  return #carriers + 1
end

-- The best place among those not tried yet, and the sum of weights there.
local function best(list, tried, carriers)
  local first, total = math.huge, 0
  for i, origin in ipairs(list) do
    local at = not tried[i] and place(origin, carriers)
    if at and at < first then first, total = at, 0 end
    if at == first then total = total + math.max(origin.weight or 1, 1e-6) end
  end
  return first, total
end

-- One of the list that was not tried yet, by place and then by weight; `random` gives numbers in [0, 1).
function M.pick(list, tried, carriers, random)
  local first, total = best(list, tried, carriers)
  local at, last = random() * total, nil
  for i, origin in ipairs(list) do
    if not tried[i] and place(origin, carriers) == first then
      at, last = at - math.max(origin.weight or 1, 1e-6), i
      if at < 0 then return i end
    end
  end
  return last
end

-- What a request tries: { list, tried, first, carriers, way }. With a way, only origins of its family can follow the first,
-- and those come first that answer over its carrier: nginx binds all tries of a request to one address.
local function plan(name, user)
  local current = state.current()
  local snapshot = current and current.snapshot
  local list, tried = M.list(pools[name], snapshot), {}
  local carriers = user.network and user.network.carriers or {}
  local first = M.pick(list, tried, carriers, math.random)
  local way = ways.any() and ways.choose(list[first], snapshot) or nil
  if way then
    carriers = { way.carrier }
    for i, origin in ipairs(list) do tried[i] = ways.family(origin) ~= ways.family(list[first]) or nil end
  end
  return { list = list, tried = tried, first = first, carriers = carriers, way = way }
end

-- In the access phase, where a connection can still be bound: sets the request's upstream (one for each uplink, so that kept
-- connections of another uplink are never used) and the address that it leaves from.
function M.prepare(name, user)
  if not ways.any() then return end
  local made = plan(name, user)
  ngx.ctx.edge_plan = made
  if not made.way then return end
  ngx.var.edge_upstream = 'edge_' .. name .. '_via_' .. made.way.uplink
  ngx.var.edge_bind = made.way.address
  metrics.count('edge_origin_bound_total', 'pool="' .. name .. '",uplink="' .. made.way.uplink .. '"')
end

-- balancer_by_lua of a pool.
function M.balance(name)
  local balancer = require 'ngx.balancer'
  local pool, ctx = pools[name], ngx.ctx
  ctx.edge_plan = ctx.edge_plan or plan(name, users.current())
  local made = ctx.edge_plan
  local i = made.first
  if not made.begun then
    made.begun = true
    balancer.set_more_tries(pool.tries - 1)
  else
    if balancer.get_last_failure() then metrics.count('edge_upstream_fail_total', 'pool="' .. name .. '"') end
    i = M.pick(made.list, made.tried, made.carriers, math.random) or i
  end
  made.tried[i] = true
  local origin = made.list[i]
  balancer.set_timeouts(pool.connectSeconds, pool.readSeconds, pool.readSeconds)
  local host = origin.address:find(':', 1, true) and '[' .. origin.address .. ']' or origin.address
  local ok, err = balancer.set_current_peer(host, origin.port)
  if not ok then ngx.log(ngx.ERR, 'edge: origin ', host, ' of pool ', name, ' cannot be used: ', err) end
end

return M

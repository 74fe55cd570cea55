-- Which origin gets the request: those that the daemon's probes call up, at random by weight; when none is, all of them
-- (everything down means try, not refuse); when the daemon never spoke of the pool, the config's own list. One more try on
-- another origin when the first cannot be reached or fails.
local metrics = require 'edge.metrics'
local state = require 'edge.state'

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

-- One of the list that was not tried yet, by weight; `random` gives numbers in [0, 1).
function M.pick(list, tried, random)
  local total, last = 0, nil
  for i, origin in ipairs(list) do
    if not tried[i] then total = total + math.max(origin.weight or 1, 1e-6) end
  end
  local at = random() * total
  for i, origin in ipairs(list) do
    if not tried[i] then
      at, last = at - math.max(origin.weight or 1, 1e-6), i
      if at < 0 then return i end
    end
  end
  return last
end

-- balancer_by_lua of a pool.
function M.balance(name)
  local balancer = require 'ngx.balancer'
  local pool, ctx = pools[name], ngx.ctx
  if not ctx.edge_origins then
    local current = state.current()
    ctx.edge_origins, ctx.edge_tried = M.list(pool, current and current.snapshot), {}
    balancer.set_more_tries(pool.tries - 1)
  elseif balancer.get_last_failure() then
    metrics.count('edge_upstream_fail_total', 'pool="' .. name .. '"')
  end
  local i = M.pick(ctx.edge_origins, ctx.edge_tried, math.random) or 1
  ctx.edge_tried[i] = true
  local origin = ctx.edge_origins[i]
  balancer.set_timeouts(pool.connectSeconds, pool.readSeconds, pool.readSeconds)
  local host = origin.address:find(':', 1, true) and '[' .. origin.address .. ']' or origin.address
  local ok, err = balancer.set_current_peer(host, origin.port)
  if not ok then ngx.log(ngx.ERR, 'edge: origin ', host, ' of pool ', name, ' cannot be used: ', err) end
end

return M

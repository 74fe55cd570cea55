-- The access phase of a route: loop check, who is it, serve here or redirect, limits, and the way to the origin. Each step
-- reuses its tables and looks up labels that were made once: what is done for each request is paid for by each request.
local limit = require 'edge.limit'
local loop = require 'edge.loop'
local metrics = require 'edge.metrics'
local origin = require 'edge.origin'
local state = require 'edge.state'
local steer = require 'edge.steer'
local users = require 'edge.users'
local var = require 'edge.var'

local M = {}
local conf
local told, untold = 0, 0

-- config: see init.lua
function M.setup(config)
  conf = config
end

-- Where a bug is, in the one line that a log entry has.
local function located(message)
  return (debug.traceback(message, 2):gsub('%s*\n%s*', ' < '))
end

-- A bug in what is only there to help must not become an outage: it is logged and counted, and the request is served.
local function guarded(part, one, two)
  local ok, first, second = xpcall(part, located, one, two)
  if ok then return first, second end
  ngx.log(ngx.ERR, 'edge: bug, the request is served without this step: ', first)
  metrics.count('edge_bugs_total', '')
  return nil
end

-- Filled anew for each request: a decision waits for nothing, so no other request comes between.
local world, req = {}, {}

-- Labels of a decision, made once: network -> reason, which goes with one action alone.
local decisions = {}
local function labels_of(network, action, reason)
  local by_reason = decisions[network] or {}
  decisions[network] = by_reason
  local labels = by_reason[reason]
  if not labels then
    labels = 'network="' .. network .. '",action="' .. action .. '",reason="' .. reason .. '"'
    by_reason[reason] = labels
  end
  return labels
end

-- Where to send the user, or nil: serve here.
local function target(user)
  local current = state.current()
  world.host, world.steered = conf.host, conf.steered
  world.snapshot, world.hosts, world.fresh = current and current.snapshot, current and current.hosts, state.fresh(current)
  req.host, req.method = var.get('host'), ngx.req.get_method()
  req.client, req.family, req.region, req.network = user.client, user.family, user.region, user.network
  local action, reason, node = steer.decide(req, world)
  if action == 'redirect' and conf.shadow then
    action, reason = 'serve', 'shadow'
  elseif action == 'redirect' then
    local client = user.addr or '\0\0\0\0'
    if loop.damped(ngx.shared.edge_redir, client, conf.redirects.most, conf.redirects.seconds) then
      action, reason = 'serve', 'damped'
    end
  end
  metrics.count('edge_steer_total', labels_of(user.network and user.network.name or 'unknown', action, reason))
  return action == 'redirect' and node or nil
end

-- One line a second at most; users' addresses stand in the log and nowhere else.
local function tell(refused)
  local second = ngx.time()
  untold = untold + 1
  if second == told then return end
  ngx.log(ngx.WARN, 'edge: limited by ', refused.policy.name, ': ', var.get('remote_addr'), ' (', untold, ' since the last line)')
  told, untold = second, 0
end

local function refuse(refused, user)
  tell(refused)
  metrics.count('edge_limited_total', user.sums)
  ngx.header['Retry-After'] = math.max(1, math.ceil(refused.wait / 1e6))
  ngx.header['Cache-Control'] = 'no-store'
  ngx.status = 429
  ngx.header['Content-Type'] = 'text/plain'
  ngx.say('too many requests')
  return ngx.exit(ngx.HTTP_OK) -- the status is sent; this ends the request
end

local function show(tightest)
  local limits = tightest.limits
  local window = math.ceil(limits.T * limits.burst / 1e6)
  ngx.header['RateLimit-Policy'] = string.format('"%s";q=%d;w=%d', tightest.policy.name, limits.burst, window)
  ngx.header['RateLimit'] = string.format('"%s";r=%d', tightest.policy.name, tightest.left)
end

-- Passes a request on to its pool: our own id into CDN-Loop (once, however often nginx itself sends it round), and the way
-- to the origin.
local function pass_on(route, passed, user)
  if not loop.passed(passed, conf.loopId) then ngx.req.set_header('CDN-Loop', loop.append(passed, conf.loopId)) end
  guarded(origin.prepare, route.pool, user)
end

-- access_by_lua of a route.
function M.run(id)
  local route = conf.routes[id]
  -- Only what is passed on can come back. All of the header's lines, however many others there are; most have none.
  local passed = conf.passes and var.get('http_cdn_loop') and ngx.req.get_headers(0)['cdn-loop'] or nil
  local user = guarded(users.current) or users.nobody
  -- An index or error page, or an origin's X-Accel-Redirect, of a request that passed here already: nothing is counted twice.
  if ngx.req.is_internal() then
    if route.pool then pass_on(route, passed, user) end
    return
  end
  if not user.addr then metrics.count('edge_unidentified_total', '') end
  if passed and loop.passed(passed, conf.loopId) then
    metrics.count('edge_loop_detected_total', '')
    ngx.log(ngx.ERR, 'edge: this request was here before (CDN-Loop): an origin points back at this node')
    return ngx.exit(508)
  end
  local node = route.steer and guarded(target, user)
  if node then
    ngx.header['Cache-Control'] = 'private, no-store'
    return ngx.redirect((route.scheme or var.get('scheme')) .. '://' .. node.host .. var.get('request_uri'), 302)
  end
  if route.limits[1] then
    local refused, tightest = guarded(limit.check, route, user)
    if conf.rateLimitHeaders and tightest then show(tightest) end
    if refused then return refuse(refused, user) end
  end
  if route.pool then pass_on(route, passed, user) end
end

return M

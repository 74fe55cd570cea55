-- The access phase of a route: loop check, who is it, serve here or redirect, limits.
local address = require 'edge.address'
local geo = require 'edge.geo'
local limit = require 'edge.limit'
local loop = require 'edge.loop'
local metrics = require 'edge.metrics'
local networks = require 'edge.networks'
local prefixes = require 'edge.prefixes'
local state = require 'edge.state'
local steer = require 'edge.steer'
local var = require 'edge.var'

local M = {}
local conf
local told, untold = 0, 0
local LOOKUP = { hit = 'result="hit"', miss = 'result="miss"', ['no-database'] = 'result="no-database"' }

-- config: see init.lua
function M.setup(config)
  conf = config
end

-- What every user has; see key.lua.
local USER = { __index = {
  hash = function(text) return ngx.md5_bin(text) end,
  header = function(name) return ngx.req.get_headers()[name] end,
  cookie = function(name) return var.get('cookie_' .. name) end,
} }

local function identify(route)
  local addr = address.canonical(var.get('binary_remote_addr'))
  -- Still a trusted proxy after its header was read: the header was missing or nonsense, and this is nobody's address.
  if addr and prefixes.find(conf.trusted, addr) then addr = nil end
  local who = setmetatable({ addr = addr, route = route.id, pool = route.pool, asn = nil, network = nil }, USER)
  if not addr then
    metrics.count('edge_unidentified_total', '')
    return who
  end
  local result
  who.asn, result = geo.asn(addr)
  metrics.count('edge_geo_lookup_total', LOOKUP[result])
  who.network = networks.classify(conf.networks, addr, who.asn)
  return who
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
local function target(who)
  local current = state.current()
  local addr = who.addr or '\0\0\0\0'
  local four = #addr == 4
  world.host, world.steered = conf.host, conf.steered
  world.snapshot, world.hosts, world.fresh = current and current.snapshot, current and current.hosts, state.fresh(current)
  req.host, req.method, req.network = var.get('host'), ngx.req.get_method(), who.network
  req.client, req.family = addr:sub(1, four and 3 or 6), four and '4' or '6'
  req.region = geo.region(addr)
  local action, reason, node = steer.decide(req, world)
  if action == 'redirect' and loop.damped(ngx.shared.edge_redir, addr, conf.redirects.most, conf.redirects.seconds) then
    action, reason = 'serve', 'damped'
  end
  metrics.count('edge_steer_total', labels_of(who.network and who.network.name or 'unknown', action, reason))
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

local function refuse(refused)
  tell(refused)
  ngx.ctx.edge_limited = true
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

-- access_by_lua of a route.
function M.run(id)
  local route = conf.routes[id]
  -- Only what is passed on can come back. All of the header's lines, however many others there are; most have none.
  local passed = route.pool and var.get('http_cdn_loop') and ngx.req.get_headers(0)['cdn-loop'] or nil
  if loop.passed(passed, conf.loopId) then
    metrics.count('edge_loop_detected_total', '')
    ngx.log(ngx.ERR, 'edge: this request was here before (CDN-Loop): an origin points back at this node')
    return ngx.exit(508)
  end
  -- An index page or error page of a request that passed here already: it is not counted twice.
  local internal = ngx.req.is_internal()
  local who = guarded(identify, route) or { route = id }
  ngx.ctx.edge_who = who
  if internal then return end
  local node = route.steer and guarded(target, who)
  if node then
    ngx.header['Cache-Control'] = 'private, no-store'
    return ngx.redirect((route.scheme or var.get('scheme')) .. '://' .. node.host .. var.get('request_uri'), 302)
  end
  if route.limits[1] then
    local refused, tightest = guarded(limit.check, route.limits, who)
    if conf.rateLimitHeaders and tightest then show(tightest) end
    if refused then return refuse(refused) end
  end
  if route.pool then ngx.req.set_header('CDN-Loop', loop.append(passed, conf.loopId)) end
end

return M

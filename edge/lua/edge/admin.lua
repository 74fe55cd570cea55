-- The admin socket: PUT /state from the daemon, GET /metrics for Prometheus, GET /status for people. The socket's
-- directory decides who may come in.
local cjson = require 'cjson.safe'
local geo = require 'edge.geo'
local lease = require 'edge.lease'
local metrics = require 'edge.metrics'
local state = require 'edge.state'

local M = {}
local conf

function M.setup(config)
  conf = config
  metrics.declare('edge_steer_total', 'counter', 'Decisions: serve here or redirect, and why.')
  metrics.declare('edge_ratelimit_total', 'counter', 'Answers of each limit; shadow: would have been refused.')
  metrics.declare('edge_lease_calls_total', 'counter', 'Calls to Redis for fleet-wide limits.')
  metrics.declare('edge_evicted_total', 'counter', 'Live keys pushed out of a full zone: make it bigger.')
  metrics.declare('edge_unidentified_total', 'counter', 'Requests without a client address of their own.')
  metrics.declare('edge_geo_lookup_total', 'counter', 'Lookups in the ASN database.')
  metrics.declare('edge_geo_swap_total', 'counter', 'New database files taken or refused, once per worker.')
  metrics.declare('edge_state_push_total', 'counter', 'Messages on PUT /state.')
  metrics.declare('edge_upstream_fail_total', 'counter', 'Failed tries on origins.')
  metrics.declare('edge_origin_bound_total', 'counter', 'Requests whose origin is fetched over an uplink of the config.')
  metrics.declare('edge_loop_detected_total', 'counter', 'Requests that came back to this node (CDN-Loop).')
  metrics.declare('edge_bugs_total', 'counter', 'Steps left out because of an error in the edge itself; see the log.')
  metrics.declare('edge_requests_total', 'counter', 'Requests of each access network and listed ASN.')
  metrics.declare('edge_bytes_total', 'counter', 'Bytes sent to them.')
  metrics.declare('edge_response_seconds_total', 'counter', 'Time spent on their requests.')
  metrics.declare('edge_limited_total', 'counter', 'Their requests that were refused with 429.')
  metrics.declare('edge_cache_hits_total', 'counter', 'Their requests answered from the cache.')
  metrics.declare('edge_origin_errors_total', 'counter', 'Their requests that an origin answered with 5xx.')
  metrics.declare('edge_summary_total', 'counter', 'Messages to GeoDNS about what was served.')
  metrics.declare('edge_lease_breaker_open', 'gauge', '1 while Redis is left alone after errors.', function()
    return { { '', lease.breaker_open() and 1 or 0 } }
  end)
  metrics.declare('edge_state_age_seconds', 'gauge', 'Age of the last message of the daemon.', function()
    local age = state.age()
    return age and { { '', age } } or {}
  end)
  metrics.declare('edge_state_seq', 'gauge', 'Sequence number of the last message.', function()
    local current = state.current()
    return current and { { '', current.snapshot.seq } } or {}
  end)
  metrics.declare('edge_geo_build_epoch_seconds', 'gauge', 'When the databases in use were built.', geo.builds)
  metrics.declare('edge_shdict_free_bytes', 'gauge', 'Whole free pages of the shared zones.', function()
    local out = {}
    for name, dict in pairs(ngx.shared) do out[#out + 1] = { 'dict="' .. name .. '"', dict:free_space() } end
    return out
  end)
end

local function answer(status, body)
  ngx.status = status
  ngx.header['Content-Type'] = 'application/json'
  ngx.say(cjson.encode(body))
end

local STATUS = { stored = 200, older = 409, wrong = 400, full = 507, busy = 503 }

-- PUT /state. 200 { epoch, seq } | 409 { epoch, seq } of the newer one here | 400, 503, 507 { error }
function M.put_state()
  if ngx.req.get_method() ~= 'PUT' then return answer(405, { error = 'PUT a snapshot here' }) end
  ngx.req.read_body()
  local body = ngx.req.get_body_data()
  if not body then return answer(400, { error = 'no body' }) end
  local result, detail = state.put(body, nil, ngx.sleep)
  metrics.count('edge_state_push_total', 'result="' .. result .. '"')
  if type(detail) == 'table' then return answer(STATUS[result], { epoch = detail.epoch, seq = detail.seq }) end
  if result ~= 'busy' then ngx.log(ngx.WARN, 'edge: state not taken: ', detail) end
  return answer(STATUS[result], { error = detail or 'another message is being stored, try again' })
end

function M.metrics()
  ngx.header['Content-Type'] = 'text/plain; version=0.0.4'
  ngx.print(metrics.render())
end

function M.status()
  local current = state.current()
  local s, view = current and current.snapshot, cjson.null
  if s then
    view = { epoch = s.epoch, seq = s.seq, ageSeconds = state.age(), fresh = state.fresh(current), networks = s.networks }
  end
  answer(200, { node = conf.node, host = conf.host, networks = conf.networks.version, state = view,
    breakerOpen = lease.breaker_open(), worker = ngx.worker.pid() })
end

return M

-- What this node served since the last message, to GeoDNS: sums by access network and listed ASN, no address of anybody.
-- Worker 0 tells by a timer, with time limits; when GeoDNS is away or refuses, the message is dropped and counted, and the
-- next one begins where this one ended. What was told last is kept in the shared zone, so a reload tells nothing twice.
local cjson = require 'cjson.safe'
local metrics = require 'edge.metrics'

local M = {}
local conf, node

local FIELDS = {
  edge_requests_total = 'requests', edge_bytes_total = 'bytes', edge_response_seconds_total = 'seconds',
  edge_cache_hits_total = 'cacheHits', edge_origin_errors_total = 'originErrors', edge_limited_total = 'limited',
}
local BASE, MOST = 'summary-base', 2000

-- geodns: { host, port, tls (name), token, everySeconds, timeoutMillis }, or nil: nobody is told.
function M.setup(geodns, name)
  conf, node = geodns, name
end

-- Sums since the start of nginx: 'network asn' -> field -> value.
local function totals(dict)
  local out = {}
  for _, full in ipairs(dict:get_keys(5000)) do
    local name, network, asn = full:match('^([a-z_]+){network="([^"]+)",asn="([^"]+)"}$')
    local field = FIELDS[name]
    if field then
      local key = network .. ' ' .. asn
      out[key] = out[key] or {}
      out[key][field] = dict:get(full)
    end
  end
  return out
end

-- Rows of what came since `base`, with all fields; at most MOST. Where a sum is smaller, its zone was emptied.
function M.rows(now, base)
  local rows = {}
  for key, sums in pairs(now) do
    local before, row, any = base[key] or {}, {}, false
    for _, field in pairs(FIELDS) do
      local new, old = sums[field] or 0, before[field] or 0
      row[field] = new >= old and new - old or new
      any = any or row[field] > 0
    end
    local network, asn = key:match('^(%S+) (%S+)$')
    row.network, row.asn = network, tonumber(asn) or cjson.null
    if any and #rows < MOST then rows[#rows + 1] = row end
  end
  return rows
end

jit.off(totals) -- nested loops over tables, once a minute; see init.lua
jit.off(M.rows)

-- true | nil, result for the counter, why
local function post(body)
  local sock = ngx.socket.tcp()
  sock:settimeouts(conf.timeoutMillis, conf.timeoutMillis, conf.timeoutMillis)
  local ok, err = sock:connect(conf.host, conf.port)
  if not ok then return nil, 'away', err end
  if conf.tls then
    local session, why = sock:sslhandshake(false, conf.tls, true)
    if session == nil then
      sock:close()
      return nil, 'away', why
    end
  end
  local sent, why = sock:send { 'POST /v1/statistics HTTP/1.1\r\nHost: ', conf.tls or conf.host,
    '\r\nAuthorization: Bearer ', conf.token, '\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ',
    tostring(#body), '\r\n\r\n', body }
  local line
  if sent then line, why = sock:receive('*l') end
  sock:close()
  if not line then return nil, 'away', why end
  if line:match('^HTTP/1%.%d 20[02]') then return true end
  return nil, 'refused', line:sub(1, 80)
end

-- One message; what it told is told, whatever becomes of it.
local function tell(premature)
  if premature then return end
  local dict = ngx.shared.edge_metrics
  local now = totals(dict)
  local last = cjson.decode(dict:get(BASE) or '{}') or {}
  local rows = M.rows(now, last.sums or {})
  dict:set(BASE, cjson.encode { at = ngx.time(), sums = now })
  if #rows == 0 then return end
  local seconds = last.at and ngx.time() - last.at or conf.everySeconds
  local body = cjson.encode { schema = 1, node = node, at = ngx.time(), seconds = math.max(0, seconds), rows = rows }
  local ok, result, why = post(body)
  metrics.count('edge_summary_total', 'result="' .. (ok and 'sent' or result) .. '"')
  if not ok then ngx.log(ngx.WARN, 'edge: GeoDNS was not told what was served: ', why) end
end

-- In init_worker_by_lua.
function M.start()
  if conf and ngx.worker.id() == 0 then ngx.timer.every(conf.everySeconds, tell) end
end

return M

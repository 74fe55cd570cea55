-- The log phase of a route: sums for each access network, and for each ASN that networks.yaml lists.
local metrics = require 'edge.metrics'
local var = require 'edge.var'

local M = {}
local listed = {}
local labels = {}

-- networks: as edge/networks.lua built them
function M.setup(networks)
  listed = networks.asns
end

-- Labels of a network and ASN, made once.
local function labels_of(who)
  local network = who.network and who.network.name or 'unknown'
  local asn = who.asn and listed[who.asn] and who.asn or 'other'
  local by_asn = labels[network]
  if not by_asn then
    by_asn = {}
    labels[network] = by_asn
  end
  local text = by_asn[asn]
  if not text then
    text = 'network="' .. network .. '",asn="' .. asn .. '"'
    by_asn[asn] = text
  end
  return text
end

-- log_by_lua of a route.
function M.run()
  local ctx = ngx.ctx
  local who = ctx.edge_who
  if not who then return end
  local text = labels_of(who)
  local sums = metrics.of(text)
  sums.edge_requests_total = (sums.edge_requests_total or 0) + 1
  sums.edge_bytes_total = (sums.edge_bytes_total or 0) + (tonumber(var.get('bytes_sent')) or 0)
  sums.edge_response_seconds_total = (sums.edge_response_seconds_total or 0) + ngx.now() - ngx.req.start_time()
  if ctx.edge_limited then metrics.count('edge_limited_total', text) end
  -- Each variable costs a microsecond: those of the origin are asked only where there is one.
  local status = who.pool and var.get('upstream_status')
  if not status then return end
  if var.get('upstream_cache_status') == 'HIT' then metrics.count('edge_cache_hits_total', text) end
  local last = tonumber(status:match('(%d+)%s*$'))
  if last and last >= 500 then metrics.count('edge_origin_errors_total', text) end
end

return M

-- The log phase of a route: sums for each access network, and for each ASN that networks.yaml lists.
local metrics = require 'edge.metrics'
local users = require 'edge.users'
local var = require 'edge.var'

local M = {}

-- log_by_lua of a route; `passes`: whether it has a pool of origins.
function M.run(passes)
  local sums = metrics.of(users.current().sums)
  sums.edge_requests_total = (sums.edge_requests_total or 0) + 1
  sums.edge_bytes_total = (sums.edge_bytes_total or 0) + (tonumber(var.get('bytes_sent')) or 0)
  sums.edge_response_seconds_total = (sums.edge_response_seconds_total or 0) + ngx.now() - ngx.req.start_time()
  -- Each variable costs something: those of the origin are asked only where there is one.
  local status = passes and var.get('upstream_status')
  if not status then return end
  if var.get('upstream_cache_status') == 'HIT' then sums.edge_cache_hits_total = (sums.edge_cache_hits_total or 0) + 1 end
  local last = tonumber(status:match('(%d+)%s*$'))
  if last and last >= 500 then sums.edge_origin_errors_total = (sums.edge_origin_errors_total or 0) + 1 end
end

return M

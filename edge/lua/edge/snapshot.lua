-- Checks the daemon's snapshot (schema 1) before anything believes it: a wrong message is refused whole, with the path of
-- what is wrong. Unknown fields are ignored, unknown versions refused. Pure.
local address = require 'edge.address'

jit.off(true, true) -- nested loops over tables, a few times a minute; see init.lua

local M = {}

local function whole(value, low, high)
  return type(value) == 'number' and value >= low and value <= high and value == math.floor(value)
end

local function name(value)
  return type(value) == 'string' and #value <= 63 and value:find('^[a-z][a-z0-9-]*$') ~= nil
end

-- A host name, perhaps with a port: it becomes part of a Location header.
local function host(value)
  if type(value) ~= 'string' or #value > 253 then return false end
  local bare, port = value:match('^([%w.-]+):(%d+)$')
  if port and not whole(tonumber(port), 1, 65535) then return false end
  return (bare or value):find('^%w[%w.-]*$') ~= nil
end

local function family_problem(view, at)
  if view == nil then return nil end
  if type(view) ~= 'table' or type(view.up) ~= 'boolean' then return at .. '.up is not true or false' end
  if view.regions == nil then return nil end
  if type(view.regions) ~= 'table' then return at .. '.regions is not a table' end
  for region, up in pairs(view.regions) do
    if type(up) ~= 'boolean' then return at .. '.regions.' .. tostring(region) .. ' is not true or false' end
  end
  return nil
end

local function uplink_problem(uplink, at)
  if type(uplink) ~= 'table' then return at .. ' is not a table' end
  if not name(uplink.carrier) then return at .. '.carrier is not a name' end
  if not whole(uplink.score, 0, 100) then return at .. '.score is not a whole number from 0 to 100' end
  if type(uplink.families) ~= 'table' then return at .. '.families is not a table' end
  return family_problem(uplink.families['4'], at .. '.families.4') or family_problem(uplink.families['6'], at .. '.families.6')
end

local function node_problem(node, at)
  if type(node) ~= 'table' then return at .. ' is not a table' end
  if not host(node.host) then return at .. '.host is not a host name' end
  if type(node.accepting) ~= 'boolean' then return at .. '.accepting is not true or false' end
  if not whole(node.weight, 0, 10000) then return at .. '.weight is not a whole number from 0 to 10000' end
  if type(node.uplinks) ~= 'table' then return at .. '.uplinks is not a table' end
  for key, uplink in pairs(node.uplinks) do
    if not name(key) then return at .. '.uplinks has a key that is not a name' end
    local problem = uplink_problem(uplink, at .. '.uplinks.' .. key)
    if problem then return problem end
  end
  return nil
end

local function origin_problem(origin, at)
  if type(origin) ~= 'table' or not address.is_text(origin.address) then return at .. '.address is not an IP address' end
  if not whole(origin.port, 1, 65535) then return at .. '.port is not a port' end
  if origin.weight ~= nil and not whole(origin.weight, 0, 1e9) then return at .. '.weight is not a whole number' end
  if type(origin.up) ~= 'boolean' then return at .. '.up is not true or false' end
  if origin.carriers == nil then return nil end
  if type(origin.carriers) ~= 'table' then return at .. '.carriers is not a list' end
  for _, carrier in pairs(origin.carriers) do
    if not name(carrier) then return at .. '.carriers has something that is not a name' end
  end
  return nil
end

local function pools_problem(origins)
  if origins == nil then return nil end
  if type(origins) ~= 'table' then return 'origins is not a table' end
  for pool, list in pairs(origins) do
    if not name(pool) or type(list) ~= 'table' then return 'origins has a pool that is not a named list' end
    for i, origin in pairs(list) do
      local problem = origin_problem(origin, 'origins.' .. pool .. '.' .. tostring(i))
      if problem then return problem end
    end
  end
  return nil
end

-- What is wrong with a decoded snapshot, as a text that starts with its path, or nil.
function M.problem(s)
  if type(s) ~= 'table' then return 'the snapshot is not an object' end
  if s.schema ~= 1 then return 'schema: version ' .. tostring(s.schema) .. ' is not known here, 1 is' end
  if not whole(s.epoch, 0, 2 ^ 53 - 1) then return 'epoch is not a whole number' end
  if not whole(s.seq, 0, 2 ^ 53 - 1) then return 'seq is not a whole number' end
  if not whole(s.ttlMillis, 1, 1e9) then return 'ttlMillis is not a length of time' end
  if not whole(s.nodesActive, 0, 1e6) then return 'nodesActive is not a whole number' end
  if not name(s.self) then return 'self is not a name' end
  if type(s.nodes) ~= 'table' then return 'nodes is not a table' end
  for key, node in pairs(s.nodes) do
    if not name(key) then return 'nodes has a key that is not a name' end
    local problem = node_problem(node, 'nodes.' .. key)
    if problem then return problem end
  end
  return pools_problem(s.origins)
end

-- Negative when snapshot order `a` is older than `b`; both have epoch and seq.
function M.compare(a, b)
  if a.epoch ~= b.epoch then return a.epoch - b.epoch end
  return a.seq - b.seq
end

return M

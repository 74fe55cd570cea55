-- Whose bucket a request takes from. A key is `policy|class|` and then each part behind its own length, so that two parts
-- can never run together into a third ("a|b" + "c" is not "a" + "b|c"). Values that users choose are hashed.
local address = require 'edge.address'
local prefixes = require 'edge.prefixes'

local M = {}

-- Bits that make one user: a /64 is the least that a line gets in IPv6, so its addresses are one user. The wide ones are
-- the second level against a holder of many /64 (or of many IPv4 addresses).
local BITS = { client = { [4] = 32, [6] = 64 }, ['client-wide'] = { [4] = 24, [6] = 48 } }

local function prefix_part(kind, addr)
  local family = address.family(addr)
  return family .. address.masked(addr, BITS[kind][family])
end

-- who: see users.lua; route: id of the route
local function part(kind, name, who, route)
  if BITS[kind] then return who.addr and prefix_part(kind, who.addr) or 'x' end
  if kind == 'route' then return 'r' .. route end
  if kind == 'asn' then return 'a' .. tostring(who.asn or 0) end
  if kind == 'network' then return 'n' .. (who.network and who.network.name or '') end
  local value = kind == 'header' and who.header(name) or kind == 'cookie' and who.cookie(name)
  if type(value) == 'string' and value ~= '' then return 'h' .. who.hash(value) end
  -- Nothing was sent: the client's own bucket, never one for all who send nothing.
  return 'm' .. (who.addr and prefix_part('client', who.addr) or 'x')
end

-- The key of a policy for a request of a user; `class` from M.class.
function M.build(policy, class, who, route)
  local out = policy.name .. '|' .. class .. '|'
  for _, spec in ipairs(policy.key) do
    local text = part(spec.kind, spec.name, who, route)
    out = out .. #text .. ':' .. text
  end
  return out
end

-- Whether a policy's key is the same for all that a user sends.
function M.fixed(policy)
  for _, spec in ipairs(policy.key) do
    if spec.kind == 'header' or spec.kind == 'cookie' then return false end
  end
  return true
end

-- The first class of a policy that the request belongs to (many users behind one address), with its own rate and burst; or
-- the policy itself. Returns the limits and the class's number (0: the policy).
function M.class(policy, who)
  for i, class in ipairs(policy.classes) do
    if who.addr and prefixes.find(class.matcher, who.addr) then return class, i end
    if who.network and class.networks[who.network.name] then return class, i end
    if who.asn and class.asns[who.asn] then return class, i end
  end
  return policy, 0
end

return M

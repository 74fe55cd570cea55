-- Who a client is: address, ASN, access network, region, and the texts that limits and sums are kept under. Worked out once
-- for an address and kept for those seen last, so that a request of a known one looks up one string and allocates nothing.
-- Two generations: when the younger is full it becomes the elder, and the elder goes. So memory is bounded, and no request
-- pays for tidying up. A new database forgets everybody.
local address = require 'edge.address'
local geo = require 'edge.geo'
local metrics = require 'edge.metrics'
local networks = require 'edge.networks'
local prefixes = require 'edge.prefixes'
local var = require 'edge.var'

local M = {}
local GENERATION = 4096 -- about 2 MiB for each worker
local LOOKUP = { hit = 'result="hit"', miss = 'result="miss"', ['no-database'] = 'result="no-database"' }

local conf
local young, elder, size, version = {}, {}, 0, nil

local function forget()
  young, elder, size, version = {}, {}, 0, geo.version
end

-- What a user sends, read when a limit asks for it.
local SENT = { __index = {
  hash = function(text) return ngx.md5_bin(text) end,
  header = function(name) return ngx.req.get_headers()[name] end,
  cookie = function(name) return var.get('cookie_' .. name) end,
} }

-- Labels of a user's sums. ASNs that networks.yaml does not list are one: labels come from the config alone.
local function sums_label(network, asn)
  local listed = asn and conf.networks.asns[asn] and asn or 'other'
  return 'network="' .. (network and network.name or 'unknown') .. '",asn="' .. listed .. '"'
end

local function identify(bytes)
  local addr = address.canonical(bytes)
  -- Still a trusted proxy after its header was read: the header was missing or nonsense, and this is nobody's address.
  if addr and prefixes.find(conf.trusted, addr) then addr = nil end
  local four = not addr or #addr == 4
  local user = { addr = addr, family = four and '4' or '6', client = (addr or '\0\0\0\0'):sub(1, four and 3 or 6), asn = nil,
    network = nil, region = nil, sums = nil, names = {} }
  if addr then
    local result
    user.asn, result = geo.asn(addr)
    metrics.count('edge_geo_lookup_total', LOOKUP[result])
    user.network = networks.classify(conf.networks, addr, user.asn)
    user.region = geo.region(addr)
  end
  user.sums = sums_label(user.network, user.asn)
  return setmetatable(user, SENT)
end

-- The user of an address as nginx has it in $binary_remote_addr (4 or 16 bytes; anything else is nobody's address):
-- { addr or nil (nobody's), family '4' | '6', client (bytes of the /24 or /48), asn, network, region (or nil each), sums
-- (labels), names (see limit.lua), hash, header, cookie (functions) }
function M.of(bytes)
  if version ~= geo.version then forget() end
  local user = young[bytes]
  if user then return user end
  user = elder[bytes] or identify(bytes)
  if size >= GENERATION then young, elder, size = {}, young, 0 end
  young[bytes], size = user, size + 1
  return user
end

-- config: { trusted (see prefixes.lua), networks (see networks.lua) }
function M.setup(config)
  conf = config
  forget()
  M.nobody = identify('') -- for a request whose user cannot be told because of an error in here
end

-- The user of this request.
function M.current()
  return M.of(var.get('binary_remote_addr') or '')
end

return M

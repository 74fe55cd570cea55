-- Which access network an address belongs to, by the compiled networks.yaml. Order: prefix overrides (longest first), then
-- excluded ASNs (unknown), then the ASN lists. Organisation names never classify.
local prefixes = require 'edge.prefixes'

local M = {}

-- compiled: { version, networks = { ct = { kind, carriers } }, asns = { ["4134"] = "ct" }, excluded = { 4847 },
-- prefixes = { { hex, length, "ct" } } }. ASNs come as text, since JSON has no other keys.
function M.build(compiled)
  local out = { version = compiled.version, networks = {}, asns = {}, excluded = {}, prefixes = prefixes.build(compiled.prefixes) }
  for name, network in pairs(compiled.networks) do
    out.networks[name] = { name = name, kind = network.kind, carriers = network.carriers }
  end
  for asn, name in pairs(compiled.asns) do out.asns[tonumber(asn)] = name end
  for _, asn in ipairs(compiled.excluded) do out.excluded[asn] = true end
  return out
end

-- { name, kind, carriers } of the network of an address with this ASN (nil: none known), or nil: unknown.
function M.classify(built, bytes, asn)
  local name = prefixes.find(built.prefixes, bytes)
  if name then return built.networks[name] end
  if not asn or built.excluded[asn] then return nil end
  return built.networks[built.asns[asn]]
end

return M

-- Over which uplink an origin is fetched. A connection that is bound to an uplink's source address leaves by that uplink,
-- since the node's policy routing goes by source. Taken is an uplink that is up for the origin's family and, where the
-- daemon has said over which carriers the origin answers, is one of these; of several the best score, then the name. None:
-- the connection is not bound, and the kernel's routes decide.
local bindable = require 'edge.bindable'

local M = {}
local uplinks = {} -- list of { name, source = { ['4'] = address, ['6'] = address } }

-- sources: { [uplink] = { ['4'] = address, ['6'] = address } } of the config
function M.setup(sources)
  uplinks = {}
  for name, source in pairs(sources or {}) do uplinks[#uplinks + 1] = { name = name, source = source } end
  table.sort(uplinks, function(a, b) return a.name < b.name end)
end

-- Whether origins are bound at all.
function M.any()
  return #uplinks > 0
end

-- '4' or '6' of an origin.
function M.family(origin)
  return origin.address:find(':', 1, true) and '6' or '4'
end

local function answers(origin, carrier)
  if not origin.carriers then return true end
  for _, one in ipairs(origin.carriers) do
    if one == carrier then return true end
  end
  return false
end

-- { uplink, address, carrier } for an origin, or nil. `usable(address)`: whether the node has it; for tests.
function M.choose(origin, snapshot, usable)
  local own = snapshot and snapshot.nodes[snapshot.self]
  if not own then return nil end
  local family, best, score = M.family(origin), nil, -1
  for _, uplink in ipairs(uplinks) do
    local source, said = uplink.source[family], own.uplinks[uplink.name]
    local up = source and said and said.families[family] and said.families[family].up
    if up and said.score > score and answers(origin, said.carrier) and (usable or bindable.check)(source) then
      best, score = { uplink = uplink.name, address = source, carrier = said.carrier }, said.score
    end
  end
  return best
end

return M

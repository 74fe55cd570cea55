-- The longest prefix that holds an address, among a few hundred: one hash table for each length, longest first.
local address = require 'edge.address'

local M = {}

local function unhex(text)
  return (text:gsub('%x%x', function(pair) return string.char(tonumber(pair, 16)) end))
end

-- list: { { hex, length, value }, … } as compiled from the config: hex is all 4 or 16 bytes of the prefix.
function M.build(list)
  local out = { [4] = { lengths = {}, by = {} }, [6] = { lengths = {}, by = {} } }
  for _, entry in ipairs(list) do
    local bytes, length = unhex(entry[1]), entry[2]
    local side = out[address.family(bytes)]
    if not side.by[length] then
      side.by[length] = {}
      side.lengths[#side.lengths + 1] = length
    end
    side.by[length][address.masked(bytes, length)] = entry[3]
  end
  for _, family in ipairs { 4, 6 } do
    table.sort(out[family].lengths, function(a, b) return a > b end)
  end
  return out
end

-- The value of the longest prefix that holds `bytes`, or nil.
function M.find(built, bytes)
  local side = built[address.family(bytes)]
  for _, length in ipairs(side.lengths) do
    local value = side.by[length][address.masked(bytes, length)]
    if value ~= nil then return value end
  end
  return nil
end

return M

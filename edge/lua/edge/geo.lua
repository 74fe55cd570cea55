-- ASN (and, if there is one, region) of an address, from MaxMind DB files. A file is swapped when its fingerprint changes:
-- the new one is read and checked first, and a broken one leaves the old one in force. Each worker swaps for itself.
local file = require 'edge.file'
local metrics = require 'edge.metrics'
local mmdb = require 'edge.mmdb'

local M = { version = 0 } -- version: another one with each database
local open = {} -- role ('asn', 'country') -> { path, print, db }

local function load(role, path)
  local slot = open[role] or { path = path }
  open[role] = slot
  local stat, why = file.stat(path)
  if not stat then return nil, why end
  if stat.print == slot.print then return true end
  local data, detail = file.read(path)
  if not data then return nil, detail end
  local db, problem = mmdb.parse(data)
  slot.print = stat.print -- a broken file is reported once, not at each look
  if not db then return nil, path .. ' (' .. #data .. ' bytes): ' .. problem end
  slot.db, M.version = db, M.version + 1
  collectgarbage() -- the old one goes now, not whenever the collector feels like it
  return true
end

-- Opens what the config names; a missing or broken file is reported and looked for again. Returns a list of problems.
function M.open(paths)
  local problems = {}
  for role, path in pairs(paths) do
    local ok, why = load(role, path)
    if not ok then problems[#problems + 1] = why end
  end
  return problems
end

-- Looks for new files; called by a timer.
function M.check()
  for role, slot in pairs(open) do
    local before = slot.db
    local ok, why = load(role, slot.path)
    if not ok and why ~= slot.told then
      ngx.log(ngx.ERR, 'edge: database not taken, the one in use stays: ', why)
      metrics.count('edge_geo_swap_total', 'result="refused"')
    elseif ok and slot.db ~= before then
      metrics.count('edge_geo_swap_total', 'result="taken"')
    end
    slot.told = why
  end
end

-- AS number of an address (bytes), or nil.
function M.asn(addr)
  local slot = open.asn
  if not slot or not slot.db then return nil, 'no-database' end
  local record = mmdb.lookup(slot.db, addr)
  return record and tonumber(record.autonomous_system_number), record and 'hit' or 'miss'
end

-- ISO code of the country of an address, or nil where there is no country database or no record.
function M.region(addr)
  local slot = open.country
  local record = slot and slot.db and mmdb.lookup(slot.db, addr)
  local country = record and (record.country or record.registered_country)
  return type(country) == 'table' and country.iso_code or nil
end

-- Build times of the open databases, for metrics: { { labels, seconds }, … }.
function M.builds()
  local out = {}
  for role, slot in pairs(open) do
    if slot.db then out[#out + 1] = { 'database="' .. role .. '"', slot.db.built } end
  end
  return out
end

return M

-- Reader of the MaxMind DB format 2.0 (https://maxmind.github.io/MaxMind-DB/): search tree and the data types that ASN and
-- country databases use. The file is held in memory, not mapped: a mapped file that somebody overwrites in place kills the
-- worker with SIGBUS. Every offset is checked, so that a broken file gives "no record", never a wild read.
local bit = require 'bit'
local ffi = require 'ffi'

local band, rshift = bit.band, bit.rshift
local MARKER = '\171\205\239MaxMind.com'

local M = {}
local decode

local function uint(data, at, bytes)
  local value = 0
  for i = at, at + bytes - 1 do value = value * 256 + (data:byte(i + 1) or error('cut short', 0)) end
  return value
end

local function pointer(db, control, at, depth)
  local size = band(rshift(control, 3), 3)
  local value = uint(db.data, at, size + 1)
  if size < 3 then value = value + band(control, 7) * 2 ^ (8 * (size + 1)) end
  local base = size == 1 and 2048 or size == 2 and 526336 or 0
  return decode(db, db.section + base + value, depth + 1), at + size + 1
end

local function map(db, size, at, depth)
  local out = {}
  for _ = 1, size do
    local key, value
    key, at = decode(db, at, depth + 1)
    value, at = decode(db, at, depth + 1)
    out[key] = value
  end
  return out, at
end

local function array(db, size, at, depth)
  local out = {}
  for i = 1, size do out[i], at = decode(db, at, depth + 1) end
  return out, at
end

-- The value at an offset and the offset after it; throws a text on nonsense.
function decode(db, at, depth)
  if depth > 16 or at < 0 or at >= #db.data then error('offset out of the file', 0) end
  local control = uint(db.data, at, 1)
  local kind, size = rshift(control, 5), band(control, 31)
  at = at + 1
  if kind == 1 then return pointer(db, control, at, depth) end
  if kind == 0 then kind, at = 7 + uint(db.data, at, 1), at + 1 end
  if size > 28 then
    local more = size - 28
    local base = size == 29 and 29 or size == 30 and 285 or 65821
    size, at = base + uint(db.data, at, more), at + more
  end
  if size > #db.data then error('size out of the file', 0) end
  if kind == 7 then return map(db, size, at, depth) end
  if kind == 11 then return array(db, size, at, depth) end
  if kind == 14 then return size == 1, at end
  if kind == 5 or kind == 6 or kind == 9 then return uint(db.data, at, size), at + size end
  return db.data:sub(at + 1, at + size), at + size -- text, bytes and the numbers that nobody here reads
end

local function last_marker(data)
  local found, from = nil, math.max(1, #data - 131072)
  while true do
    local at, to = data:find(MARKER, from, true)
    if not at then return found end
    found, from = to, to + 1
  end
end

-- A database from the content of a file, or nil and why it is none.
function M.parse(data)
  local marker = last_marker(data)
  if not marker then return nil, 'no MaxMind DB metadata: not a database, or cut short' end
  local ok, meta = pcall(decode, { data = data, section = marker }, marker, 0)
  if not ok or type(meta) ~= 'table' then return nil, 'metadata cannot be read: ' .. tostring(meta) end
  local bytes = tonumber(meta.record_size) and meta.record_size / 4
  if bytes ~= 6 and bytes ~= 7 and bytes ~= 8 then return nil, 'unknown record size ' .. tostring(meta.record_size) end
  local count = tonumber(meta.node_count)
  if not count or count < 1 or count * bytes + 16 > marker then return nil, 'search tree is longer than the file' end
  if meta.ip_version ~= 4 and meta.ip_version ~= 6 then return nil, 'unknown ip_version' end
  local db = { data = data, buffer = ffi.cast('const uint8_t *', data), bytes = bytes, count = count,
    section = count * bytes + 16, version = meta.ip_version, built = meta.build_epoch or 0, kind = meta.database_type, cache = {} }
  db.v4 = 0
  if db.version == 6 then db.v4 = M.walk(db, string.rep('\0', 12), 0, 96) end
  return db
end

-- The record reached from `node` by the first `bits` bits of `address`.
function M.walk(db, address, node, bits)
  local buffer, bytes, count = db.buffer, db.bytes, db.count
  for i = 0, bits - 1 do
    if node >= count then break end
    local right = band(rshift(address:byte(rshift(i, 3) + 1), 7 - band(i, 7)), 1)
    local at = node * bytes
    if bytes == 7 then
      local middle = buffer[at + 3]
      local high = right == 0 and rshift(middle, 4) or band(middle, 15)
      at = at + right * 4
      node = high * 16777216 + buffer[at] * 65536 + buffer[at + 1] * 256 + buffer[at + 2]
    elseif bytes == 6 then
      at = at + right * 3
      node = buffer[at] * 65536 + buffer[at + 1] * 256 + buffer[at + 2]
    else
      at = at + right * 4
      node = buffer[at] * 16777216 + buffer[at + 1] * 65536 + buffer[at + 2] * 256 + buffer[at + 3]
    end
  end
  return node
end

-- The record of an address (4 or 16 bytes), or nil: none, or unreadable. Records are decoded once for each database.
function M.lookup(db, address)
  local four = #address == 4
  if not four and db.version == 4 then return nil end
  local node = M.walk(db, address, four and db.v4 or 0, four and 32 or 128)
  if node <= db.count then return nil end
  local record = db.cache[node]
  if record == nil then
    local ok, value = pcall(decode, db, node - db.count - 16 + db.section, 0)
    record = ok and type(value) == 'table' and value or false
    db.cache[node] = record
  end
  return record or nil
end

return M

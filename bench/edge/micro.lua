-- Small measurements inside nginx, where the shared dictionaries are; and the limiters that limiters.ts compares.
local bucket = require 'edge.bucket'
local cjson = require 'cjson'
local ffi = require 'ffi'
local file = require 'edge.file'
local mmdb = require 'edge.mmdb'

local M = {}
local path

-- The original's bucket (document 003): two keys, two reads and two writes, whatever the answer is.
local function two_keys(dict, key, rate, capacity)
  local now = ngx.now()
  local tokens, last = dict:get(key .. ':tokens'), dict:get(key .. ':last')
  if tokens == nil then tokens, last = capacity, now end
  local add = (now - last) * rate
  if add > 0 then tokens, last = math.min(capacity, tokens + add), now end
  local allowed = tokens >= 1
  if allowed then tokens = tokens - 1 end
  local _, _, evicted = dict:set(key .. ':tokens', tokens)
  dict:set(key .. ':last', last)
  return allowed, evicted
end

function M.edge(key, rate, burst)
  if not bucket.take(ngx.shared.edge, key, 1e6 / rate, burst, 1, 3600) then return ngx.exit(429) end
end

function M.two_keys(key, rate, burst)
  if not two_keys(ngx.shared.theirs, key, rate, burst) then return ngx.exit(429) end
end

local CPU = 3 -- CLOCK_THREAD_CPUTIME_ID
local at = ffi.new('struct edge_timespec') -- declared by edge.clock
local function cpu_nanos()
  ffi.C.clock_gettime(CPU, at)
  return tonumber(at.tv_sec) * 1e9 + tonumber(at.tv_nsec)
end

-- Nanoseconds of CPU of each of `count` steps; the best of three runs, since others work on the machine too.
local function nanos(count, step)
  local best = math.huge
  for _ = 1, 3 do
    collectgarbage()
    local from = cpu_nanos()
    for i = 1, count do step(i) end
    best = math.min(best, (cpu_nanos() - from) / count)
  end
  return best
end

local names = {}
for i = 1, 50000 do names[i] = string.format('each|0|5:4%07d', i) end

-- A token comes back every microsecond, so a loop on one key stays below its depth and above empty: the busy way.
local programs = {}
function programs.take()
  local dict, theirs = ngx.shared.edge, ngx.shared.theirs
  local out = {}
  for label, keys in pairs { one = 1, many = #names } do
    out['edge_accept_' .. label] = nanos(100000, function(i) bucket.take(dict, names[i % keys + 1], 1, 1e9, 1, 3600) end)
    out['theirs_accept_' .. label] = nanos(100000, function(i) two_keys(theirs, names[i % keys + 1], 1e6, 1e9) end)
  end
  bucket.take(dict, 'refused', 1e9, 1, 1, 3600)
  two_keys(theirs, 'refused', 1e-9, 1)
  out.edge_reject = nanos(100000, function() bucket.take(dict, 'refused', 1e9, 1, 1, 3600) end)
  out.theirs_reject = nanos(100000, function() two_keys(theirs, 'refused', 1e-9, 1) end)
  return out
end

-- Clients that a zone of 10 MiB holds before it pushes one out.
function programs.clients()
  local dict, theirs = ngx.shared.edge_count, ngx.shared.theirs_count
  local function fill(add)
    for i = 1, 1e6 do
      if add(i) then return i - 1 end
    end
    return 1e6
  end
  local function raw(i) return string.char(10, math.floor(i / 65536) % 256, math.floor(i / 256) % 256, i % 256) end
  dict:flush_all()
  theirs:flush_all()
  return {
    edge = fill(function(i) return select(4, bucket.take(dict, 'each|0|5:4' .. raw(i), 1e6, 60, 1, 3600)) end),
    theirs = fill(function(i) return select(2, two_keys(theirs, raw(i), 1, 60)) end),
  }
end

ffi.cdef [[
struct bench_entry { const void *mmdb; uint32_t offset; };
struct bench_found { bool found; struct bench_entry entry; uint16_t netmask; };
struct bench_address { uint16_t family, port; uint8_t bytes[4]; uint8_t zero[8]; };
int MMDB_open(const char *filename, uint32_t flags, void *mmdb);
struct bench_found MMDB_lookup_sockaddr(const void *mmdb, const void *sockaddr, int *problem);
int MMDB_aget_value(struct bench_entry *start, void *data, const char *const *path);
]]

-- The library on the same file: its own structure is opaque here (1 KiB is more than it takes).
local function by_library()
  local library = ffi.load('libmaxminddb.so.0')
  local db = ffi.new('uint8_t[1024]')
  if library.MMDB_open(path, 1, db) ~= 0 then error('libmaxminddb does not open ' .. path) end
  local problem, to, data = ffi.new('int[1]'), ffi.new('struct bench_address'), ffi.new('uint8_t[64]')
  to.family = 2
  local key = 'autonomous_system_number'
  local keys = ffi.new('const char *[2]')
  keys[0] = key
  return function(bytes)
    ffi.copy(to.bytes, bytes, 4)
    local found = library.MMDB_lookup_sockaddr(db, to, problem)
    if not found.found then return nil end
    if library.MMDB_aget_value(found.entry, data, keys) ~= 0 then return nil end
    return tonumber(ffi.cast('uint32_t *', data + 16)[0]), key
  end
end

-- Nanoseconds of a lookup of the AS number, over addresses of the database's own range.
function programs.mmdb()
  local db = assert(mmdb.parse((assert(file.read(path)))))
  local function own(bytes)
    local record = mmdb.lookup(db, bytes)
    return record and record.autonomous_system_number
  end
  local library, wrong, addresses = by_library(), 0, {}
  math.randomseed(1)
  for i = 1, 50000 do
    addresses[i] = string.char(math.random(1, 223), math.random(0, 255), math.random(0, 255), math.random(0, 255))
    if own(addresses[i]) ~= library(addresses[i]) then wrong = wrong + 1 end
  end
  return {
    own = nanos(200000, function(i) own(addresses[i % 50000 + 1]) end),
    library = nanos(200000, function(i) library(addresses[i % 50000 + 1]) end),
    wrong = wrong,
  }
end

function programs.ping() return { pid = ngx.worker.pid() } end

function M.micro(name)
  local ok, result = pcall(programs[name])
  if not ok then ngx.status = 500 end
  ngx.say(ok and cjson.encode(result) or tostring(result))
end

function M.start(database)
  path = database
  bucket.setup(ngx.worker.count())
  return M
end

return M

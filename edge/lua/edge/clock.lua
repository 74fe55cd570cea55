-- Time for the limiters: CLOCK_MONOTONIC in microseconds, read anew on each call. ngx.now() is cached by each worker, so
-- two workers disagree by milliseconds, and a limiter built on it admits several times its limit.
local ffi = require 'ffi'

ffi.cdef [[
struct edge_timespec { long tv_sec; long tv_nsec; };
int clock_gettime(int clock, struct edge_timespec *at);
]]

local MONOTONIC, REALTIME = 1, 0
local at = ffi.new('struct edge_timespec')

local M = {}

-- Microseconds of the monotonic clock; one clock for all workers of a machine.
function M.now()
  ffi.C.clock_gettime(MONOTONIC, at)
  return tonumber(at.tv_sec) * 1e6 + math.floor(tonumber(at.tv_nsec) / 1000)
end

-- Seconds of wall time; only to compare with a file's modification time.
function M.wall()
  ffi.C.clock_gettime(REALTIME, at)
  return tonumber(at.tv_sec) + tonumber(at.tv_nsec) / 1e9
end

return M

-- Files: whole content, and a fingerprint that changes when a file was replaced or written. statx(2) because its
-- structure is the same on every architecture, unlike stat(2)'s.
local ffi = require 'ffi'

ffi.cdef [[
struct edge_statx_time { int64_t sec; uint32_t nsec; int32_t pad; };
struct edge_statx {
  uint32_t mask, blksize; uint64_t attributes; uint32_t nlink, uid, gid; uint16_t mode, pad0;
  uint64_t ino, size, blocks, attributes_mask;
  struct edge_statx_time atime, btime, ctime, mtime;
  uint64_t spare[16];
};
int statx(int dirfd, const char *path, int flags, unsigned mask, struct edge_statx *out);
]]

local AT_FDCWD, BASIC = -100, 0x7ff

local M = {}

-- { inode, bytes, modified (seconds of wall time), print (text) } of a path, or nil and why.
function M.stat(path)
  local out = ffi.new('struct edge_statx')
  if ffi.C.statx(AT_FDCWD, path, 0, BASIC, out) ~= 0 then return nil, 'cannot stat ' .. path end
  local modified = tonumber(out.mtime.sec) + tonumber(out.mtime.nsec) / 1e9
  local ino, bytes = tonumber(out.ino), tonumber(out.size)
  return { inode = ino, bytes = bytes, modified = modified, print = string.format('%.0f/%.0f/%.9f', ino, bytes, modified) }
end

-- Content of a file as it was at one moment: refused if it changed while it was read.
function M.read(path)
  local before, why = M.stat(path)
  if not before then return nil, why end
  local handle, err = io.open(path, 'rb')
  if not handle then return nil, err end
  local content = handle:read(before.bytes) or ''
  handle:close()
  local after = M.stat(path)
  if #content ~= before.bytes or not after or after.print ~= before.print then
    return nil, path .. ' changed while it was read'
  end
  return content, before
end

return M

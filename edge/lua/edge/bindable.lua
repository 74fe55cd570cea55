-- Whether the node has an address now. nginx answers 500 when it cannot bind a connection to its origin, so an address that
-- left with its interface must not be bound to. Asked of the kernel ten times a second at most.
local ffi = require 'ffi'

ffi.cdef [[
int socket(int domain, int kind, int protocol);
int bind(int fd, const void *address, unsigned length);
int close(int fd);
int inet_pton(int family, const char *text, void *bytes);
]]

local AF_INET, AF_INET6, DATAGRAM, CLOSE_ON_EXEC = 2, 10, 2, 0x80000
local HOLD = 0.1

local M = {}
local known = {} -- address -> { at, good }; the config names a few

-- sockaddr_in (16 bytes) or sockaddr_in6 (28 bytes) with port 0; nil where the text is no address.
local function place(text)
  local six = text:find(':', 1, true)
  local out = ffi.new('uint8_t[28]')
  ffi.cast('uint16_t *', out)[0] = six and AF_INET6 or AF_INET
  if ffi.C.inet_pton(six and AF_INET6 or AF_INET, text, out + (six and 8 or 4)) ~= 1 then return nil end
  return out, six and 28 or 16, six and AF_INET6 or AF_INET
end

local function try(text)
  local out, length, family = place(text)
  if not out then return false end
  local fd = ffi.C.socket(family, DATAGRAM + CLOSE_ON_EXEC, 0)
  if fd < 0 then return false end
  local good = ffi.C.bind(fd, out, length) == 0
  ffi.C.close(fd)
  return good
end

-- true where a socket can be bound to the address (text).
function M.check(text)
  local now, seen = ngx.now(), known[text]
  if seen and now - seen.at < HOLD and now >= seen.at then return seen.good end
  local good = try(text)
  known[text] = { at = now, good = good }
  return good
end

return M

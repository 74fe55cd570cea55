-- Addresses as bytes: 4 for IPv4, 16 for IPv6; IPv4-mapped ones (::ffff:0:0/96) are IPv4, whatever socket they came by.
local M = {}

local MAPPED = string.rep('\0', 10) .. '\255\255'

-- Canonical bytes of nginx's $binary_remote_addr, or nil where there is no IP address (a Unix socket's peer).
function M.canonical(bytes)
  if not bytes then return nil end
  if #bytes == 4 then return bytes end
  if #bytes ~= 16 then return nil end
  if bytes:sub(1, 12) == MAPPED then return bytes:sub(13) end
  return bytes
end

-- 4 or 6.
function M.family(bytes)
  return #bytes == 4 and 4 or 6
end

-- Bytes with everything after `length` bits cut to zero; only the bytes that have a bit left.
function M.masked(bytes, length)
  local whole = math.floor(length / 8)
  local rest = length - whole * 8
  local head = bytes:sub(1, whole)
  if rest == 0 then return head end
  local unit = 2 ^ (8 - rest)
  return head .. string.char(math.floor(bytes:byte(whole + 1) / unit) * unit)
end

-- Whether a text is an IPv4 or IPv6 address; for values that come in by the state socket.
function M.is_text(text)
  if type(text) ~= 'string' then return false end
  local parts = { text:match('^(%d+)%.(%d+)%.(%d+)%.(%d+)$') }
  if #parts == 4 then
    for _, part in ipairs(parts) do
      if #part > 3 or tonumber(part) > 255 then return false end
    end
    return true
  end
  if #text > 39 or not text:find(':', 1, true) or text:find('[^%x:]') or text:find(':::', 1, true) then return false end
  local groups, _, doubles = 0, 0, select(2, text:gsub('::', ''))
  for group in text:gmatch('%x+') do
    groups = groups + 1
    if #group > 4 then return false end
  end
  if text:find('^:[^:]') or text:find('[^:]:$') then return false end
  return doubles == 1 and groups <= 7 or doubles == 0 and groups == 8
end

return M

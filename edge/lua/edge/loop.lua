-- CDN-Loop (RFC 8586): each proxied request carries the ids of the nodes that it passed; our own id coming back is a loop.
-- And damping: a client is redirected a few times a minute at most, then served where it is.
local M = {}

-- Whether `id` is among the cdn-ids of the header's values (text, list of texts, or nil). Parameters after ; are ignored.
function M.passed(values, id)
  if not values then return false end
  for _, value in ipairs(type(values) == 'table' and values or { values }) do
    for item in value:gmatch('[^,]+') do
      if item:match('^%s*([^;%s]+)') == id then return true end
    end
  end
  return false
end

-- The header with our id behind what was there.
function M.append(values, id)
  if not values then return id end
  return (type(values) == 'table' and table.concat(values, ', ') or values) .. ', ' .. id
end

-- Counts a redirect of a client; true when it had `most` of them in the window already, or when it cannot be counted.
function M.damped(dict, client, most, seconds)
  local count = dict:incr(client, 1, 0, seconds)
  return not count or count > most
end

return M

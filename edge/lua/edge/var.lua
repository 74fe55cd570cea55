-- Variables of nginx. resty.core's own reader ends in a tail call that LuaJIT cannot compile where it is called from a
-- block of the config ("return to lower frame"): after some tries it is left to the interpreter for good, and then each
-- variable costs three microseconds. Called from here it is compiled as a part of this function.
local M = {}

-- A variable's text, or nil.
function M.get(name)
  local value = ngx.var[name]
  return value
end

return M

-- The master that Redis Sentinel names. One worker asks once a second, beside the requests: no request ever waits for a
-- Sentinel, and after a failover leases go to the new master within a second. What was named last stays while none answers.
local address = require 'edge.address'
local resp = require 'edge.resp'

local M = {}
local conf
local sentinels = {}
local first = 1 -- the one that answered last
local told

-- redis: with sentinel = { addresses = { { host, port } }, master, user, password }; time-outs and TLS are Redis's own.
function M.setup(redis)
  conf, sentinels, first, told = redis.sentinel, {}, 1, nil
  if not conf then return end
  for i, one in ipairs(conf.addresses) do
    -- Sentinels have accounts of their own, and no databases.
    local own = { host = one.host, port = one.port, user = conf.user, password = conf.password or false, database = 0,
      pool = 'sentinel:' .. one.host .. ':' .. one.port }
    sentinels[i] = setmetatable(own, { __index = function(_, name) return name ~= 'user' and redis[name] or nil end })
  end
end

-- { 'host', 'port' } of Redis's reply, or nil and why it is none.
local function named(reply)
  if reply == false then return nil, 'no master is called ' .. conf.master end
  if type(reply) ~= 'table' or not address.is_text(reply[1]) or not tonumber(reply[2]) then
    return nil, 'the master has no IP address (resolve-hostnames is not understood)'
  end
  return reply
end

local function ask_all()
  local why
  for i = 0, #sentinels - 1 do
    local at = (first + i - 1) % #sentinels + 1
    local reply, err = resp.call(sentinels[at], { 'SENTINEL', 'get-master-addr-by-name', conf.master })
    local master, problem
    if reply ~= nil then master, problem = named(reply) end
    if master then
      first = at
      return master
    end
    why = sentinels[at].host .. ':' .. sentinels[at].port .. ': ' .. tostring(err or problem)
  end
  return nil, why
end

-- Asks for the master; for a timer of each worker, of which one a second does it.
function M.look(premature)
  if premature or not conf or not ngx.shared.edge_lease:safe_add('sentinel', true, 0.9) then return end
  local master, why = ask_all()
  if master then
    local text = master[1] .. ' ' .. master[2]
    if ngx.shared.edge_lease:get('master') ~= text then ngx.log(ngx.NOTICE, 'edge: the master of Redis is ', text) end
    ngx.shared.edge_lease:set('master', text) -- each time: a full zone may have pushed it out
  elseif why ~= told then
    ngx.log(ngx.WARN, 'edge: no Sentinel names the master ', conf.master, ': ', why, '; the last one known is asked')
  end
  told = why
end

-- Host and port (texts) of the master, or nil and why.
function M.master()
  local text = ngx.shared.edge_lease:get('master')
  if not text then return nil, 'no Sentinel has named the master yet' end
  return text:match('^(.*) (%d+)$')
end

return M

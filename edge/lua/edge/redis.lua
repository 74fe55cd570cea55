-- Which Redis server is asked for a key: the one of the config, the master that Sentinel names (sentinel.lua), or the one
-- that a Cluster said holds the key (its MOVED is followed once and remembered).
local resp = require 'edge.resp'
local sentinel = require 'edge.sentinel'

local M = {}
local SERVERS, KEYS = 64, 1000 -- remembered at most

local conf
local servers, served = {}, 0 -- 'host:port' -> the config with that address
local homes, homed = {}, 0 -- key -> server, by a Cluster's word

-- redis: see resp.lua; in place of an address it may have `sentinel`, see sentinel.lua
function M.setup(redis)
  conf, servers, served, homes, homed = redis, {}, 0, {}, 0
  if redis then sentinel.setup(redis) end
end

local function server(host, port)
  local name = host .. ':' .. port
  local found = servers[name]
  if found then return found end
  if served >= SERVERS then servers, served = {}, 0 end
  if host:find(':', 1, true) then host = '[' .. host .. ']' end
  found = setmetatable({ host = host, port = tonumber(port), pool = conf.pool .. ':' .. name }, { __index = conf })
  servers[name], served = found, served + 1
  return found
end

-- The server that a reply such as `MOVED 3999 192.0.2.1:6379` names, or nil. No host: the one that was asked.
local function moved(err, asked)
  local host, port = err:match('^MOVED %d+ (.*):(%d+)$')
  if not host then return nil end
  return server(host ~= '' and host or (asked.host:gsub('[%[%]]', '')), port)
end

local function remember(key, home)
  if homed >= KEYS then homes, homed = {}, 0 end
  if not homes[key] then homed = homed + 1 end
  homes[key] = home
end

-- The server of a key, or nil and why there is none.
local function home_of(key)
  if homes[key] or not conf.sentinel then return homes[key] or conf end
  local host, port = sentinel.master()
  if not host then return nil, port end
  return server(host, port)
end

-- A text that is another one for each server.
function M.name(key)
  local home = home_of(key)
  return home and home.pool or ''
end

-- Asks the server of a key. Returns as resp.call.
function M.call(key, args)
  local home, why = home_of(key)
  if not home then return nil, why end
  local reply, err, own = resp.call(home, args)
  if reply ~= nil then return reply end
  local next = own and moved(err, home)
  if next then
    remember(key, next)
    return resp.call(next, args)
  end
  homes[key] = nil -- away, or the key is on its move: ask the one of the config again
  return nil, err, own
end

return M

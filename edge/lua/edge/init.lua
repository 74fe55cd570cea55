-- Composition: reads the rendered config once in the master, so that a bad one fails a start or a reload (`nginx -t` does
-- not run this); gives each module its part, and starts each worker's timers.
local cjson = require 'cjson.safe'
local access = require 'edge.access'
local admin = require 'edge.admin'
local bucket = require 'edge.bucket'
local file = require 'edge.file'
local geo = require 'edge.geo'
local lease = require 'edge.lease'
local limit = require 'edge.limit'
local metrics = require 'edge.metrics'
local networks = require 'edge.networks'
local origin = require 'edge.origin'
local prefixes = require 'edge.prefixes'
local redis = require 'edge.redis'
local sentinel = require 'edge.sentinel'
local state = require 'edge.state'
local summary = require 'edge.summary'
local users = require 'edge.users'
local ways = require 'edge.ways'
require 'edge.account' -- the log phase finds it among the loaded modules

local M = {}
local checkSeconds

local function read_json(path)
  local text, why = file.read(path)
  if not text then error('edge: ' .. tostring(why)) end
  local value, err = cjson.decode(text)
  if not value then error('edge: ' .. path .. ': ' .. tostring(err)) end
  return value
end

local function set(list)
  local out = {}
  for _, item in ipairs(list) do out[item] = true end
  return out
end

-- Rate and burst -> what the bucket counts with.
local function measured(limits)
  limits.T = 1e6 / limits.rate
  limits.ttl = bucket.ttl(limits.T, limits.burst)
  return limits
end

local function prepare(config)
  for name, policy in pairs(config.limits) do
    policy.name = name
    measured(policy)
    for _, class in ipairs(policy.classes) do
      measured(class)
      class.matcher, class.networks, class.asns = prefixes.build(class.prefixes), set(class.networks), set(class.asns)
    end
  end
  for id, route in pairs(config.routes) do
    route.id = id
    for i, name in ipairs(route.limits) do route.limits[i] = config.limits[name] end
  end
  for name, pool in pairs(config.origins) do pool.name = name end
  config.passes = next(config.origins) ~= nil
  config.steered = set(config.steered)
  config.trusted = prefixes.build(config.trusted)
  return config
end

-- Reads the password of an account (Redis, its Sentinels) where the config names a file.
local function with_secret(account)
  if not account or not account.passwordFile then return account end
  local text, why = file.read(account.passwordFile)
  if not text then error('edge: redis password: ' .. tostring(why)) end
  account.password = text:gsub('%s+$', '')
  return account
end

local function redis_of(config)
  with_secret(config.redis and config.redis.sentinel)
  return with_secret(config.redis)
end

local function geodns_token(geodns)
  if not geodns then return nil end
  local text, why = file.read(geodns.tokenFile)
  if not text then error('edge: token for GeoDNS: ' .. tostring(why)) end
  geodns.token = text:gsub('%s+$', '')
  return geodns
end

-- init_by_lua. `directory`: where edge.json, networks.json and edge.lua (the Redis library) were rendered to.
-- What is made once needs no compiler, and Debian 12's LuaJIT (2.1-20230119) compiles nested loops wrongly now and then:
-- about one start in twelve lost all but the first entry of small tables that are filled in one.
function M.start(directory)
  jit.off()
  local config = prepare(read_json(directory .. '/edge.json'))
  config.networks = networks.build(read_json(directory .. '/networks.json'))
  bucket.setup(ngx.worker.count())
  access.setup(config)
  users.setup(config)
  admin.setup(config)
  limit.setup(config.limits)
  ways.setup(config.uplinks)
  origin.setup(config.origins)
  redis.setup(redis_of(config))
  lease.setup((assert(file.read(directory .. '/edge.lua'))))
  summary.setup(geodns_token(config.geodns), config.node)
  checkSeconds = config.geo.checkSeconds
  for _, problem in ipairs(geo.open { asn = config.geo.asn, country = config.geo.country }) do
    ngx.log(ngx.WARN, 'edge: ', problem, '; users of unknown networks are served here')
  end
  ngx.log(ngx.NOTICE, 'edge: ', state.boot(config.stateFile))
  jit.on()
end

-- init_worker_by_lua
function M.worker()
  math.randomseed(ngx.worker.pid() + ngx.now() * 1000)
  ngx.timer.every(1, metrics.flush) -- also run at once when the worker ends, so that a reload loses no counts
  ngx.timer.every(checkSeconds, geo.check)
  summary.start()
  ngx.timer.at(0, sentinel.look)
  ngx.timer.every(1, sentinel.look)
end

return M

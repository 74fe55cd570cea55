-- The daemon's last word about uplinks and origins, shared by all workers. It comes by PUT on the admin socket and, at
-- boot, from the file with the same bytes. An older message never replaces a newer one. When it is older than its
-- ttlMillis it is stale: what it says is kept, but nobody is redirected on it.
local cjson = require 'cjson.safe'
local clock = require 'edge.clock'
local file = require 'edge.file'
local snapshot = require 'edge.snapshot'
local steer = require 'edge.steer'

local M = {}
local seen = { version = 0 } -- this worker's decoded copy

-- Takes over a message that this worker has not seen; `received` is written last, so what it stands for is there already.
local function look(dict, received)
  local version = dict:get('version')
  if version ~= seen.version then
    local decoded = cjson.decode(dict:get('json') or '')
    if decoded then seen = { version = version, snapshot = decoded, hosts = steer.hosts(decoded) } end
  end
  seen.received = received
end

-- { snapshot, hosts (see steer.lua), received (microseconds, monotonic) } of the last message, or nil: none yet. One look
-- at shared memory for a request: no two messages were received at the same time.
function M.current()
  local dict = ngx.shared.edge_state
  local received = dict:get('received')
  if received ~= seen.received then look(dict, received) end
  return seen.snapshot and seen or nil
end

-- Age of the message in seconds, or nil: none yet.
function M.age()
  local now = M.current()
  return now and (clock.now() - now.received) / 1e6
end

-- Whether there is a message that is younger than its own ttlMillis.
function M.fresh(current)
  return current ~= nil and clock.now() - current.received <= current.snapshot.ttlMillis * 1000
end

-- Live nodes that share a fleet-wide limit; at least this one. The last word counts, stale or not.
function M.nodes()
  local current = M.current()
  return current and math.max(1, current.snapshot.nodesActive) or 1
end

local function store(body, decoded, received)
  local dict = ngx.shared.edge_state
  local before = M.current()
  if before then
    local order = snapshot.compare(decoded, before.snapshot)
    local other = order == 0 and dict:get('json') ~= body
    if order < 0 or other then return 'older', before.snapshot end
    -- The same message again, as at a reload: it is as young as its youngest copy.
    if order == 0 then received = math.max(received, before.received) end
    if order > 0 and received == before.received then received = received + 1 end
  end
  local ok, err = dict:safe_set('json', body)
  if not ok then return 'full', err end
  dict:incr('version', 1, 0)
  dict:set('received', received)
  return 'stored', decoded
end

-- Takes a message. Returns 'stored', snapshot | 'older', the newer snapshot | 'wrong', problem | 'full', why | 'busy'.
-- `received`: when it was true, on the monotonic clock; now unless it comes from a file. `wait`: how to wait for a peer.
function M.put(body, received, wait)
  local decoded, err = cjson.decode(body)
  if decoded == nil then return 'wrong', 'not JSON: ' .. tostring(err) end
  local problem = snapshot.problem(decoded)
  if problem then return 'wrong', problem end
  local dict = ngx.shared.edge_state
  for _ = 1, 200 do
    if dict:safe_add('lock', true, 1) then
      local result, detail = store(body, decoded, received or clock.now())
      dict:delete('lock')
      return result, detail
    end
    if not wait then return 'busy' end
    wait(0.005)
  end
  return 'busy'
end

-- Reads the boot file; its age counts from the file's modification time. Returns a sentence for the log.
function M.boot(path)
  local body, detail = file.read(path)
  if not body then return 'no state at boot: ' .. tostring(detail) .. '; no redirects until the daemon sends one' end
  local age = math.max(0, clock.wall() - detail.modified)
  local result, why = M.put(body, clock.now() - age * 1e6)
  if result == 'stored' then return string.format('state at boot: %s, %.0f s old', path, age) end
  if result == 'older' then return 'state at boot: the one in memory is newer than ' .. path end
  return 'state at boot refused: ' .. path .. ': ' .. tostring(why)
end

return M

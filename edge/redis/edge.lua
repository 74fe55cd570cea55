#!lua name=edge_v1
-- The fleet-wide token bucket: one number (GCRA's arrival time in microseconds of Redis's own clock) for each limit. Nodes
-- lease tokens in chunks and spend them locally. The number in the library's name changes when the meaning does.

-- FCALL edge_lease_v1 1 KEY T burst want debt -> { granted, microseconds until `want` are back, remaining }
-- T: microseconds a token takes to come back. debt: tokens that this node gave out on its own while Redis was away; they
-- are taken first, so that coming back releases no second burst.
local function lease(keys, args)
  local T, burst, want, debt = tonumber(args[1]), tonumber(args[2]), tonumber(args[3]), tonumber(args[4] or '0')
  if not T or not burst or not want or not debt or T <= 0 or burst < 1 or want < 1 or debt < 0 then
    return redis.error_reply('ERR edge_lease_v1 wants: T > 0, burst >= 1, want >= 1, debt >= 0')
  end
  local time = redis.call('TIME') -- once: two calls tear at the turn of a second
  local now, depth = tonumber(time[1]) * 1000000 + tonumber(time[2]), T * burst
  local stored = tonumber(redis.call('GET', keys[1]) or now) or now
  -- Behind now: full. Beyond the depth: the limit was lowered, or a replica with another clock took over.
  local tat = math.min(math.max(stored, now), now + depth)
  tat = math.min(tat + debt * T, now + depth)
  local room = math.floor((now + depth - tat) / T + 1e-9)
  local granted = math.min(want, room)
  tat = tat + granted * T
  if tat ~= stored and tat > now then
    redis.call('SET', keys[1], string.format('%.3f', tat), 'PX', math.ceil((tat - now) / 1000) + 1000)
  end
  if granted >= 1 then return { granted, 0, room - granted } end
  return { 0, math.ceil(math.min(want, burst) * T - (now + depth - tat)), 0 }
end

redis.register_function('edge_lease_v1', lease)

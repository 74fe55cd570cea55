-- A token bucket as one number: GCRA's theoretical arrival time (TAT) in microseconds of the monotonic clock. A bucket of
-- rate 1/T and capacity burst is full when TAT <= now and empty when TAT = now + T * burst. Deny is one read and no write;
-- accept is one read and one atomic incr, rolled back if a peer got there first.
--
-- Limits may change at any time: the debt (TAT - now) stays, cut to the depth of the new bucket, so that a lowered limit
-- locks nobody out for longer than its own depth (and a token for each other worker).
local clock = require 'edge.clock'

local M = {}
local peers = 0

-- Other workers that may be in the middle of a roll-back at one moment.
function M.setup(workers)
  peers = workers - 1
end

-- How long a key may lie untouched, in seconds: until it is full again, and two minutes more.
function M.ttl(T, burst)
  return math.ceil(T * burst / 1e6) + 120
end

-- Takes `cost` tokens of `key`. T: microseconds a token takes to come back.
-- Returns true, remaining, 0, evicted | false, 0, microseconds to wait | nil, error.
function M.take(dict, key, T, burst, cost, ttl)
  local now, lim, inc = clock.now(), T * burst, T * cost
  if inc > lim then return false, 0, lim end -- can never fit
  local tat = dict:get(key)
  -- Beyond the depth by more than peers that will roll back: the limit was lowered, or the clock started anew.
  if tat and tat > now + lim + peers * inc then
    tat = now + lim
    dict:set(key, tat, ttl)
  end
  if tat and tat > now and tat + inc - now > lim then return false, 0, tat + inc - now - lim end
  if tat and tat <= now then
    -- Idle, so full. Two workers at once may lose one of two debts here, once for each idle time.
    local ok, err, evicted = dict:set(key, now + inc, ttl)
    if not ok then return nil, err end
    return true, burst - cost, 0, evicted
  end
  local new, err, evicted = dict:incr(key, inc, now, ttl)
  if not new then return nil, err end
  if new - now > lim then
    dict:incr(key, -inc, now, ttl)
    return false, 0, new - now - lim
  end
  -- incr does not extend a key's life; a busy key crosses a minute of debt at least once a minute.
  if new % 60e6 < inc then dict:expire(key, ttl) end
  return true, math.floor((lim - (new - now)) / T), 0, evicted
end

-- Gives `cost` tokens back: a later limit of the same request refused it.
function M.refund(dict, key, T, cost)
  dict:incr(key, -T * cost)
end

return M

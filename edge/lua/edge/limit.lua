-- The limits of a route, in order. The first that refuses decides, and what earlier ones took is given back. A limiter that
-- cannot answer (Redis away, dictionary full) follows its policy's `fail`: it never makes a 5xx.
local bucket = require 'edge.bucket'
local key = require 'edge.key'
local lease = require 'edge.lease'
local metrics = require 'edge.metrics'

local M = {}

-- Wide keys have a zone of their own, so that a flood of single clients cannot push them out.
local function zone(policy)
  return policy.wide and 'edge_rl_wide' or 'edge_rl'
end

local function count(policy, result)
  metrics.count('edge_ratelimit_total', 'policy="' .. policy.name .. '",result="' .. result .. '"')
end

-- Returns ok, left, wait, source ('node', 'lease', 'fallback'), undo.
local function ask(policy, limits, name)
  if policy.scope == 'fleet' then
    local ok, left, wait, source = lease.take(name, limits, policy.cost, policy.fail == 'local')
    local undo = source == 'lease' and function() lease.refund(name, policy.cost) end
    return ok, left, wait, source, undo
  end
  local dict = ngx.shared[zone(policy)]
  local ok, left, wait, evicted = bucket.take(dict, name, limits.T, limits.burst, policy.cost, limits.ttl)
  if evicted then metrics.count('edge_evicted_total', 'dict="' .. zone(policy) .. '"') end
  return ok, left, wait, 'node', function() bucket.refund(dict, name, limits.T, policy.cost) end
end

-- Takes from one policy. Returns { allowed, left, wait (microseconds), result, undo, limits }.
local function take(policy, who)
  local limits, class = key.class(policy, who)
  local ok, left, wait, source, undo = ask(policy, limits, key.build(policy, class, who))
  if ok == nil then
    -- No answer: `closed` refuses; `open` and `local` let pass (a full dictionary has no bucket to fall back to).
    count(policy, 'error')
    local pass = policy.fail ~= 'closed'
    return { allowed = pass, left = 0, wait = 1e6, result = pass and 'fallback' or 'deny' }
  end
  local result = not ok and 'deny' or source == 'fallback' and 'fallback' or 'allow'
  return { allowed = ok, left = left, wait = wait, result = result, undo = ok and undo or nil, limits = limits }
end

-- who: see key.lua. Returns nil when the request may pass, or { policy, wait } of the limit that refuses; and then the
-- tightest of the limits that were asked: { policy, left, limits }.
function M.check(policies, who)
  local taken, tightest = {}, nil
  for _, policy in ipairs(policies) do
    local got = take(policy, who)
    if got.limits and (not tightest or got.left < tightest.left) then
      tightest = { policy = policy, left = got.left, limits = got.limits }
    end
    if not got.allowed and policy.shadow then
      count(policy, 'shadow')
    else
      count(policy, got.result)
      if not got.allowed then
        for _, undo in ipairs(taken) do undo() end
        return { policy = policy, wait = got.wait }, tightest
      end
      taken[#taken + 1] = got.undo
    end
  end
  return nil, tightest
end

return M

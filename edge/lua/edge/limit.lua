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
  metrics.count('edge_ratelimit_total', policy.labels[result])
end

local function label(name, result)
  return 'policy="' .. name .. '",result="' .. result .. '"'
end

-- Labels of each answer of a policy, made once.
function M.setup(policies)
  for name, policy in pairs(policies) do
    policy.labels = {
      allow = label(name, 'allow'),
      deny = label(name, 'deny'),
      shadow = label(name, 'shadow'),
      fallback = label(name, 'fallback'),
      error = label(name, 'error'),
    }
  end
end

-- Returns ok, left, wait, source ('node', 'lease', 'fallback').
local function ask(policy, limits, name)
  if policy.scope == 'fleet' then return lease.take(name, limits, policy.cost, policy.fail == 'local') end
  local ok, left, wait, evicted = bucket.take(ngx.shared[zone(policy)], name, limits.T, limits.burst, policy.cost, limits.ttl)
  if evicted then metrics.count('edge_evicted_total', 'dict="' .. zone(policy) .. '"') end
  return ok, left, wait, 'node'
end

-- Gives back what `take` took. What came from the node's share while Redis was away stays taken.
local function undo(got)
  if got.source == 'lease' then
    lease.refund(got.name, got.policy.cost)
  elseif got.source == 'node' then
    bucket.refund(ngx.shared[zone(got.policy)], got.name, got.limits.T, got.policy.cost)
  end
end

-- Takes from one policy. Returns { policy, allowed, left, wait (microseconds), result, limits, and for undo: name, source }.
local function take(policy, who)
  local limits, class = key.class(policy, who)
  local name = key.build(policy, class, who)
  local ok, left, wait, source = ask(policy, limits, name)
  if ok == nil then
    -- No answer: `closed` refuses; `open` and `local` let pass (a full dictionary has no bucket to fall back to).
    count(policy, 'error')
    local pass = policy.fail ~= 'closed'
    return { policy = policy, allowed = pass, left = 0, wait = 1e6, result = pass and 'fallback' or 'deny' }
  end
  local result = not ok and 'deny' or source == 'fallback' and 'fallback' or 'allow'
  return { policy = policy, allowed = ok, left = left, wait = wait, result = result, limits = limits, name = name, source = source }
end

-- who: see key.lua. Returns nil when the request may pass, or what `take` gave of the limit that refuses; and then the
-- same of the tightest of the limits that were asked.
function M.check(policies, who)
  local taken, tightest = {}, nil
  for i, policy in ipairs(policies) do
    local got = take(policy, who)
    if got.limits and (not tightest or got.left < tightest.left) then tightest = got end
    local refused = not got.allowed and not policy.shadow
    count(policy, got.allowed and got.result or refused and 'deny' or 'shadow')
    if refused then
      for at = 1, i - 1 do undo(taken[at]) end
      return got, tightest
    end
    if not got.allowed then got.source = nil end
    taken[i] = got
  end
  return nil, tightest
end

return M

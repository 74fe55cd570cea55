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

-- What is made once of each policy: labels of its answers, and whether its keys can be kept with the user.
function M.setup(policies)
  for name, policy in pairs(policies) do
    policy.fixed = key.fixed(policy)
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

-- What a policy counts by for a user of a route: the limits of the user's class, and the key of the bucket. Kept with the
-- user, unless the key holds what he sends.
local function counted(policy, user, route)
  local names = user.names[policy]
  if not names then
    local limits, class = key.class(policy, user)
    names = { limits = limits, class = class, of = {} }
    user.names[policy] = names
  end
  local name = names.of[route]
  if name then return names.limits, name end
  name = key.build(policy, names.class, user, route)
  if policy.fixed then names.of[route] = name end
  return names.limits, name
end

-- Takes from one policy. Returns { policy, allowed, left, wait (microseconds), result, limits, and for undo: name, source }.
local function take(policy, user, route)
  local limits, name = counted(policy, user, route)
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

-- route: { id, limits (list of policies) }; user: see users.lua. Returns nil when the request may pass, or what `take` gave
-- of the limit that refuses; and then the same of the tightest of the limits that were asked.
function M.check(route, user)
  local taken, tightest = {}, nil
  for i, policy in ipairs(route.limits) do
    local got = take(policy, user, route.id)
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

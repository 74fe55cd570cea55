-- Counters: kept in each worker and added to the shared dictionary once a second, so that a request writes no shared
-- memory. Labels come from the config alone (policies, access networks, pools), never from users.
local M = {}
local pending, known = {}, {}

-- This worker's counts of a set of labels: name -> sum since the last flush. Labels as text in Prometheus's own form.
function M.of(labels)
  local sums = pending[labels]
  if not sums then
    sums = {}
    pending[labels] = sums
  end
  return sums
end

-- Adds to a counter; labels '' for none.
function M.count(name, labels, by)
  local sums = M.of(labels)
  sums[name] = (sums[name] or 0) + (by or 1)
end

-- Moves this worker's counts to the shared dictionary.
function M.flush()
  local dict = ngx.shared.edge_metrics
  for labels, sums in pairs(pending) do
    for name, value in pairs(sums) do
      dict:incr(name .. '{' .. labels .. '}', value, 0)
    end
  end
  pending = {}
end
jit.off(M.flush) -- nested loops over tables, once a second; see init.lua

-- Declares a metric: every one of the contract has its type and a sentence. `collect`: for gauges, returns a list of
-- { labels, value } when asked.
function M.declare(name, kind, help, collect)
  known[#known + 1] = { name = name, kind = kind, help = help, collect = collect }
end

local function samples()
  local out = {}
  local dict = ngx.shared.edge_metrics
  -- The zone holds a few hundred names, all from the config; the big zones are never listed.
  for _, full in ipairs(dict:get_keys(5000)) do
    local name, labels = full:match('^([^{]+){(.*)}$')
    if name then
      out[name] = out[name] or {}
      table.insert(out[name], { labels, dict:get(full) })
    end
  end
  return out
end

local function line(name, labels, value)
  return name .. (labels ~= '' and '{' .. labels .. '}' or '') .. ' ' .. string.format('%.14g', value)
end

-- The whole page in Prometheus's text format 0.0.4.
function M.render()
  M.flush()
  local stored, out = samples(), {}
  for _, metric in ipairs(known) do
    out[#out + 1] = '# HELP ' .. metric.name .. ' ' .. metric.help
    out[#out + 1] = '# TYPE ' .. metric.name .. ' ' .. metric.kind
    local list = metric.collect and metric.collect() or stored[metric.name] or {}
    table.sort(list, function(a, b) return a[1] < b[1] end)
    for _, sample in ipairs(list) do out[#out + 1] = line(metric.name, sample[1], sample[2]) end
  end
  return table.concat(out, '\n') .. '\n'
end

return M

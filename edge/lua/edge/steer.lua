-- Serve here, or send the user to a better node? Pure: one ladder, the first row that fits decides.
--   1 the host is a node's own (terminal) host   serve  terminal         loop guard: a redirected request ends here
--   2 the host is not steered                    serve  not-steered
--   3 the method is not GET or HEAD              serve  method
--   4 the access network is not known            serve  unknown-network
--   5 it is a cloud or an IDC                    serve  hosting
--   6 no state from the daemon, or a stale one   serve  no-state, stale
--   7 for each carrier of the network, in its order of preference:
--       this node accepts and has it up          serve  local
--       another node accepts and has it up       redirect carrier
--   8 nobody has one of them up                  serve  nowhere          everything down means serve
local M = {}

-- Scores this close to the best count as equal, so that one node does not get everybody.
local BAND = 10

-- The best score of a node's uplinks that are up for a carrier, family and region (nil: none known), or nil: none is up.
-- `ups`: of the node, as ups_of made them.
local function up(ups, carrier, family, region)
  local list, best = ups[family][carrier], nil
  for i = 1, list and #list or 0 do
    local one = list[i]
    if not (region and one.regions and one.regions[region] == false) and not (best and best >= one.score) then best = one.score end
  end
  return best
end

-- A number in (0, 1) that is the same on every node for one client and node: FNV-1a with a final mix (32 bits, exact in doubles).
local function draw(client, node)
  local hash = 2166136261
  local text = client .. '|' .. node
  for i = 1, #text do
    local low = hash % 256
    local byte, mixed, unit = text:byte(i), 0, 1
    for _ = 1, 8 do
      if low % 2 ~= byte % 2 then mixed = mixed + unit end
      low, byte, unit = math.floor(low / 2), math.floor(byte / 2), unit * 2
    end
    hash = hash - hash % 256 + mixed
    hash = ((hash % 256) * 16777216 + hash * 403) % 4294967296 -- times 16777619
  end
  return ((hash * 48271) % 2147483647 + 1) / 2147483648
end

-- The node for a client among those that have the carrier up: near the best score, then by weight (rendezvous).
local function choose(hosts, carrier, req, steered)
  local candidates, top = {}, -1
  for i = 1, #hosts.others do
    local node = hosts.others[i]
    local score = not steered[node.bare] and up(node.ups, carrier, req.family, req.region)
    if score then
      candidates[#candidates + 1] = { name = node.name, host = node.host, score = score, weight = node.weight }
      top = math.max(top, score)
    end
  end
  local chosen, highest
  for _, candidate in ipairs(candidates) do
    local value = candidate.score >= top - BAND and candidate.weight / -math.log(draw(req.client, candidate.name))
    if value and (not highest or value > highest or value == highest and candidate.name < chosen.name) then
      chosen, highest = candidate, value
    end
  end
  return chosen
end

-- A host without its port, in lower case.
local function bare(host)
  return (host:lower():gsub(':%d+$', ''))
end

-- A node's uplinks that are up: family -> carrier -> list of { score, regions }.
local function ups_of(node)
  local out = { ['4'] = {}, ['6'] = {} }
  for _, uplink in pairs(node.uplinks) do
    for family, by in pairs(out) do
      local view = uplink.families[family]
      if view and view.up then
        by[uplink.carrier] = by[uplink.carrier] or {}
        table.insert(by[uplink.carrier], { score = uplink.score, regions = view.regions })
      end
    end
  end
  return out
end

-- What decisions look up, made once for each snapshot, since a request has no time to walk through all of it:
-- { known = { [bare host of any node] = true }, ups = own uplinks that are up, or nil where this node does not accept,
--   others = list of the other nodes that accept and have a weight: { name, host, bare, weight, ups } }.
function M.hosts(snapshot)
  local out = { known = {}, ups = nil, others = {} }
  for name, node in pairs(snapshot.nodes) do
    local host = bare(node.host)
    out.known[host] = true
    if node.accepting and name == snapshot.self then
      out.ups = ups_of(node)
    elseif node.accepting and node.weight > 0 then
      table.insert(out.others, { name = name, host = node.host, bare = host, weight = node.weight, ups = ups_of(node) })
    end
  end
  return out
end
-- Not compiled, as in init.lua: it fills small tables in nested loops, once for each snapshot.
jit.off(ups_of)
jit.off(M.hosts)

-- req: { host (as nginx's $host: lower case, no port), method, client (text), family '4' | '6', region or nil,
--   network { kind, carriers } or nil }
-- world: { host (own terminal host), steered { [host] = true }, snapshot and its hosts or nil, fresh }
-- Returns 'serve' | 'redirect', reason, and for a redirect { name, host } of the node.
function M.decide(req, world)
  local host = req.host
  if host == world.host or world.hosts and world.hosts.known[host] then return 'serve', 'terminal' end
  if not world.steered[host] then return 'serve', 'not-steered' end
  if req.method ~= 'GET' and req.method ~= 'HEAD' then return 'serve', 'method' end
  if not req.network then return 'serve', 'unknown-network' end
  if req.network.kind ~= 'access' then return 'serve', 'hosting' end
  if not world.snapshot then return 'serve', 'no-state' end
  if not world.fresh then return 'serve', 'stale' end
  local hosts, carriers = world.hosts, req.network.carriers
  for i = 1, #carriers do
    if hosts.ups and up(hosts.ups, carriers[i], req.family, req.region) then return 'serve', 'local' end
    local node = choose(hosts, carriers[i], req, world.steered)
    if node then return 'redirect', 'carrier', node end
  end
  return 'serve', 'nowhere'
end

return M

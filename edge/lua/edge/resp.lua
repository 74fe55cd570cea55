-- A Redis client for nginx's cosockets: one command at a time, RESP2. It gives up early, and a connection that saw an
-- error, or a reply that is not read to its end, is closed and never goes back to the pool.
local M = {}

local function encode(args)
  local out = { '*' .. #args .. '\r\n' }
  for _, arg in ipairs(args) do
    local text = tostring(arg)
    out[#out + 1] = '$' .. #text .. '\r\n' .. text .. '\r\n'
  end
  return table.concat(out)
end

-- value | nil, why | nil, redis's own message, true
local function read(sock)
  local line, err = sock:receive()
  if not line then return nil, err end
  local kind, rest = line:sub(1, 1), line:sub(2)
  if kind == '+' then return rest end
  if kind == '-' then return nil, rest, true end
  if kind == ':' then return tonumber(rest) end
  local size = tonumber(rest)
  if not size or size > 1048576 then return nil, 'not a Redis reply: ' .. line:sub(1, 40) end
  if size < 0 then return false end
  if kind == '$' then
    local data, why = sock:receive(size + 2)
    if not data then return nil, why end
    return data:sub(1, -3)
  end
  if kind ~= '*' then return nil, 'not a Redis reply: ' .. line:sub(1, 40) end
  local out = {}
  for i = 1, size do
    local item, why, own = read(sock)
    if item == nil then return nil, why, own end
    out[i] = item
  end
  return out
end

local function ask(sock, args)
  local sent, err = sock:send(encode(args))
  if not sent then return nil, err end
  return read(sock)
end

-- conf: { host and port or path, user, password, database, tls, connectMillis, replyMillis, pool, idleMillis }
local function connect(conf)
  local sock = ngx.socket.tcp()
  sock:settimeouts(conf.connectMillis, conf.replyMillis, conf.replyMillis)
  local options = { pool = conf.pool, pool_size = 16 }
  local ok, err
  if conf.path then ok, err = sock:connect('unix:' .. conf.path, options) else ok, err = sock:connect(conf.host, conf.port, options) end
  if not ok then return nil, 'connect: ' .. tostring(err) end
  if sock:getreusedtimes() > 0 then return sock, nil, true end
  if conf.tls then
    local session, why = sock:sslhandshake(false, conf.tls, true)
    if session == nil then return nil, 'tls: ' .. tostring(why) end
  end
  local first = {}
  if conf.password then first[#first + 1] = conf.user and { 'AUTH', conf.user, conf.password } or { 'AUTH', conf.password } end
  if conf.database and conf.database > 0 then first[#first + 1] = { 'SELECT', conf.database } end
  for _, args in ipairs(first) do
    local reply, why = ask(sock, args)
    if not reply then
      sock:close()
      return nil, args[1] .. ': ' .. tostring(why)
    end
  end
  return sock
end

-- Sends one command. Returns the reply (false: none stored) | nil, why, and true when Redis itself refused.
function M.call(conf, args)
  for _ = 1, 2 do
    local sock, why, reused = connect(conf)
    if not sock then return nil, why end
    local reply, err, own = ask(sock, args)
    if reply ~= nil then
      sock:setkeepalive(conf.idleMillis, 16)
      return reply
    end
    sock:close()
    -- A pooled connection may have died while it lay idle: once more on a new one. Not after a timeout: time is spent.
    if not reused or own or err == 'timeout' then return nil, err, own end
  end
  return nil, 'closed twice'
end

return M

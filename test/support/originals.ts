/**
 * The ways that the edge replaces, written anew from their descriptions, on the same nginx and modules: each test of a
 * defect shows that it is there. Listings: steering by `res.asn` and a proxy to a default node; a bucket of two keys; one
 * Redis script for each request.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, stop } from '../../edge/lab/process.ts';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { asnRows, folder, get, until } from './edge.ts';

const steering = `
  local record = require("edge.mmdb").lookup(DB, ngx.var.binary_remote_addr)
  local carrier = "default"
  if record and record.asn then
    if record.asn == 4134 then carrier = "telecom" elseif record.asn == 4837 then carrier = "unicom" elseif record.asn == 9808 then carrier = "mobile" end
  end
  ngx.header["X-Carrier"] = carrier`;

const twoKeys = `
  local limit, rate, capacity, now = ngx.shared.limit, 1/60, 3, ngx.now()
  local key = ngx.var.binary_remote_addr
  local tokens, last = limit:get(key .. ":tokens"), limit:get(key .. ":last")
  if tokens == nil then tokens, last = capacity, now end
  local add = (now - last) * rate
  if add > 0 then tokens, last = math.min(capacity, tokens + add), now end
  if tokens < 1 then
    limit:set(key .. ":tokens", tokens); limit:set(key .. ":last", last)
    return ngx.exit(429)
  end
  limit:set(key .. ":tokens", tokens - 1); limit:set(key .. ":last", last)`;

const script = `
  local key, rate, capacity = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
  local now = redis.call('time')[1] + redis.call('time')[2] / 1000000
  local bucket = redis.call('hmget', key, 'tokens', 'last')
  local tokens, last = tonumber(bucket[1]), tonumber(bucket[2])
  if tokens == nil then tokens = capacity last = now end
  local add = (now - last) * rate
  if add > 0 then tokens = math.min(capacity, tokens + add) last = now end
  if tokens < 1 then redis.call('hmset', key, 'tokens', tokens, 'last', last) return 0 end
  redis.call('hmset', key, 'tokens', tokens - 1, 'last', last)
  return 1`;

export interface Originals {
  readonly port: number;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** /asn, /loop/, /two-keys/ and /redis/ on one nginx of two workers. */
export async function startOriginals(redisPort: number): Promise<Originals> {
  const dir = folder();
  const [port = 0] = await freePorts(1);
  mkdirSync(join(dir, 'www'), { recursive: true });
  for (const path of ['asn', 'two-keys', 'redis']) writeFileSync(join(dir, 'www', path), 'served\n');
  writeFileSync(join(dir, 'asn.mmdb'), writeAsnMmdb(asnRows));
  writeFileSync(join(dir, 'script.lua'), script);
  const conf = `
include /etc/nginx/modules-enabled/*.conf;
worker_processes 2;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log notice;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
  lua_package_path "${process.cwd()}/edge/lua/?.lua;;";
  lua_shared_dict limit 1m;
  init_by_lua_block {
    local file = require("edge.file")
    DB = assert(require("edge.mmdb").parse((assert(file.read("${dir}/asn.mmdb")))))
    SCRIPT = assert(file.read("${dir}/script.lua"))
  }
  set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For; real_ip_recursive on;
  server {
    listen 127.0.0.1:${port};
    root ${dir}/www;
    location = /asn { access_by_lua_block { ${steering} } }
    location /loop/ { set $backend 127.0.0.1; proxy_pass http://$backend:${port}; proxy_set_header X-Hop "$http_x_hop."; access_by_lua_block { ngx.shared.limit:incr("hops", 1, 0) } }
    location = /hops { content_by_lua_block { ngx.say(ngx.shared.limit:get("hops") or 0) } }
    location = /two-keys { access_by_lua_block { ${twoKeys} } }
    location = /keys { content_by_lua_block { ngx.say(#ngx.shared.limit:get_keys(0)) } }
    location = /redis { access_by_lua_block {
      local sock = ngx.socket.tcp()
      sock:settimeout(20)
      local ok = sock:connect("127.0.0.1", ${redisPort})
      if not ok then return ngx.exit(500) end
      local args = { "EVAL", SCRIPT, "1", "limit:" .. ngx.var.remote_addr, "500", "200" }
      local out = { "*" .. #args .. "\\r\\n" }
      for _, arg in ipairs(args) do out[#out + 1] = "$" .. #arg .. "\\r\\n" .. arg .. "\\r\\n" end
      sock:send(table.concat(out))
      local line = sock:receive()
      if not line then return ngx.exit(500) end
      sock:setkeepalive(10000, 16)
      if line == ":0" then return ngx.exit(429) end
    } }
  }
}`;
  writeFileSync(join(dir, 'nginx.conf'), conf);
  const child = spawn('nginx', ['-c', join(dir, 'nginx.conf'), '-g', 'daemon off;'], { stdio: 'ignore' });
  await until('the originals answer', async () => {
    const reply = await get(port, { path: '/hops' }).catch(() => undefined);
    return reply?.status === 200 ? true : undefined;
  });
  return {
    port,
    log: () => readFileSync(join(dir, 'error.log'), 'utf8'),
    stop: async () => {
      await stop(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/**
 * The ways that the edge replaces, written anew from their descriptions, on the same nginx and modules: each test of a
 * defect shows that it is there. Listings: steering by `res.asn`, a database that is opened once or mapped, a proxy to a
 * default node, a redirect to an address; a bucket of two keys; one Redis script for each request.
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

/** The same with the right field: what is left are six numbers. */
const sixAsns = `
  if not OPENED then OPENED = assert(require("edge.mmdb").parse((assert(require("edge.file").read(DIR .. "/asn.mmdb"))))) end
  local record = require("edge.mmdb").lookup(OPENED, ngx.var.binary_remote_addr)
  local known = { [4134] = "telecom", [4809] = "telecom", [4837] = "unicom", [9929] = "unicom", [9808] = "mobile", [58453] = "mobile" }
  ngx.header["X-Carrier"] = record and known[record.autonomous_system_number] or "default"`;

/** The library maps the file, as lua-resty-maxminddb has it do. */
const mapped = `
  if not LIBRARY then
    local ffi = require("ffi")
    ffi.cdef("int MMDB_open(const char *name, uint32_t flags, void *db); struct entry { const void *db; uint32_t offset; }; struct found { bool found; struct entry entry; uint16_t netmask; }; struct found MMDB_lookup_string(const void *db, const char *text, int *one, int *two);")
    LIBRARY, HANDLE = ffi.load("libmaxminddb.so.0"), ffi.new("uint8_t[1024]")
    assert(LIBRARY.MMDB_open(DIR .. "/mapped.mmdb", 1, HANDLE) == 0)
  end
  local one, two = require("ffi").new("int[1]"), require("ffi").new("int[1]")
  ngx.header["X-Found"] = tostring(LIBRARY.MMDB_lookup_string(HANDLE, ngx.var.remote_addr, one, two).found)`;

/** The bucket of two keys: 3 tokens, one back each minute. */
export const twoKeys = `
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

/** The script of each request. */
export const script = `
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
  readonly dir: string;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** Each listing at a path of its own, on one nginx of two workers. `dead`: a port where nothing listens. */
export async function startOriginals(redisPort: number): Promise<Originals> {
  const dir = folder();
  const [port = 0, dead = 0] = await freePorts(2);
  mkdirSync(join(dir, 'www'), { recursive: true });
  const paths = ['asn', 'six', 'mapped', 'two-keys', 'other-limit', 'redis'];
  for (const path of paths) writeFileSync(join(dir, 'www', path), 'served\n');
  for (const name of ['asn', 'mapped']) writeFileSync(join(dir, `${name}.mmdb`), writeAsnMmdb(asnRows));
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
    DIR = "${dir}"
  }
  set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For; real_ip_recursive on;
  server {
    listen 127.0.0.1:${port};
    root ${dir}/www;
    location = /asn { access_by_lua_block { ${steering} } }
    location /loop/ { set $backend 127.0.0.1; proxy_pass http://$backend:${port}; proxy_set_header X-Hop "$http_x_hop."; access_by_lua_block { ngx.shared.limit:incr("hops", 1, 0) } }
    location = /six { access_by_lua_block { ${sixAsns} } }
    location = /mapped { access_by_lua_block { ${mapped} } }
    location /dead/ { set $backend 127.0.0.1:${dead}; proxy_pass http://$backend; }
    location /xff/ { proxy_pass http://127.0.0.1:${port}/echo; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }
    location = /echo { content_by_lua_block { ngx.say(ngx.req.get_headers()["x-forwarded-for"] or "") } }
    location = /moved { access_by_lua_block { return ngx.redirect("http://10.0.0.11" .. ngx.var.request_uri, 302) } }
    location = /other-limit { access_by_lua_block { ${twoKeys} } }
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
    dir,
    log: () => readFileSync(join(dir, 'error.log'), 'utf8'),
    stop: async () => {
      await stop(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

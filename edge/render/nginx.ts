/** The nginx side of the edge: what goes into http{} (`edge-http.conf`), and a whole nginx.conf around it. */
import type { EdgeConfig } from '../conf/schema.ts';
import { block, directive, word } from './quote.ts';
import { renderServers, upstreamName } from './server.ts';

/** Where the rendered files and the Lua modules are when nginx runs. */
export interface Places {
  /** Directory of the rendered files. */
  readonly out: string;
  /** Directory that holds `edge/init.lua`. */
  readonly lua: string;
}

/** `edge-http.conf`, to be included in http{}. */
export function renderHttp(config: EdgeConfig, places: Places): string {
  const lines = [
    '# Rendered from edge.yaml; changes here are lost.',
    `lua_package_path "${word(places.lua)}/?.lua;;";`,
    directive('lua_shared_dict', 'edge_state', '4m'),
    directive('lua_shared_dict', 'edge_rl', config.zones.limits),
    directive('lua_shared_dict', 'edge_rl_wide', config.zones.wide),
    directive('lua_shared_dict', 'edge_lease', config.zones.leases),
    directive('lua_shared_dict', 'edge_redir', '4m'),
    directive('lua_shared_dict', 'edge_metrics', '2m'),
    // Failures of Redis are told once by the lease, not once by each socket.
    'lua_socket_log_errors off;',
    `init_by_lua_block { require("edge.init").start("${word(places.out)}") }`,
    'init_worker_by_lua_block { require("edge.init").worker() }',
    ...renderAuthorities(config),
    ...renderTrusted(config),
    ...renderOrigins(config),
    ...renderServers(config),
    '',
    ...renderAdmin(config),
  ];
  return `${lines.join('\n')}\n`;
}

/** A whole nginx.conf for an nginx of the edge's own; the operator's nginx includes `edge-http.conf` instead. */
export function renderNginx(
  config: EdgeConfig,
  places: Places,
  options: { workers: number; user: string | null },
): string {
  const { run } = config.paths;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const lines = [
    '# Rendered from edge.yaml; changes here are lost.',
    'include /etc/nginx/modules-enabled/*.conf;',
    ...(options.user === null ? [] : [directive('user', options.user)]),
    directive('worker_processes', options.workers),
    directive('worker_rlimit_nofile', 8192),
    directive('pid', `${run}/nginx.pid`),
    directive('error_log', `${run}/error.log`, 'notice'),
    ...block('events', ['worker_connections 4096;']),
    ...block('http', [
      'access_log off;',
      'server_tokens off;',
      'default_type application/octet-stream;',
      ...temporary.map((name) => directive(`${name}_temp_path`, `${run}/${name}`)),
      directive('include', `${places.out}/edge-http.conf`),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** One file for all connections of Lua; the crosscheck sees to it that nobody needs another. */
function renderAuthorities({ redis, geodns }: EdgeConfig): readonly string[] {
  const ca = redis?.tls?.ca ?? geodns?.tls?.ca;
  return ca === undefined ? [] : [directive('lua_ssl_trusted_certificate', ca), 'lua_ssl_verify_depth 3;'];
}

function renderTrusted(config: EdgeConfig): readonly string[] {
  const { proxies, header } = config.trusted;
  if (proxies.length === 0) return [];
  return [
    ...proxies.map((proxy) => directive('set_real_ip_from', proxy.text)),
    directive('real_ip_header', header),
    // The rightmost address that is not a trusted proxy's; the leftmost is whatever the client wrote.
    'real_ip_recursive on;',
  ];
}

function renderOrigins(config: EdgeConfig): readonly string[] {
  const { uplinks } = config;
  return Object.entries(config.origins).flatMap(([name, { keepalive }]) => [
    ...renderOrigin(name, upstreamName(name), keepalive),
    // One for each uplink: nginx keeps connections by the origin's address alone, whatever address they leave from.
    ...Object.keys(uplinks).flatMap((uplink) => renderOrigin(name, upstreamName(name, uplink), keepalive)),
  ]);
}

function renderOrigin(name: string, upstream: string, keepalive: number): readonly string[] {
  const lines = [
    'server 0.0.0.1; # never used: the balancer names the peer',
    `balancer_by_lua_block { require("edge.origin").balance("${word(name)}") }`,
    directive('keepalive', keepalive),
  ];
  return ['', ...block(`upstream ${upstream}`, lines)];
}

function renderAdmin(config: EdgeConfig): readonly string[] {
  const answer = (path: string, call: string, more: readonly string[] = []): readonly string[] =>
    block(`location = ${path}`, [...more, `content_by_lua_block { require("edge.admin").${call}() }`]);
  return block('server', [
    directive('listen', `unix:${config.paths.run}/admin.sock`),
    ...answer('/state', 'put_state', ['client_max_body_size 1m;', 'client_body_buffer_size 1m;']),
    ...answer('/metrics', 'metrics'),
    ...answer('/status', 'status'),
    ...block('location /', ['return 404;']),
  ]);
}

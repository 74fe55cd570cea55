/** The servers of the sites: listen, names, TLS, and for each location its access phase and what it serves. */
import type { EdgeConfig, LocationConfig, OriginConfig, ServerConfig } from '../conf/schema.ts';
import { routeId } from './policy.ts';
import { block, directive, word } from './quote.ts';

/** Name of a pool's upstream{}, of its own for each uplink that its connections are bound to; origin.lua names them so. */
export function upstreamName(pool: string, uplink?: string): string {
  return `edge_${word(pool)}${uplink === undefined ? '' : `_via_${word(uplink)}`}`;
}

/** All server blocks, in the config's order. */
export function renderServers(config: EdgeConfig): readonly string[] {
  return Object.entries(config.servers).flatMap(([name, server]) => renderServer(name, server, config));
}

function renderServer(name: string, server: ServerConfig, config: EdgeConfig): readonly string[] {
  const steers = server.locations.some((location) => location.steer);
  const options = [
    ...(server.tls ? ['ssl', 'http2'] : []),
    ...(server.proxyProtocol ? ['proxy_protocol'] : []),
  ];
  const lines = [
    ...server.listen.map((listen) => directive('listen', listen, ...options)),
    // Redirected users arrive under the node's own name, which is never steered.
    directive('server_name', ...server.names, ...(steers ? [config.host] : [])),
    ...(server.tls
      ? [
          directive('ssl_certificate', server.tls.certificate),
          directive('ssl_certificate_key', server.tls.key),
        ]
      : []),
    ...server.locations.flatMap((location, index) =>
      renderLocation(routeId(name, index), location, server, config),
    ),
  ];
  return ['', ...block('server', lines)];
}

function renderLocation(
  id: string,
  location: LocationConfig,
  server: ServerConfig,
  config: EdgeConfig,
): readonly string[] {
  const origin = location.origin === undefined ? undefined : config.origins[location.origin];
  const content = origin
    ? proxy(location.origin ?? '', origin, server, config)
    : [directive('root', location.root ?? '/nonexistent')];
  return block(`location ${word(location.path)}`, [
    // From the table of loaded modules: `require` would be a call that LuaJIT cannot compile, for each request.
    `access_by_lua_block { package.loaded["edge.access"].run("${word(id)}") }`,
    `log_by_lua_block { package.loaded["edge.account"].run(${origin !== undefined}) }`,
    ...content,
  ]);
}

function proxy(
  pool: string,
  origin: OriginConfig,
  server: ServerConfig,
  config: EdgeConfig,
): readonly string[] {
  const site = word(server.names[0] ?? '');
  const scheme = origin.tls ? 'https' : 'http';
  return [
    `set $edge_site $host;`,
    `if ($host = ${word(config.host)}) { set $edge_site ${site}; }`,
    ...(Object.keys(config.uplinks).length === 0
      ? [`proxy_pass ${scheme}://${upstreamName(pool)};`]
      : [
          // The access phase may name an uplink's upstream and address; an empty address binds nothing.
          `set $edge_upstream ${upstreamName(pool)};`,
          'set $edge_bind "";',
          'proxy_bind $edge_bind;',
          `proxy_pass ${scheme}://$edge_upstream;`,
        ]),
    'proxy_http_version 1.1;',
    'proxy_set_header Connection "";',
    'proxy_set_header Host $edge_site;',
    // Written anew: what a client sends in these is not believed and not passed on.
    'proxy_set_header X-Forwarded-For $remote_addr;',
    'proxy_set_header X-Real-IP $remote_addr;',
    'proxy_set_header X-Forwarded-Proto $scheme;',
    'proxy_next_upstream error timeout http_502 http_503 http_504;',
    ...(origin.tls
      ? [
          directive('proxy_ssl_name', origin.tls.name),
          'proxy_ssl_server_name on;',
          'proxy_ssl_verify on;',
          directive('proxy_ssl_trusted_certificate', origin.tls.ca),
        ]
      : []),
  ];
}

/** What one key alone cannot show: references, contradictions and loops between parts of the edge's config. */
import type { CompiledNetworks } from '../networks/compile.ts';
import type { Parsed } from './document.ts';
import type { Problem } from './problem.ts';
import type { EdgeConfig, LimitConfig, LocationConfig } from './schema.ts';

type Say = Parsed<EdgeConfig>['problemAt'];

/** Every contradiction in a config whose single values are all right. */
export function crosscheck(parsed: Parsed<EdgeConfig>, networks: CompiledNetworks): readonly Problem[] {
  const config = parsed.value;
  return [
    ...serverProblems(config, parsed.problemAt),
    ...Object.entries(config.limits).flatMap(([name, limit]) =>
      limitProblems(name, limit, config, networks, parsed.problemAt),
    ),
    ...originProblems(config, parsed.problemAt),
    ...authorityProblems(config, parsed.problemAt),
    ...uplinkProblems(config, parsed.problemAt),
  ];
}

function serverProblems(config: EdgeConfig, say: Say): Problem[] {
  const problems: Problem[] = [];
  const owners = new Map<string, string>();
  let steering: string | undefined;
  for (const [name, server] of Object.entries(config.servers)) {
    for (const [index, host] of server.names.entries()) {
      const at = ['servers', name, 'names', index];
      if (host === config.host)
        problems.push(
          say(at, `${host} is this node's terminal host: redirected users end there, it cannot be steered`),
        );
      const owner = owners.get(host);
      if (owner !== undefined) problems.push(say(at, `${host} is a name of server ${owner} already`));
      owners.set(host, name);
    }
    if (server.locations.some((location) => location.steer)) {
      if (steering !== undefined) {
        const why = `server ${steering} steers already: redirected users arrive at ${config.host}, which is one site`;
        problems.push(say(['servers', name], why));
      }
      steering = name;
    }
    const paths = new Set<string>();
    for (const [index, location] of server.locations.entries()) {
      const at = ['servers', name, 'locations', index];
      if (paths.has(location.path)) problems.push(say([...at, 'path'], `${location.path} is there already`));
      paths.add(location.path);
      problems.push(...locationProblems(location, config, at, say));
    }
  }
  return problems;
}

function locationProblems(
  location: LocationConfig,
  config: EdgeConfig,
  at: readonly PropertyKey[],
  say: Say,
): Problem[] {
  const problems: Problem[] = [];
  if ((location.origin === undefined) === (location.root === undefined)) {
    problems.push(say(at, 'a location has either an origin or a root'));
  }
  if (location.origin !== undefined && config.origins[location.origin] === undefined) {
    problems.push(
      say([...at, 'origin'], `there is no origin ${location.origin}; there are: ${list(config.origins)}`),
    );
  }
  for (const [index, limit] of location.limits.entries()) {
    if (config.limits[limit] === undefined) {
      problems.push(
        say([...at, 'limits', index], `there is no limit ${limit}; there are: ${list(config.limits)}`),
      );
    }
  }
  return problems;
}

function limitProblems(
  name: string,
  limit: LimitConfig,
  config: EdgeConfig,
  networks: CompiledNetworks,
  say: Say,
): Problem[] {
  const at = ['limits', name];
  const problems: Problem[] = [];
  const used = Object.values(config.servers).some((server) =>
    server.locations.some((one) => one.limits.includes(name)),
  );
  if (!used) problems.push(say(at, 'no location uses this limit, so it limits nobody'));
  if (limit.scope === 'fleet' && !config.redis)
    problems.push(say([...at, 'scope'], 'a limit of the fleet needs redis'));
  if (limit.cost > limit.burst)
    problems.push(
      say([...at, 'cost'], `a request of cost ${limit.cost} never fits a burst of ${limit.burst}`),
    );
  for (const [index, one] of limit.classes.entries()) {
    if (limit.cost > one.burst)
      problems.push(say([...at, 'classes', index, 'burst'], `a request of cost ${limit.cost} never fits`));
    if (one.networks.length + one.asns.length + one.prefixes.length === 0) {
      problems.push(say([...at, 'classes', index], 'a class needs networks, asns or prefixes'));
    }
    for (const network of one.networks) {
      if (networks.networks[network] === undefined) {
        problems.push(
          say([...at, 'classes', index, 'networks'], `there is no network ${network} in networks.yaml`),
        );
      }
    }
  }
  return problems;
}

function originProblems(config: EdgeConfig, say: Say): Problem[] {
  const listens = new Set(Object.values(config.servers).flatMap((server) => server.listen));
  return Object.entries(config.origins).flatMap(([name, origin]) =>
    origin.servers.flatMap((one, index) => {
      const text = one.address.includes(':') ? `[${one.address}]:${one.port}` : `${one.address}:${one.port}`;
      if (!listens.has(text)) return [];
      return [
        say(
          ['origins', name, 'servers', index],
          `${text} is where this node itself listens: each request would come back`,
        ),
      ];
    }),
  );
}

function uplinkProblems(config: EdgeConfig, say: Say): Problem[] {
  const problems: Problem[] = [];
  const owners = new Map<string, string>();
  for (const [name, { source }] of Object.entries(config.uplinks)) {
    const passes = Object.keys(config.origins).length > 0;
    if (!passes) problems.push(say(['uplinks', name], 'there is no origin that could be fetched over it'));
    for (const [index, address] of source.entries()) {
      const owner = owners.get(address);
      if (owner !== undefined)
        problems.push(say(['uplinks', name, 'source', index], `${address} is uplink ${owner}'s already`));
      owners.set(address, name);
    }
  }
  return problems;
}

/** nginx has one file of authorities for what Lua connects to. */
function authorityProblems({ redis, geodns }: EdgeConfig, say: Say): Problem[] {
  const [one, other] = [redis?.tls?.ca, geodns?.tls?.ca];
  if (one === undefined || other === undefined || one === other) return [];
  return [
    say(['geodns', 'tls', 'ca'], `must be the file of redis.tls.ca (${one}): nginx takes one file for both`),
  ];
}

function list(of: Readonly<Record<string, unknown>>): string {
  return Object.keys(of).join(', ') || 'none';
}

/**
 * Which part of a new config a running daemon can take. What BIRD's text comes from waits for `causeway apply`, which
 * rehearses it; what a start alone reads waits for a restart. All else counts at once and never touches BIRD. Pure.
 */
import { renderConfig } from '../../bird/render/config.ts';
import { configDifference, type ConfigDifference } from '../config/difference.ts';
import type { NodeConfig, Uplink } from '../types/config.ts';

export interface LiveConfig {
  /** The running config with all of the new one that can be taken. */
  readonly config: NodeConfig;
  readonly taken: readonly ConfigDifference[];
  readonly waitsForApply: readonly ConfigDifference[];
  readonly waitsForRestart: readonly ConfigDifference[];
}

export function liveConfig(running: NodeConfig, next: NodeConfig): LiveConfig {
  const startable = withoutRestart(running, next);
  const config = isSameText(running, startable) ? startable : withoutApply(running, startable);
  return {
    config,
    taken: configDifference(running, config),
    waitsForApply: configDifference(config, startable),
    waitsForRestart: configDifference(startable, next),
  };
}

/** Sockets, paths, the way to the fleet and the node's name are read at a start; all else of the new config is in force after an apply. */
export function withoutRestart(running: NodeConfig, next: NodeConfig): NodeConfig {
  const { socket, config, layout } = running.bird;
  return {
    ...next,
    node: { ...next.node, name: running.node.name, site: running.node.site },
    bird: { ...next.bird, socket, config, layout },
    http: { ...next.http, host: running.http.host, port: running.http.port },
    paths: running.paths,
    fleet: running.fleet,
    geodns: running.geodns,
    webhooks: running.webhooks,
  };
}

function withoutApply(running: NodeConfig, next: NodeConfig): NodeConfig {
  return {
    ...next,
    node: running.node,
    bird: running.bird,
    services: running.services,
    uplinks: running.uplinks.map((uplink) => withProbing(uplink, next.uplinks)),
    policy: { ...next.policy, drain: running.policy.drain },
    maintenance: next.maintenance.filter(({ uplink }) => running.uplinks.some(({ name }) => name === uplink)),
    edge: withUplinks(next.edge, running.uplinks),
  };
}

/** An origin that only uplinks of the new config reach waits with them. */
function withUplinks(edge: NodeConfig['edge'], uplinks: readonly Uplink[]): NodeConfig['edge'] {
  if (edge === null) return null;
  const names = uplinks.map(({ name }) => name);
  const pools = edge.pools.map(({ name, origins }) => ({
    name,
    origins: origins
      .map((origin) => ({ ...origin, via: origin.via.filter((one) => names.includes(one)) }))
      .filter(({ via }) => via.length > 0),
  }));
  return { ...edge, pools: pools.filter(({ origins }) => origins.length > 0) };
}

/** Targets and pace are the prober's alone. */
function withProbing(uplink: Uplink, next: readonly Uplink[]): Uplink {
  const found = next.find(({ name }) => name === uplink.name);
  return found === undefined ? uplink : { ...uplink, targets: found.targets, probe: found.probe };
}

function isSameText(a: NodeConfig, b: NodeConfig): boolean {
  const names = (config: NodeConfig): string =>
    JSON.stringify([config.uplinks.map(({ name }) => name), config.services.map(({ name }) => name)]);
  return names(a) === names(b) && renderConfig(a, new Map()) === renderConfig(b, new Map());
}

/** From the file's form to what the rest of the program uses: names for units, rows for targets, defaults by position. */
import type { NodeConfig, Service, Target, Uplink } from '../types/config.ts';
import type { Policy } from '../types/policy.ts';
import { families, type PerFamily } from '../types/units.ts';
import type { PlacedAddress } from './fields.ts';
import type { ConfigFile } from './schema/root.ts';
import { rowsOf, type TargetEntry } from './schema/targets.ts';
import { defaultTable } from './view.ts';

/** Of a file that every rule has passed. */
export function resolveConfig(file: ConfigFile): NodeConfig {
  const { node, bird, guards, http, paths } = file;
  return {
    mode: file.mode,
    node: { name: node.name, site: node.site, asn: node.asn, routerId: node.router_id },
    bird: { socket: bird.socket, config: bird.config, layout: bird.layout },
    services: Object.entries(file.services).map(([name, service]) => resolveService(name, service)),
    uplinks: Object.entries(file.uplinks).map(([name, uplink], index) =>
      resolveUplink(file, name, uplink, index),
    ),
    policy: resolvePolicy(file),
    guards: { keepUplinks: guards.keep_uplinks, togetherMillis: guards.together },
    onStop: 'keep',
    http: { host: http.listen.host, port: http.listen.port },
    paths: { state: paths.state, control: paths.control },
  };
}

function resolveService(name: string, service: ConfigFile['services'][string]): Service {
  return { name, prefixes: service.prefixes.map(({ family, text }) => ({ family, text })) };
}

function resolveUplink(
  file: ConfigFile,
  name: string,
  uplink: ConfigFile['uplinks'][string],
  index: number,
): Uplink {
  const { peer, probe } = uplink;
  const pace = file.policy.probe;
  const address = textsOf(peer.address);
  return {
    name,
    carrier: uplink.carrier,
    interface: uplink.interface,
    source: textsOf(uplink.source),
    peer: {
      asn: peer.asn,
      address,
      passwordFile: peer.password_file ?? null,
      multihop: peer.multihop ?? null,
      bfd: peer.bfd,
    },
    gateway: { ...address, ...(uplink.gateway === undefined ? {} : textsOf(uplink.gateway)) },
    table: uplink.table ?? defaultTable(index),
    localPref: uplink.local_pref,
    med: uplink.med,
    prepend: uplink.prepend,
    import: uplink.import,
    targets: uplink.targets.flatMap((target) => resolveTarget(target)),
    probe: {
      intervalMillis: probe.interval ?? pace.interval,
      timeoutMillis: probe.timeout ?? pace.timeout,
    },
  };
}

function resolveTarget(entry: TargetEntry): readonly Target[] {
  const rows = rowsOf(entry);
  return rows.kind === 'ok' ? rows.value : [];
}

function resolvePolicy({ policy }: ConfigFile): Policy {
  const { recovery, regions } = policy;
  return {
    loss: policy.loss,
    latency: { badMillis: policy.latency.bad },
    patienceMillis: policy.patience,
    falseAlarmMillis: policy.false_alarms,
    regions: { share: regions.share, weights: new Map(Object.entries(regions.weights)) },
    recovery: { cleanMillis: recovery.clean, holdMillis: recovery.hold, maxHoldMillis: recovery.max_hold },
    drain: policy.drain,
  };
}

function textsOf(addresses: PerFamily<PlacedAddress>): PerFamily<string> {
  return Object.fromEntries(
    families.flatMap((family) => {
      const text = addresses[family]?.text;
      return text === undefined ? [] : [[family, text] as const];
    }),
  );
}

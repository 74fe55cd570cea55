/** Prints the effective config in the file's form. What it prints loads again to an equal config. */
import { stringify } from 'yaml';
import type { NodeConfig, Target, Uplink } from '../types/config.ts';
import { families, type PerFamily } from '../types/units.ts';
import { formatDuration, formatRate, formatRatio } from './quantities.ts';

/** YAML of the config with every default written out. */
export function explainConfig(config: NodeConfig): string {
  return stringify(fileForm(config), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The config as plain data with the keys and units of the file. */
export function fileForm(config: NodeConfig): Readonly<Record<string, unknown>> {
  const { node, bird, guards, http, paths } = config;
  return {
    mode: config.mode,
    node: { name: node.name, site: node.site, asn: node.asn, router_id: node.routerId },
    bird: { socket: bird.socket, config: bird.config, layout: bird.layout },
    services: Object.fromEntries(
      config.services.map(({ name, prefixes }) => [name, { prefixes: prefixes.map(({ text }) => text) }]),
    ),
    uplinks: Object.fromEntries(config.uplinks.map((uplink) => [uplink.name, uplinkForm(uplink)])),
    policy: policyForm(config),
    guards: { keep_uplinks: guards.keepUplinks, together: formatDuration(guards.togetherMillis) },
    on_stop: config.onStop,
    http: { listen: `${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}` },
    paths: { state: paths.state, control: paths.control },
  };
}

function uplinkForm(uplink: Uplink): Readonly<Record<string, unknown>> {
  const { peer } = uplink;
  return {
    carrier: uplink.carrier,
    interface: uplink.interface,
    source: listOf(uplink.source),
    peer: {
      asn: peer.asn,
      address: listOf(peer.address),
      ...(peer.passwordFile === null ? {} : { password_file: peer.passwordFile }),
      ...(peer.multihop === null ? {} : { multihop: peer.multihop }),
      bfd: peer.bfd,
    },
    gateway: listOf(uplink.gateway),
    table: uplink.table,
    local_pref: uplink.localPref,
    med: uplink.med,
    prepend: uplink.prepend,
    import: uplink.import,
    targets: byName(uplink.targets).map((rows) => targetForm(rows)),
    probe: {
      interval: formatDuration(uplink.probe.intervalMillis),
      timeout: formatDuration(uplink.probe.timeoutMillis),
    },
  };
}

/** The rows of one target, one for each family. A port alone stands for the addresses of ping, so it needs them all. */
function targetForm(rows: readonly Target[]): Readonly<Record<string, unknown>> {
  const [first] = rows;
  const ping = rows.filter((row) => row.ping).map(({ address }) => address);
  const ports = new Set(rows.map(({ tcpPort }) => tcpPort));
  const [port] = ports;
  const plain = ports.size === 1 && ping.length === rows.length;
  const endpoints = rows.flatMap((row) => (row.tcpPort === null ? [] : [endpointForm(row, row.tcpPort)]));
  return {
    name: first?.name,
    region: first?.region,
    ...(ping.length === 0 ? {} : { ping }),
    ...(endpoints.length === 0 ? {} : { tcp: plain ? port : endpoints }),
  };
}

function endpointForm({ family, address }: Target, port: number): string {
  return family === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}

function policyForm({ policy }: NodeConfig): Readonly<Record<string, unknown>> {
  const { loss, regions, recovery, drain } = policy;
  return {
    loss: { good: formatRatio(loss.good), bad: formatRatio(loss.bad) },
    latency: { bad: formatDuration(policy.latency.badMillis) },
    patience: formatDuration(policy.patienceMillis),
    false_alarms: formatRate(policy.falseAlarmMillis),
    regions: { share: formatRatio(regions.share), weights: Object.fromEntries(regions.weights) },
    recovery: {
      clean: formatDuration(recovery.cleanMillis),
      hold: formatDuration(recovery.holdMillis),
      max_hold: formatDuration(recovery.maxHoldMillis),
    },
    drain: { med: drain.med, prepend: drain.prepend, gshut: drain.gshut },
  };
}

function listOf(addresses: PerFamily<string>): readonly string[] {
  return families.flatMap((family) => addresses[family] ?? []);
}

function byName(targets: readonly Target[]): readonly (readonly Target[])[] {
  const groups = new Map<string, Target[]>();
  for (const target of targets) groups.set(target.name, [...(groups.get(target.name) ?? []), target]);
  return [...groups.values()];
}

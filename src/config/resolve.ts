/** From the file's form to what the rest of the program uses: names for units, rows for targets, defaults by position. */
import type { NodeConfig, ProbePolicy, Service, Target, Uplink } from '../types/config.ts';
import type { MaintenanceWindow } from '../types/maintenance.ts';
import type { Policy } from '../types/policy.ts';
import { families, type Millis, type PerFamily } from '../types/units.ts';
import type { PlacedAddress } from './fields.ts';
import { resolveBird } from './resolve-bird.ts';
import { resolveEdge } from './resolve-edge.ts';
import { resolveFleet } from './resolve-fleet.ts';
import { resolveServiceUplinks } from './resolve-service-uplinks.ts';
import { resolvePeer } from './resolve-session.ts';
import { resolveGeoDns, resolveWebhook } from './resolve-tell.ts';
import type { ConfigFile } from './schema/root.ts';
import { rowsOf, type TargetEntry } from './schema/targets.ts';
import { defaultEgressTable, defaultTable } from './view.ts';

/** Of a file that every rule has passed. */
export function resolveConfig(file: ConfigFile): NodeConfig {
  const { node, bird, guards, http, paths } = file;
  return {
    mode: file.mode,
    node: { name: node.name, site: node.site, asn: node.asn, routerId: node.router_id },
    bird: resolveBird(bird),
    services: Object.entries(file.services).map(([name, service]) => resolveService(name, service)),
    uplinks: Object.entries(file.uplinks).map(([name, uplink], index) =>
      resolveUplink(file, name, uplink, index),
    ),
    policy: resolvePolicy(file),
    probeEngine: file.policy.probe.engine,
    guards: {
      keepUplinks: guards.keep_uplinks,
      keepNodes: guards.keep_nodes,
      togetherMillis: guards.together,
      maxWithdrawals: guards.max_withdrawals,
      flapBudget: guards.flap_budget,
    },
    onStop: file.on_stop,
    onBoot: file.on_boot,
    maintenance: file.maintenance.map((window) => resolveWindow(window)),
    fleet: resolveFleet(file.fleet),
    geodns: resolveGeoDns(file.geodns),
    webhooks: file.webhooks.map((webhook) => resolveWebhook(webhook)),
    http: { host: http.listen.host, port: http.listen.port, tokenFile: http.token_file ?? null },
    edge: resolveEdge(file),
    paths: { state: paths.state, control: paths.control, edge: paths.edge },
    record: file.record === undefined ? null : { sizeBytes: file.record.size },
    shadow: file.shadow === undefined ? null : { policy: resolvePolicy(file.shadow) },
  };
}

function resolveWindow(window: ConfigFile['maintenance'][number]): MaintenanceWindow {
  return {
    uplink: window.uplink,
    service: window.service ?? null,
    cron: window.cron,
    timezone: window.timezone,
    durationMillis: window.duration,
    state: window.state,
    drainBeforeMillis: window.drain_before,
    reason: window.reason,
  };
}

function resolveService(name: string, service: ConfigFile['services'][string]): Service {
  return {
    name,
    prefixes: service.prefixes.map(({ family, text }) => ({ family, text })),
    uplinks: resolveServiceUplinks(service.uplinks),
    egress: service.egress,
    ready: service.ready ?? [],
    alone: service.alone,
  };
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
  const table = uplink.table ?? defaultTable(index);
  return {
    name,
    carrier: uplink.carrier,
    interface: uplink.interface,
    source: textsOf(uplink.source),
    peer: resolvePeer(peer, address),
    gateway: { ...address, ...(uplink.gateway === undefined ? {} : textsOf(uplink.gateway)) },
    table,
    egressTable: uplink.egress_table ?? defaultEgressTable(table),
    localPref: uplink.local_pref,
    med: uplink.med,
    prepend: uplink.prepend,
    communities: uplink.communities,
    drainCommunities: uplink.drain_communities,
    ...(uplink.looking_glass === undefined ? {} : { lookingGlass: uplink.looking_glass }),
    import: uplink.import,
    capacityBits: uplink.capacity ?? null,
    targets: uplink.targets.flatMap((target) => resolveTarget(target)),
    probe: {
      intervalMillis: probe.interval ?? pace.interval,
      timeoutMillis: probe.timeout ?? pace.timeout,
      ...fullSize(probe.full_size ?? pace.full_size),
    },
  };
}

function resolveTarget(entry: TargetEntry): readonly Target[] {
  const rows = rowsOf(entry);
  return rows.kind === 'ok' ? rows.value : [];
}

/** 0 is none. */
function fullSize(interval: Millis): Pick<ProbePolicy, 'fullSizeMillis'> {
  return interval === 0 ? {} : { fullSizeMillis: interval };
}

function resolveLimits(policy: ConfigFile['policy']): Pick<Policy, 'latency' | 'jitter' | 'windowProbes'> {
  const { latency, jitter } = policy;
  return {
    latency: {
      badMillis: latency.bad,
      ...(latency.baseline === undefined ? {} : { baseline: latency.baseline }),
    },
    ...(jitter === undefined
      ? {}
      : {
          jitter: {
            ...(jitter.bad === undefined ? {} : { badMillis: jitter.bad }),
            ...(jitter.baseline === undefined ? {} : { baseline: jitter.baseline }),
          },
        }),
    ...(policy.rule === 'window' ? { windowProbes: policy.window } : {}),
  };
}

/** The policy alone; benchmarks take the defaults from here. */
export function resolvePolicy({ policy }: Pick<ConfigFile, 'policy'>): Policy {
  const { recovery, regions } = policy;
  return {
    loss: policy.loss,
    ...resolveLimits(policy),
    patienceMillis: policy.patience,
    falseAlarmMillis: policy.false_alarms,
    regions: { share: regions.share, weights: new Map(Object.entries(regions.weights)) },
    recovery: {
      cleanMillis: recovery.clean,
      holdMillis: recovery.hold,
      maxHoldMillis: recovery.max_hold,
      canary: recovery.canary,
    },
    drain: policy.drain,
    tieFamilies: policy.tie_families,
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

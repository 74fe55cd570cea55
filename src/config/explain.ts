/** Prints the effective config in the file's form. What it prints loads again to an equal config. */
import { stringify } from 'yaml';
import { edgeForm } from './edge-form.ts';
import { formatSize } from './size.ts';
import type { NodeConfig, Service, Target, Uplink } from '../types/config.ts';
import type { MaintenanceWindow } from '../types/maintenance.ts';
import { families, type PerFamily } from '../types/units.ts';
import { communitiesForm, peerForm, serviceUplinksForm } from './explain-peer.ts';
import { paceForm, targetForm } from './target-form.ts';
import { fleetForm } from './fleet-form.ts';
import { lookingGlassForm } from './schema/looking-glass.ts';
import { readyForm } from './ready-form.ts';
import { geodnsForm, webhookForm } from './tell-form.ts';
import { formatBitRate, formatCount, formatDuration, formatRate, formatRatio } from './quantities.ts';

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
    bird: {
      ...(bird.command === null ? { socket: bird.socket } : { command: bird.command }),
      config: bird.config,
      layout: bird.layout,
      adopt: Object.fromEntries(bird.adopt),
      ...(bird.rpki === null ? {} : { rpki: bird.rpki }),
    },
    services: Object.fromEntries(config.services.map((service) => [service.name, serviceForm(service)])),
    uplinks: Object.fromEntries(config.uplinks.map((uplink) => [uplink.name, uplinkForm(uplink)])),
    policy: { probe: { engine: config.probeEngine }, ...policyForm(config) },
    guards: guardsForm(guards),
    on_boot: config.onBoot,
    on_stop: { do: config.onStop.do, deadline: formatDuration(config.onStop.deadlineMillis) },
    maintenance: config.maintenance.map((window) => windowForm(window)),
    ...(config.fleet === null ? {} : { fleet: fleetForm(config.fleet) }),
    ...(config.geodns === null ? {} : { geodns: geodnsForm(config.geodns) }),
    ...(config.webhooks.length === 0 ? {} : { webhooks: config.webhooks.map((one) => webhookForm(one)) }),
    http: {
      listen: `${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`,
      ...(http.tokenFile === null ? {} : { token_file: http.tokenFile }),
    },
    ...(config.edge === null ? {} : { edge: edgeForm(config.edge) }),
    paths: { state: paths.state, control: paths.control, edge: paths.edge },
    ...(config.record === null ? {} : { record: { size: formatSize(config.record.sizeBytes) } }),
    ...(config.shadow === null ? {} : { shadow: { policy: policyForm(config.shadow) } }),
  };
}

function guardsForm(guards: NodeConfig['guards']): Readonly<Record<string, unknown>> {
  return {
    keep_uplinks: guards.keepUplinks,
    keep_nodes: guards.keepNodes,
    together: formatDuration(guards.togetherMillis),
    max_withdrawals: formatCount(guards.maxWithdrawals),
    flap_budget: guards.flapBudget,
  };
}

function serviceForm({
  prefixes,
  uplinks,
  egress,
  ready,
  alone,
}: Service): Readonly<Record<string, unknown>> {
  const checks = readyForm(ready);
  return {
    prefixes: prefixes.map(({ text }) => text),
    uplinks: serviceUplinksForm(uplinks),
    egress,
    ...(checks === undefined ? {} : { ready: checks }),
    alone,
  };
}

function windowForm(window: MaintenanceWindow): Readonly<Record<string, unknown>> {
  return {
    uplink: window.uplink,
    ...(window.service === null ? {} : { service: window.service }),
    cron: window.cron.text,
    timezone: window.timezone,
    duration: formatDuration(window.durationMillis),
    state: window.state,
    drain_before: formatDuration(window.drainBeforeMillis),
    reason: window.reason,
  };
}

function uplinkForm(uplink: Uplink): Readonly<Record<string, unknown>> {
  return {
    carrier: uplink.carrier,
    interface: uplink.interface,
    source: listOf(uplink.source),
    peer: peerForm(uplink.peer),
    gateway: listOf(uplink.gateway),
    table: uplink.table,
    egress_table: uplink.egressTable,
    local_pref: uplink.localPref,
    med: uplink.med,
    prepend: uplink.prepend,
    communities: communitiesForm(uplink.communities),
    drain_communities: communitiesForm(uplink.drainCommunities),
    ...(uplink.lookingGlass === undefined ? {} : { looking_glass: lookingGlassForm(uplink.lookingGlass) }),
    import: uplink.import,
    ...(uplink.capacityBits === null ? {} : { capacity: formatBitRate(uplink.capacityBits) }),
    targets: byName(uplink.targets).map((rows) => targetForm(rows)),
    probe: { full_size: '0s', ...paceForm(uplink.probe) },
  };
}

function policyForm({ policy }: Pick<NodeConfig, 'policy'>): Readonly<Record<string, unknown>> {
  const { loss, regions, recovery, drain } = policy;
  return {
    loss: { good: formatRatio(loss.good), bad: formatRatio(loss.bad) },
    ...limitsForm(policy),
    patience: formatDuration(policy.patienceMillis),
    false_alarms: formatRate(policy.falseAlarmMillis),
    regions: { share: formatRatio(regions.share), weights: Object.fromEntries(regions.weights) },
    recovery: {
      clean: formatDuration(recovery.cleanMillis),
      hold: formatDuration(recovery.holdMillis),
      max_hold: formatDuration(recovery.maxHoldMillis),
      canary: recovery.canary,
    },
    drain: { med: drain.med, prepend: drain.prepend, gshut: drain.gshut },
    tie_families: policy.tieFamilies,
  };
}

function limitsForm({
  latency,
  jitter,
  windowProbes,
}: NodeConfig['policy']): Readonly<Record<string, unknown>> {
  const usual = (baseline: number | undefined) =>
    baseline === undefined ? {} : { baseline: `+${formatRatio(baseline)}` };
  return {
    latency: { bad: formatDuration(latency.badMillis), ...usual(latency.baseline) },
    ...(jitter === undefined
      ? {}
      : {
          jitter: {
            ...(jitter.badMillis === undefined ? {} : { bad: formatDuration(jitter.badMillis) }),
            ...usual(jitter.baseline),
          },
        }),
    ...(windowProbes === undefined ? {} : { rule: 'window', window: windowProbes }),
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

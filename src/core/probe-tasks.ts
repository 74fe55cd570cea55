/**
 * The streams of probes that a config asks for: each target's kinds and each uplink's gateway, in each family; then the
 * edge's origins, through each of their uplinks.
 */
import type { NodeConfig, ProbePolicy, Target, Uplink } from '../types/config.ts';
import type { Origin, OriginProbe } from '../types/edge-config.ts';
import type { ProbeKind, ProbeTask } from '../types/outcome.ts';
import { families, millis, type Family } from '../types/units.ts';

/** HTTP and DNS cost their target more than an echo: they are sent at this multiple of the interval. */
const heavyIntervals = 5;

export function tasksOf(config: NodeConfig): readonly ProbeTask[] {
  let id = 0;
  const ofUplinks = config.uplinks.flatMap((uplink) =>
    uplinkTasks(uplink)
      // net-ping cannot forbid fragments.
      .filter(({ kind }) => kind !== 'mtu' || config.probeEngine === 'icmp-socket'),
  );
  return [...ofUplinks, ...originTasks(config)].map((task) => ({ ...task, id: (id += 1) }));
}

/** One for each uplink, address and port, however many pools have it. */
function originTasks({ edge, uplinks }: NodeConfig): readonly Unnumbered[] {
  if (edge === null) return [];
  const tasks = new Map<string, Unnumbered>();
  for (const origin of edge.pools.flatMap(({ origins }) => origins)) {
    for (const uplink of uplinks.filter(({ name }) => origin.via.includes(name))) {
      const source = uplink.source[origin.family];
      if (source === undefined) continue;
      const key = originName(origin);
      tasks.set(`${uplink.name} ${key}`, originTask(uplink, source, origin, edge.probe));
    }
  }
  return [...tasks.values()];
}

/** `192.0.2.10 443`: how an origin is called in tasks. */
export function originName({ address, port }: Pick<Origin, 'address' | 'port'>): string {
  return `${address} ${port}`;
}

function originTask(
  { name, interface: device }: Uplink,
  source: string,
  origin: Origin,
  { intervalMillis, timeoutMillis }: OriginProbe,
): Unnumbered {
  const { family, address, port } = origin;
  return {
    uplink: name,
    interface: device,
    source,
    family,
    address,
    target: originName(origin),
    region: 'origin',
    class: 'origin',
    kind: 'tcp',
    port,
    intervalMillis,
    timeoutMillis,
  };
}

type Unnumbered = Omit<ProbeTask, 'id'>;

function uplinkTasks(uplink: Uplink): readonly Unnumbered[] {
  return families.flatMap((family) => {
    const source = uplink.source[family];
    if (source === undefined) return [];
    const targets = uplink.targets.filter((target) => target.family === family);
    const gateway = uplink.gateway[family];
    return [
      ...(gateway === undefined ? [] : [gatewayTask(uplink, family, source, gateway)]),
      ...targets.flatMap((target) => targetTasks(uplink, source, target)),
    ];
  });
}

function targetTasks(uplink: Uplink, source: string, target: Target): readonly Unnumbered[] {
  const { name, region, family, address } = target;
  const pace: ProbePolicy = { ...uplink.probe, ...target.probe };
  const task = (kind: ProbeKind, port: number, intervals = 1): Unnumbered => ({
    uplink: uplink.name,
    interface: uplink.interface,
    source,
    family,
    address,
    target: name,
    region,
    class: 'target',
    kind,
    port,
    intervalMillis: millis(pace.intervalMillis * intervals),
    timeoutMillis: pace.timeoutMillis,
  });
  return [
    ...(target.ping ? [task('icmp', 0)] : []),
    ...(target.tcpPort === null ? [] : [task('tcp', target.tcpPort)]),
    ...(target.http === undefined
      ? []
      : [{ ...task('http', target.http.port, heavyIntervals), http: target.http }]),
    ...(target.dns === undefined
      ? []
      : [{ ...task('dns', target.dns.port, heavyIntervals), dns: target.dns }]),
    ...fullSizeTasks(target, pace, task),
  ];
}

function fullSizeTasks(
  target: Target,
  { fullSizeMillis = millis(0) }: ProbePolicy,
  task: (kind: ProbeKind, port: number) => Unnumbered,
): readonly Unnumbered[] {
  if (!target.ping || fullSizeMillis === 0) return [];
  return [{ ...task('mtu', 0), intervalMillis: fullSizeMillis }];
}

function gatewayTask(uplink: Uplink, family: Family, source: string, address: string): Unnumbered {
  return {
    uplink: uplink.name,
    interface: uplink.interface,
    source,
    family,
    address,
    target: 'gateway',
    region: 'gateway',
    class: 'gateway',
    kind: 'icmp',
    port: 0,
    intervalMillis: uplink.probe.intervalMillis,
    timeoutMillis: uplink.probe.timeoutMillis,
  };
}

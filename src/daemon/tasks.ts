/** The streams of probes that a config asks for: each target's kinds and each uplink's gateway, in each family. */
import type { NodeConfig, Target, Uplink } from '../types/config.ts';
import type { ProbeKind, ProbeTask } from '../types/outcome.ts';
import { families, type Family } from '../types/units.ts';

export function tasksOf(config: NodeConfig): readonly ProbeTask[] {
  let id = 0;
  return config.uplinks.flatMap((uplink) => uplinkTasks(uplink).map((task) => ({ ...task, id: (id += 1) })));
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
  const task = (kind: ProbeKind, port: number): Unnumbered => ({
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
    ...uplink.probe,
  });
  return [
    ...(target.ping ? [task('icmp', 0)] : []),
    ...(target.tcpPort === null ? [] : [task('tcp', target.tcpPort)]),
  ];
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
    ...uplink.probe,
  };
}

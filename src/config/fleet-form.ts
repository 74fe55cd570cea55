/** `fleet` as it stands in the file, with every default written out. */
import type { FleetConfig, HostPort } from '../types/fleet-config.ts';
import { formatDuration } from './quantities.ts';

export function fleetForm(fleet: FleetConfig): Readonly<Record<string, unknown>> {
  const { way, user, passwordFile, tls, token } = fleet;
  return {
    ...wayForm(fleet, way),
    ...(user === null ? {} : { user }),
    ...(passwordFile === null ? {} : { password_file: passwordFile }),
    ...(tls === null ? {} : { tls: tls.caFile === null ? {} : { ca_file: tls.caFile } }),
    prefix: fleet.prefix,
    publish: formatDuration(fleet.publishMillis),
    expire: formatDuration(fleet.expireMillis),
    token: {
      life: formatDuration(token.lifeMillis),
      nodes: token.nodes,
      window: formatDuration(token.windowMillis),
    },
    per_site: fleet.perSite,
  };
}

function wayForm({ tls }: FleetConfig, way: FleetConfig['way']): Readonly<Record<string, unknown>> {
  if (way.kind === 'single') {
    return { redis: `${tls === null ? 'redis' : 'rediss'}://${hostPortText(way)}/${way.db}` };
  }
  const { master, nodes, passwordFile } = way;
  const password = passwordFile === null ? {} : { password_file: passwordFile };
  return { sentinel: { master, nodes: nodes.map((node) => hostPortText(node)), ...password } };
}

/** `10.0.0.5:6379`, `[2001:db8::5]:6379`. */
export function hostPortText({ host, port }: HostPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** How a readiness check is called in sentences: `http 127.0.0.1:8080/healthz`. */
import type { ReadyProbe } from '../../types/ready-check.ts';
import { unreachable } from '../../types/unreachable.ts';

/** Without the query of a URL, which may hold a secret. */
export function checkName(probe: ReadyProbe): string {
  switch (probe.kind) {
    case 'http':
      return probe.url.replace(/\?.*$/, '');
    case 'tcp':
      return `tcp ${endpoint(probe.to.host, probe.to.port)}`;
    case 'dns':
      return `dns ${probe.name} ${probe.type} at ${endpoint(probe.server.host, probe.server.port)}`;
    case 'systemd':
      return `unit ${probe.unit}`;
    case 'file':
    case 'file_absent':
      return probe.kind === 'file' ? `file ${probe.path}` : `flag file ${probe.path}`;
    case 'haproxy':
      return `haproxy ${probe.backend}${probe.server === null ? '' : `/${probe.server}`}`;
    case 'address':
      return `address ${probe.address}`;
    default:
      return unreachable(probe);
  }
}

function endpoint(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

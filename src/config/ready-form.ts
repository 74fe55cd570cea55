/** Prints readiness checks in the file's form, every default written out. */
import type { ReadyCheck, ReadyProbe } from '../types/ready-check.ts';
import { unreachable } from '../types/unreachable.ts';
import { formatDuration } from './quantities.ts';
import { formatEndpoint } from './ready-values.ts';

type Form = Readonly<Record<string, unknown>>;

/** The value of `ready`; undefined: the service has no check. */
export function readyForm(checks: readonly ReadyCheck[]): readonly Form[] | undefined {
  return checks.length === 0 ? undefined : checks.map((check) => checkForm(check));
}

function checkForm(check: ReadyCheck): Form {
  return {
    ...probeForm(check.probe),
    interval: formatDuration(check.intervalMillis),
    timeout: formatDuration(check.timeoutMillis),
    rise: check.rise,
    fall: check.fall,
  };
}

function probeForm(probe: ReadyProbe): Form {
  switch (probe.kind) {
    case 'http':
      return {
        http: probe.url,
        ...given('host', probe.host),
        ...given('expect', probe.expect),
        ...given('body', probe.body),
      };
    case 'tcp':
      return { tcp: formatEndpoint(probe.to) };
    case 'dns': {
      const { server, name, type, expect } = probe;
      return { dns: { server: formatEndpoint(server), name, type, ...given('expect', expect) } };
    }
    case 'systemd':
      return { systemd: probe.unit };
    case 'file':
      return { file: probe.path };
    case 'file_absent':
      return { file_absent: probe.path };
    case 'haproxy': {
      const { socket, backend, server, atLeast } = probe;
      return { haproxy: { socket, backend, ...(server === null ? { at_least: atLeast } : { server }) } };
    }
    case 'address':
      return { address: probe.address };
    default:
      return unreachable(probe);
  }
}

function given(key: string, value: unknown): Form {
  return value === null ? {} : { [key]: value };
}

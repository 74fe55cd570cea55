/** One readiness check of any kind, once. */
import type { ReadyKind, ReadyProbe } from '../../types/ready-check.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { unreachable } from '../../types/unreachable.ts';
import { openAddressCheck } from './address.ts';
import { checkDns } from './dns.ts';
import { checkFile } from './file.ts';
import { checkHaproxy } from './haproxy.ts';
import { checkHttp } from './http.ts';
import { checkSystemd } from './systemd.ts';
import { checkTcp } from './tcp.ts';

/** Never rejects for what goes wrong outside. `signal` ends a question; a look at a file cannot be ended. */
export type RunCheck = (probe: ReadyProbe, signal: AbortSignal) => Promise<ReadyOutcome>;

export function openChecks(): RunCheck {
  const checkAddress = openAddressCheck();
  return (probe, signal) => {
    switch (probe.kind) {
      case 'http':
        return checkHttp(probe, signal);
      case 'tcp':
        return checkTcp(probe.to, signal);
      case 'dns':
        return checkDns(probe, signal);
      case 'systemd':
        return checkSystemd(probe.unit, signal);
      case 'file':
        return checkFile(probe.path, 'present');
      case 'file_absent':
        return checkFile(probe.path, 'absent');
      case 'haproxy':
        return checkHaproxy(probe, signal);
      case 'address':
        return checkAddress(probe.address);
      default:
        return unreachable(probe);
    }
  };
}

/**
 * Who is asked. A service that does not answer in time has failed; a machine that does not (systemd, the kernel, a file
 * system) says nothing of the service.
 */
export function asks(kind: ReadyKind): 'service' | 'machine' {
  switch (kind) {
    case 'http':
    case 'tcp':
    case 'dns':
    case 'haproxy':
      return 'service';
    case 'systemd':
    case 'file':
    case 'file_absent':
    case 'address':
      return 'machine';
    default:
      return unreachable(kind);
  }
}

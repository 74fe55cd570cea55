/** A question to be asked over lo, for the prober's engines. */
import type { ProbeKind, ProbeTask } from '../../src/types/outcome.ts';
import { millis } from '../../src/types/units.ts';

/** Asked of a port of 127.0.0.2. */
export function loopbackTask(kind: ProbeKind, port: number, more: Partial<ProbeTask> = {}): ProbeTask {
  return {
    id: 1,
    uplink: 'cmi',
    interface: 'lo',
    source: '127.0.0.1',
    family: 4,
    address: '127.0.0.2',
    target: 'jkt-1',
    region: 'ID',
    class: 'target',
    kind,
    port,
    intervalMillis: millis(20),
    timeoutMillis: millis(400),
    ...more,
  };
}

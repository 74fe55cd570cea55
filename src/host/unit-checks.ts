/** What `causeway doctor` asks systemd about the daemon's unit. */
import { execa } from 'execa';
import { type Check, finding, type Finding } from './doctor.ts';

export const daemonUnit = 'causeway.service';

/** As `systemctl show` prints them. */
const properties = [
  'LoadState',
  'ActiveState',
  'SubState',
  'UnitFileState',
  'Result',
  'NRestarts',
  'WatchdogUSec',
  'LimitNOFILE',
  'MemoryMax',
];

/** Daemon and prober take up to 170 MB. */
const leastMemoryBytes = 256 * 1024 * 1024;
/** Sockets of a few thousand probes, and what HTTP may take. */
const leastFiles = 4096;
const manyRestarts = 5;

export const unitChecks: readonly Check<unknown>[] = [
  { id: 'unit', title: `unit ${daemonUnit}`, run: unitFinding },
];

async function unitFinding(): Promise<Finding> {
  const shown = await execa('systemctl', ['show', daemonUnit, '-p', properties.join(',')], {
    reject: false,
    timeout: 5000,
  });
  if (shown.exitCode !== 0) return { kind: 'skipped', text: 'systemd does not answer (systemctl show)' };
  return judgeUnit(parseUnit(shown.stdout));
}

/** `Name=value` lines. */
export function parseUnit(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at <= 0 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()] as const];
    }),
  );
}

/** The ladder: the first that is wrong is the finding. */
export function judgeUnit(unit: ReadonlyMap<string, string>): Finding {
  const get = (name: string): string => unit.get(name) ?? '';
  if (get('LoadState') !== 'loaded')
    return { kind: 'skipped', text: `systemd does not know ${daemonUnit}: something else starts the daemon` };
  const restarts = Number(get('NRestarts'));
  if (get('ActiveState') === 'failed' || restarts >= manyRestarts)
    return finding('unit-failed', {
      what: `it is ${get('ActiveState')} (${get('Result')}), restarted ${restarts} times`,
      why: 'BIRD goes on as it is, and nothing is decided while the daemon is away',
      mend: `journalctl -u ${daemonUnit} -n 50  # then: systemctl reset-failed ${daemonUnit} && systemctl start ${daemonUnit}`,
    });
  if (['disabled', 'masked', 'masked-runtime'].includes(get('UnitFileState')))
    return finding('unit-off', {
      what: `it is ${get('UnitFileState')}`,
      why: 'after a reboot BIRD comes up as the owned file says, and nothing watches it',
      mend: `systemctl unmask ${daemonUnit} && systemctl enable ${daemonUnit}`,
    });
  return limitFinding(get) ?? { kind: 'ok', text: `${get('ActiveState')}, ${get('UnitFileState')}` };
}

function limitFinding(get: (name: string) => string): Finding | null {
  const edit = `systemctl edit ${daemonUnit}`;
  const watchdog = get('WatchdogUSec');
  if (watchdog === '' || watchdog === '0' || watchdog === 'infinity')
    return finding('unit-watchdog', {
      what: 'WatchdogSec is not set',
      why: 'a daemon that hangs decides nothing and stays; the watchdog is fed by the tick alone',
      mend: `${edit}  # under [Service]: WatchdogSec=10s`,
    });
  const files = Number(get('LimitNOFILE'));
  if (Number.isFinite(files) && files < leastFiles)
    return finding('unit-files', {
      what: `LimitNOFILE is ${files}`,
      why: 'probes that find no file descriptor are not-run, and HTTP clients are turned away',
      mend: `${edit}  # under [Service]: LimitNOFILE=65536`,
    });
  const memory = Number(get('MemoryMax'));
  if (get('MemoryMax') !== '' && Number.isFinite(memory) && memory < leastMemoryBytes)
    return finding('unit-memory', {
      what: `MemoryMax is ${Math.round(memory / 1024 / 1024)} MiB`,
      why: 'the kernel kills daemon or prober when they reach it; they take up to 170 MB',
      mend: `${edit}  # under [Service]: MemoryMax=512M`,
    });
  return null;
}

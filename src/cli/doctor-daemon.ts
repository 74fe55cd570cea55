/** What `causeway doctor` asks the running daemon: whether it answers, and what alarms it has. */
import { type Check, type Finding, finding } from '../host/doctor.ts';
import type { NodeConfig } from '../types/config.ts';
import { statusDocument, type StatusDocument } from '../types/wire/status.ts';
import { type DaemonRead, readFromDaemon } from './daemon-reads.ts';

export interface DaemonContext {
  readonly config: NodeConfig;
  readonly status: DaemonRead<StatusDocument>;
}

const stuckMillis = 5000;
const mostAlarms = 5;

/** Over the control socket, as the other commands do. Never rejects. */
export async function askDaemonOnce(config: NodeConfig): Promise<DaemonRead<StatusDocument>> {
  return readFromDaemon([{ kind: 'socket', path: config.paths.control }], '/v1/status', statusDocument);
}

export const daemonChecks: readonly Check<DaemonContext>[] = [
  { id: 'daemon', title: 'the daemon', run: async (context) => answerFinding(context) },
  { id: 'daemon.alarms', title: 'alarms of the daemon', run: async (context) => alarmsFinding(context) },
];

function answerFinding({ config, status }: DaemonContext): Finding {
  const why =
    'while it is so, nothing is decided here: BIRD stays as it is, and a failed uplink stays announced';
  if (status.kind !== 'answer') {
    const denied = status.text.includes('EACCES');
    return finding('daemon-down', {
      what: status.text.split('\n')[0] ?? status.text,
      why,
      mend: denied
        ? `sudo causeway doctor  # or: usermod -aG "$(stat -c %G ${config.paths.control})" YOU`
        : 'systemctl start causeway  # then: systemctl status causeway; journalctl -u causeway -n 50',
    });
  }
  const { tickAgeMillis, mode } = status.value;
  if (tickAgeMillis < stuckMillis) return { kind: 'ok', text: `it answers; mode ${mode}` };
  return finding('daemon-down', {
    what: `it answers, but its last tick ended ${Math.round(tickAgeMillis / 1000)} s ago`,
    why,
    mend: 'journalctl -u causeway -n 50; systemctl restart causeway  # a restart changes no announcement',
  });
}

function alarmsFinding({ status }: DaemonContext): Finding {
  if (status.kind !== 'answer') return { kind: 'skipped', text: 'the daemon does not answer' };
  const { alarms } = status.value;
  if (alarms.length === 0) return { kind: 'ok', text: 'none' };
  const shown = alarms.slice(0, mostAlarms).map(({ code, text }) => `${code}: ${text}`);
  const more = alarms.length > mostAlarms ? [`and ${alarms.length - mostAlarms} more`] : [];
  return finding('daemon-alarm', {
    what: [...shown, ...more].join('; '),
    why: 'each is something that a person should look at; docs/runbook.md has a section for each',
    mend: 'causeway status  # the alarms with their times; then: causeway explain UPLINK',
  });
}

/** Asks the daemon about one uplink, and says what it answers; or what is known without the daemon. */
import { statusDocument, type StatusDocument } from '../types/wire/status.ts';
import { historyAnswer, type HistoryEntry } from '../types/wire/history.ts';
import { explainAnswer } from '../types/wire/answers.ts';
import type { UplinkExplained } from '../types/wire/explain.ts';
import { adviceFor } from './advice.ts';
import type { DaemonAddress } from './daemon-transport.ts';
import { readFromDaemon, type DaemonRead } from './daemon-reads.ts';
import { exitCode, type ExitCode } from './exit.ts';
import { type Explained, explainText } from './explain-text.ts';
import { knownEntries } from './history-text.ts';
import { unreachableText } from './reading.ts';
import type { TableOptions } from './table.ts';
import { lookWithoutDaemon } from './without-daemon.ts';
import { withoutDaemonText } from './without-daemon-text.ts';

export interface AskedUplink {
  readonly uplink: string;
  /** The config, for what is known without the daemon. */
  readonly file: string;
  readonly addresses: readonly DaemonAddress[];
  readonly token: string | null;
  /** Another machine is asked: what this one knows is of no use. */
  readonly isElsewhere: boolean;
}

export interface Said {
  /** For stdout; empty: nothing. */
  readonly text: string;
  /** For stderr; empty: nothing. */
  readonly complaint: string;
  readonly code: ExitCode;
}

export type Form = 'text' | 'json' | 'json-line';

const entriesShown = 8;

/** Never rejects. */
export async function explainUplink(asked: AskedUplink, form: Form, size: TableOptions): Promise<Said> {
  const { uplink, addresses, token } = asked;
  const path = `/v1/explain/${encodeURIComponent(uplink)}`;
  const explanation = await readFromDaemon(addresses, path, explainAnswer, token);
  if (explanation.kind !== 'answer') return instead(asked, explanation, form, size);
  // All of it from the one that answered.
  const from = [explanation.address];
  const status = await readFromDaemon(from, '/v1/status', statusDocument, token);
  if (status.kind !== 'answer') return instead(asked, status, form, size);
  const found = status.value.uplinks.find((one) => one.uplink === uplink);
  if (found === undefined) return noSuch(status.value);
  const history = await entriesOf(from, uplink, token);
  const explained: Explained = {
    document: status.value,
    uplink: found,
    announcements: explanation.value.announcements,
    history,
    advice: adviceFor(status.value, found),
  };
  return { text: inForm(explained, form, size), complaint: '', code: exitCode.done };
}

function inForm(explained: Explained, form: Form, size: TableOptions): string {
  if (form === 'text') return explainText(explained, size);
  const { uplink, announcements, history, advice } = explained;
  const document: UplinkExplained = {
    schema: 1,
    uplink: uplink.uplink,
    announcements,
    status: uplink,
    history,
    advice,
  };
  return JSON.stringify(document, null, form === 'json' ? 2 : 0);
}

/** An older daemon, or one whose disk fails, still explains the present. */
async function entriesOf(
  addresses: readonly DaemonAddress[],
  uplink: string,
  token: string | null,
): Promise<readonly HistoryEntry[]> {
  const query = new URLSearchParams({ uplink, limit: String(entriesShown) }).toString();
  const read = await readFromDaemon(addresses, `/v1/history?${query}`, historyAnswer, token);
  return read.kind === 'answer' ? knownEntries(read.value.entries).entries : [];
}

function noSuch({ uplinks }: StatusDocument): Said {
  const names = uplinks.map(({ uplink }) => uplink).join(', ');
  return { text: '', complaint: `error: no such uplink here: ${names}`, code: exitCode.usage };
}

async function instead(
  asked: AskedUplink,
  read: Exclude<DaemonRead<unknown>, { kind: 'answer' }>,
  form: Form,
  size: TableOptions,
): Promise<Said> {
  if (read.kind === 'refused') {
    const code = read.status === 404 ? exitCode.usage : exitCode.unreachable;
    return { text: '', complaint: `error: ${read.text}`, code };
  }
  const unreachable = { text: '', complaint: unreachableText(read.text), code: exitCode.unreachable };
  if (asked.isElsewhere) return unreachable;
  const found = await lookWithoutDaemon(asked.file, read.text, asked.uplink);
  const known = [...new Set(found.announcements.map(({ uplink }) => uplink))];
  if (found.node !== null && !known.includes(asked.uplink)) {
    const complaint = `error: no such uplink in ${asked.file}: ${known.join(', ')}`;
    return { text: '', complaint, code: exitCode.usage };
  }
  const text =
    form === 'text'
      ? withoutDaemonText(found, asked.uplink, size)
      : JSON.stringify(found, null, form === 'json' ? 2 : 0);
  return { ...unreachable, text, complaint: 'the daemon cannot be reached' };
}

/**
 * HAProxy's `show stat` (management guide, 9.1): CSV whose first line is `# ` and the names of the columns, which are
 * found by name since versions add columns. Pure.
 */
import type { HaproxyProbe } from '../../types/ready-check.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';

/** What the answer says of the backend or server. An answer that is cut or foreign fails: it is never "no servers". */
export function judgeStat(answer: string, probe: HaproxyProbe): ReadyOutcome {
  const { backend, server, atLeast } = probe;
  const rows = rowsOf(answer);
  if (rows === null) return { kind: 'fail', text: refusalOf(answer, backend) };
  const mine = rows.filter((row) => row.proxy === backend);
  const whole = mine.find((row) => row.service === 'BACKEND');
  if (server !== null) {
    const one = mine.find((row) => row.service === server);
    if (one === undefined) return { kind: 'fail', text: `${backend} has no server ${server}` };
    return { kind: isUp(one.status) ? 'pass' : 'fail', text: `server ${server} is ${word(one.status)}` };
  }
  if (whole === undefined) return { kind: 'fail', text: `there is no backend ${backend}` };
  if (!isUp(whole.status)) return { kind: 'fail', text: `backend ${backend} is ${word(whole.status)}` };
  const servers = mine.filter((row) => row.service !== 'BACKEND' && row.service !== 'FRONTEND');
  const up = servers.filter((row) => isUp(row.status)).length;
  // A backend without servers answers by itself (`http-request return`, a redirect) and is as ready as its status says.
  if (servers.length === 0 && atLeast === 1) return { kind: 'pass', text: 'UP' };
  if (up >= atLeast)
    return { kind: 'pass', text: `UP with at least ${atLeast} of ${servers.length} servers` };
  return { kind: 'fail', text: `${up} of ${servers.length} servers are up, expected ${atLeast}` };
}

interface Row {
  readonly proxy: string;
  readonly service: string;
  readonly status: string;
}

/** null: no answer of `show stat`, or one that was cut. */
function rowsOf(answer: string): readonly Row[] | null {
  const [header, ...records] = recordsOf(answer) ?? [];
  if (header === undefined || !(header[0] ?? '').startsWith('# ')) return null;
  const names = header.map((name, index) => (index === 0 ? name.slice(2) : name));
  const [proxy, service, status] = ['pxname', 'svname', 'status'].map((name) => names.indexOf(name));
  if (proxy === undefined || service === undefined || status === undefined) return null;
  if (proxy < 0 || service < 0 || status < 0) return null;
  const rows: Row[] = [];
  for (const record of records) {
    if (record.length === 1 && record[0] === '') continue;
    if (record.length !== names.length) return null;
    rows.push({ proxy: record[proxy] ?? '', service: record[service] ?? '', status: record[status] ?? '' });
  }
  return rows;
}

/** Fields in quotes may hold commas and line ends; a quote in them is doubled. null: the text ends inside a record. */
function recordsOf(text: string): readonly (readonly string[])[] | null {
  if (!text.endsWith('\n')) return null;
  const records: string[][] = [];
  let [record, field, quoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (quoted && char === '"' && text[at + 1] === '"') {
      field += char;
      at += 1;
    } else if (char === '"') quoted = !quoted;
    else if (quoted || (char !== ',' && char !== '\n')) field += char;
    else {
      record.push(field);
      field = '';
      if (char === '\n') {
        records.push(record);
        record = [];
      }
    }
  }
  return quoted ? null : records;
}

/** `UP 1/3` is on its way down and still used; `no check` is a server that HAProxy does not check and uses. */
function isUp(status: string): boolean {
  return status === 'UP' || status.startsWith('UP ') || status === 'no check';
}

/** Without the counters behind it, which change from one answer to the next. */
function word(status: string): string {
  return status.replace(/ \d+\/\d+$/, '');
}

function refusalOf(answer: string, backend: string): string {
  const line = answer.split('\n').find((one) => one.trim() !== '');
  if (line === undefined) return 'an empty answer';
  if (line.startsWith('No such proxy')) return `there is no backend ${backend}`;
  return line.startsWith('# ') ? 'an answer that is cut' : `not an answer of HAProxy: ${line.slice(0, 60)}`;
}

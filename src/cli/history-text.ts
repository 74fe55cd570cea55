/** Entries of the history as lines for people. Pure. */
import { type HistoryEntry, historyEntry } from '../types/wire/history.ts';
import { unreachable } from '../types/unreachable.ts';
import { cut, paint, type Colour, type TableOptions } from './table.ts';

/** Entries that this version knows, and how many it does not. */
export function knownEntries(values: readonly unknown[]): {
  readonly entries: readonly HistoryEntry[];
  readonly unknown: number;
} {
  const entries = values.flatMap((value) => {
    const parsed = historyEntry.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
  return { entries, unknown: values.length - entries.length };
}

/** `2026-11-30 01:00:07.203  decision   cmi IPv4 web: announce → withdraw: loss 34 % …`; times in UTC. */
export function historyLine(entry: HistoryEntry, options: TableOptions): string {
  const when = entry.at.replace('T', ' ').replace('Z', '');
  const by = entry.author === 'causeway' ? '' : ` (${entry.author})`;
  const line = `${when}  ${entry.kind.padEnd(11)} ${whatOf(entry)}${by}`;
  return paint(cut(line, options.columns), colourOf(entry), options.colour);
}

function whatOf(entry: HistoryEntry): string {
  switch (entry.kind) {
    case 'verdict':
      return `${entry.uplink} IPv${entry.family} ${entry.subject}: ${entry.from} → ${entry.to}: ${entry.text}`;
    case 'decision': {
      const held = entry.guard === null ? '' : ` (held: ${entry.guard})`;
      return `${placeOf(entry)}: ${entry.from} → ${entry.to}${held}: ${entry.text}`;
    }
    case 'read-back':
      return `${placeOf(entry)}: ${entry.from} → ${entry.to}: ${entry.text}`;
    case 'egress':
      return `${entry.uplink} IPv${entry.family}: ${entry.from} → ${entry.to}: ${entry.text}`;
    case 'command':
      return `${entry.command} ${entry.protocol}: ${entry.effect}: ${entry.text}`;
    case 'hand':
      return `${entry.event}: ${entry.protocol}: ${entry.text}`;
    case 'override':
    case 'maintenance':
      return `${entry.event}: ${entry.subject}: ${entry.state}: ${entry.text}${untilOf(entry.expires)}`;
    case 'readiness':
      return `${entry.service}: ${entry.from} → ${entry.to}: ${entry.text}`;
    case 'apply':
      return `${entry.step}: ${entry.effect}: ${entry.text}`;
    case 'file':
      return `${entry.effect}: ${entry.text}`;
    case 'told':
      return `${entry.receiver}: ${entry.effect}: ${entry.text}`;
    case 'alarm':
      return `${entry.event}: ${entry.reason}: ${entry.text}`;
    case 'daemon':
    case 'freeze':
      return `${entry.event}: ${entry.text}`;
    case 'dropped':
      return entry.text;
    default:
      return unreachable(entry);
  }
}

function placeOf(entry: {
  readonly uplink: string;
  readonly family: number;
  readonly service: string;
}): string {
  return `${entry.uplink} IPv${entry.family} ${entry.service}`;
}

function untilOf(expires: string | null): string {
  return expires === null ? ', no expiry' : `, until ${expires}`;
}

function colourOf(entry: HistoryEntry): Colour | null {
  switch (entry.kind) {
    case 'alarm':
      return entry.event === 'raised' ? 'red' : 'green';
    case 'verdict':
      return entry.to === 'failed' ? 'red' : entry.to === 'healthy' ? 'green' : 'yellow';
    case 'decision':
      return entry.to === 'withdraw' ? 'red' : entry.to === 'drain' ? 'yellow' : 'green';
    case 'read-back':
      return entry.agrees ? null : 'yellow';
    case 'dropped':
      return 'red';
    case 'hand':
    case 'override':
    case 'freeze':
    case 'maintenance':
      return 'yellow';
    default:
      return 'dim';
  }
}

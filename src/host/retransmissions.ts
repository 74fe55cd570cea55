/**
 * What the kernel sent again of real TCP traffic, by the source address that it is bound to: fetches from origins over one
 * uplink, and the BGP session itself. From `ss -ti` (tcp_info: bytes_sent, bytes_retrans). It is evidence beside the
 * probes and decides nothing: there may be no such traffic, and what is lost of it may be lost anywhere beyond.
 */
import { execa } from 'execa';

export interface SentCount {
  readonly sent: number;
  readonly retransmitted: number;
}

export interface Retransmissions {
  /** Bytes of the last minute; null: less than a few packets, or nothing can be read. */
  share(source: string): SentCount | null;
  /** Reads all sockets; call it every few seconds. Never rejects. */
  sample(): Promise<void>;
}

/** Less says nothing about a path. */
const leastBytes = 10_000;
/** More sockets than this fill are not read: the figures are then unknown. */
const mostBytes = 4 * 1024 * 1024;

export type RunSs = (argv: readonly string[]) => Promise<string>;

/** `samples`: how many make up a minute. */
export function watchRetransmissions(
  sources: readonly string[],
  samples: number,
  run: RunSs = runSs,
): Retransmissions {
  let before: ReadonlyMap<string, SentCount> | null = null;
  let recent: readonly ReadonlyMap<string, SentCount>[] = [];
  return {
    share(source) {
      const sum = recent.reduce((all, one) => added(all, one.get(source) ?? none), none);
      return sum.sent < leastBytes ? null : sum;
    },
    async sample() {
      if (sources.length === 0) return;
      try {
        const now = readSockets(await run(argvOf(sources)));
        if (before !== null) recent = [...recent, bySource(before, now)].slice(-samples);
        before = now;
      } catch {
        before = null;
        recent = [];
      }
    },
  };
}

const none: SentCount = { sent: 0, retransmitted: 0 };

function added(a: SentCount, b: SentCount): SentCount {
  return { sent: a.sent + b.sent, retransmitted: a.retransmitted + b.retransmitted };
}

/** The kernel filters by the sources, so that other sockets cost nothing here. */
function argvOf(sources: readonly string[]): readonly string[] {
  const filter = sources.map((source) => `src ${source.includes(':') ? `[${source}]` : source}`).join(' or ');
  return ['ss', '-tinHO', 'state', 'established', `( ${filter} )`];
}

async function runSs([program = 'ss', ...args]: readonly string[]): Promise<string> {
  const { stdout } = await execa(program, args, { timeout: 2000, maxBuffer: mostBytes });
  return stdout;
}

/** By `local peer`, each with its port. */
export function readSockets(text: string): ReadonlyMap<string, SentCount> {
  const found = new Map<string, SentCount>();
  for (const line of text.split('\n')) {
    const match = /^\s*\d+\s+\d+\s+(\S+:\d+)\s+(\S+:\d+)\s(.*)$/.exec(line);
    if (match === null) continue;
    const [, local = '', peer = '', info = ''] = match;
    const count = (name: string): number => Number(new RegExp(`\\b${name}:(\\d+)`).exec(info)?.[1] ?? 0);
    found.set(`${local} ${peer}`, { sent: count('bytes_sent'), retransmitted: count('bytes_retrans') });
  }
  return found;
}

/** What each source sent between two looks; a socket that came meanwhile counts whole, one that went not at all. */
function bySource(
  before: ReadonlyMap<string, SentCount>,
  now: ReadonlyMap<string, SentCount>,
): ReadonlyMap<string, SentCount> {
  const sums = new Map<string, SentCount>();
  for (const [key, count] of now) {
    const last = before.get(key) ?? none;
    // The same pair of ports again, in a new connection.
    const isNew = count.sent < last.sent || count.retransmitted < last.retransmitted;
    const from = isNew ? none : last;
    const source = sourceOf(key);
    const more = { sent: count.sent - from.sent, retransmitted: count.retransmitted - from.retransmitted };
    sums.set(source, added(sums.get(source) ?? none, more));
  }
  return sums;
}

/** `10.0.0.2:179`, `[2001:db8::2]:179`, `10.0.0.2%eth1:179`. */
function sourceOf(key: string): string {
  const local = key.slice(0, key.indexOf(' '));
  return local
    .slice(0, local.lastIndexOf(':'))
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '');
}

/** What happened, in order: faults of the lab, words of the daemon's log, and what the carriers heard on the wire. */
import type { CarrierName } from '../network/names.ts';
import type { Lab } from '../node/lab.ts';
import { nodeFiles } from '../node/config.ts';
import { followWire, isServiceEvent, tailFile, type WireEvent, type WireLog } from '../carrier/wire-log.ts';
import type { Family } from '../../src/types/units.ts';

export type EntryKind =
  | 'fault'
  | 'mended'
  | 'step'
  | 'health'
  | 'wish'
  | 'command'
  | 'operator'
  | 'hand'
  | 'carrier';

export interface TimelineEntry {
  /** Wall time in ms. */
  readonly at: number;
  readonly kind: EntryKind;
  readonly text: string;
}

export interface Timeline {
  /** Writes down that the lab does something now. */
  mark(kind: EntryKind, text: string): void;
  /** Everything so far, in the order of time. */
  entries(): readonly TimelineEntry[];
  /** What the carriers heard since the timeline began. */
  wire(): readonly WireEvent[];
  stop(): void;
}

/** `wire`: what the carriers hear of this node, where somebody follows it already; it is stopped with the timeline. */
export function startTimeline(lab: Lab, wire: WireLog = followWire(lab.network)): Timeline {
  const marks: TimelineEntry[] = [];
  const told: TimelineEntry[] = [];
  const log = tailFile(nodeFiles(lab.network).daemonLog, true);
  return {
    mark(kind, text) {
      marks.push({ at: Date.now(), kind, text });
    },
    entries() {
      for (const line of log.lines()) {
        const entry = readDaemonLine(line);
        if (entry !== null) told.push(entry);
      }
      const heard = wire
        .events()
        .map((event) => ({ at: event.at, kind: 'carrier' as const, text: wireText(event) }));
      return [...marks, ...told, ...heard].sort((a, b) => a.at - b.at);
    },
    wire: () => wire.events(),
    stop() {
      wire.stop();
      log.close();
    },
  };
}

/** What an UPDATE or a session change means for the service, in the words of the design. */
export type WireWord = 'announce' | 'drain' | 'withdraw' | 'session-down' | 'session-up';

/** The sequence of words that one carrier heard in one family. */
export function wireWords(
  events: readonly WireEvent[],
  carrier: CarrierName,
  family: Family,
): readonly WireWord[] {
  return events
    .filter((event) => event.carrier === carrier && event.family === family)
    .map((event) => wordOf(event));
}

function wordOf(event: WireEvent): WireWord {
  switch (event.kind) {
    case 'announced':
      return event.communities.includes('65535:0') ? 'drain' : 'announce';
    case 'withdrawn':
      return 'withdraw';
    case 'session':
      return event.up ? 'session-up' : 'session-down';
  }
}

function wireText(event: WireEvent): string {
  const where = `${event.carrier} IPv${event.family}`;
  const foreign =
    isServiceEvent(event) || event.kind === 'session' ? '' : ` (${event.prefix}: not the service's)`;
  switch (event.kind) {
    case 'announced': {
      const communities = event.communities.length === 0 ? '' : `, ${event.communities.join(' ')}`;
      return `${where} hears the route: MED ${event.med}, path ${event.path.join(' ')}${communities}${foreign}`;
    }
    case 'withdrawn':
      return `${where} route gone${foreign}`;
    case 'session':
      return `${where} session ${event.up ? 'up' : 'down'}`;
  }
}

/** The lines of the daemon's log that tell of changes; null for all others. */
function readDaemonLine(line: string): TimelineEntry | null {
  if (!line.startsWith('{')) return null;
  const record = JSON.parse(line) as Record<string, unknown>;
  const at = Number(record['time']);
  const word = (key: string) => {
    const value = record[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const where = `${word('uplink')} IPv${word('family')}`;
  switch (record['msg']) {
    case 'health changed':
      if (word('subject').startsWith('target')) return null;
      return {
        at,
        kind: 'health',
        text: `${where} ${word('subject')}: ${word('from')} → ${word('to')} (${word('text')})`,
      };
    case 'wish changed':
      return { at, kind: 'wish', text: `${where} ${word('from')} → ${word('to')} (${word('text')})` };
    case 'command sent':
      return {
        at,
        kind: 'command',
        text: `${word('command')} ${word('protocol')} "${word('reason')}": ${word('effect')}`,
      };
    case 'wish frozen':
    case 'wish thawed':
    case 'override set':
    case 'override released':
    case 'override expired':
    case 'maintenance begins':
    case 'maintenance ends':
      return { at, kind: 'operator', text: `${word('msg')} (${word('author')}: ${word('text')})` };
    case 'a hand in BIRD is adopted as an override':
      return { at, kind: 'hand', text: `${word('protocol')} adopted: ${word('reason')}` };
    case 'a hand in BIRD ended an override':
      return { at, kind: 'hand', text: `${word('protocol')} released` };
    default:
      return null;
  }
}

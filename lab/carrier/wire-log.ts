/**
 * Follows the carriers' BIRD logs: every route heard, withdrawn, and every session change, with BIRD's own time in ms.
 * Nothing between two looks can be missed, as it could by asking for the table again and again.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { families, type Family } from '../../src/types/units.ts';
import { service } from '../network/addresses.ts';
import { carrierNames, type CarrierName } from '../network/names.ts';
import type { Network } from '../network/network.ts';
import { heardMark, loneName } from './config.ts';
import { asNumbers, communityTexts } from './replies.ts';
import { carrierFiles } from './router.ts';

interface Heard {
  readonly at: number;
  readonly carrier: CarrierName;
  /** The neighbour it came from: `node` in the lab with one node. */
  readonly node: string;
  readonly family: Family;
}

export type WireEvent =
  | (Heard & {
      readonly kind: 'announced';
      readonly prefix: string;
      readonly med: number | null;
      readonly path: readonly number[];
      readonly communities: readonly string[];
    })
  | (Heard & { readonly kind: 'withdrawn'; readonly prefix: string })
  | (Heard & { readonly kind: 'session'; readonly up: boolean });

export interface WireLog {
  /** All events so far, in order of their time; `at` is wall time in ms. */
  events(): readonly WireEvent[];
  stop(): void;
}

/** Follows from now on; looks every 15 ms. */
export function followWire(network: Network): WireLog {
  const events: WireEvent[] = [];
  const tails = carrierNames.map((carrier) => ({
    carrier,
    tail: tailFile(carrierFiles(network, carrier).log, true),
  }));
  const look = () => {
    let added = false;
    for (const { carrier, tail } of tails) {
      for (const line of tail.lines()) {
        const event = readWireLine(carrier, line);
        if (event === null || repeats(events, event)) continue;
        events.push(event);
        added = true;
      }
    }
    if (added) events.sort((a, b) => a.at - b.at);
  };
  const timer = setInterval(look, 15);
  return {
    events() {
      look();
      return events;
    },
    stop() {
      clearInterval(timer);
      for (const { tail } of tails) tail.close();
    },
  };
}

/** BIRD takes a session down in several steps, each with a line; one event is enough. */
function repeats(events: readonly WireEvent[], event: WireEvent): boolean {
  if (event.kind !== 'session') return false;
  const { carrier, node, family } = event;
  const last = events.findLast(
    (one) => one.kind === 'session' && one.carrier === carrier && one.node === node && one.family === family,
  );
  return last?.kind === 'session' && last.up === event.up;
}

const stamp = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d+) <\w+> (.*)$/;

/** One line of a carrier's log; null: nothing that the lab watches. */
export function readWireLine(carrier: CarrierName, line: string): WireEvent | null {
  const match = stamp.exec(line);
  if (match === null) return null;
  const at = new Date(`${match[1]}T${match[2]}`).getTime();
  const text = match[3] ?? '';
  return readHeard(carrier, at, text) ?? readWithdrawn(carrier, at, text) ?? readState(carrier, at, text);
}

function readHeard(carrier: CarrierName, at: number, text: string): WireEvent | null {
  const mark = `${heardMark} (?:(\\w+) )?`;
  const match = new RegExp(`${mark}(\\S+) med (\\S+) path (.*?) communities (.*)$`).exec(text);
  if (match === null) return null;
  const prefix = match[2] ?? '';
  const med = match[3] ?? '';
  return {
    kind: 'announced',
    at,
    carrier,
    node: match[1] ?? loneName,
    family: prefix.includes(':') ? 6 : 4,
    prefix,
    med: /^\d+$/.test(med) ? Number(med) : null,
    path: asNumbers(match[4] ?? ''),
    communities: communityTexts(match[5] ?? ''),
  };
}

/** Only a withdrawal is logged as removed on the way in (`>`); of a lost session BIRD flushes without a word. */
function readWithdrawn(carrier: CarrierName, at: number, text: string): WireEvent | null {
  const match = /^([a-z]+(?:\d_)?)([46])(?:\.ipv[46])? > removed (?:\[[^\]]*\] )?(\S+)/.exec(text);
  if (match === null) return null;
  return { kind: 'withdrawn', at, carrier, ...sessionNamed(match), prefix: match[3] ?? '' };
}

function readState(carrier: CarrierName, at: number, text: string): WireEvent | null {
  const match = /^([a-z]+(?:\d_)?)([46]): State changed to (up|stop|down|flush|start)/.exec(text);
  if (match === null) return null;
  return { kind: 'session', at, carrier, ...sessionNamed(match), up: match[3] === 'up' };
}

/** Of the name of a session, `node4` or `hk1_4`, taken apart. */
function sessionNamed(match: RegExpExecArray): { readonly node: string; readonly family: Family } {
  return { node: (match[1] ?? '').replace('_', ''), family: match[2] === '6' ? 6 : 4 };
}

/** Whether an event is about the service's own prefix. */
export function isServiceEvent(event: WireEvent): boolean {
  return event.kind !== 'session' && families.some((family) => service.prefix[family] === event.prefix);
}

export interface Tail {
  /** Whole lines that were added since the last call. */
  lines(): readonly string[];
  close(): void;
}

/** Follows a file that may not exist yet; from its present end, or from its beginning. */
export function tailFile(path: string, fromEnd: boolean): Tail {
  let descriptor: number | null = null;
  let position = 0;
  let rest = '';
  const chunk = Buffer.alloc(65_536);
  const open = () => {
    try {
      descriptor = openSync(path, 'r');
    } catch {
      descriptor = null;
    }
  };
  const read = (): string => {
    let text = '';
    if (descriptor === null) open();
    if (descriptor === null) return text;
    for (;;) {
      const length = readSync(descriptor, chunk, 0, chunk.length, position);
      if (length === 0) return text;
      position += length;
      text += chunk.toString('utf8', 0, length);
    }
  };
  if (fromEnd) rest = read().split('\n').at(-1) ?? '';
  return {
    lines() {
      const lines = (rest + read()).split('\n');
      rest = lines.pop() ?? '';
      return lines;
    },
    close() {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

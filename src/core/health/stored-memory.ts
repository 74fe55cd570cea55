/** The form of a checkpoint: one line of version, length and check sum, then JSON. Damaged text is never half-used. */
import type { NotRunReason, ProbeKind } from '../../types/outcome.ts';
import type { HealthReason, HealthState } from '../../types/wire/enums.ts';
import { type CellRing, baseOf, slotOf } from './cell-ring.ts';
import { rttSlots } from './rtt-histogram.ts';

export interface StoredMemory {
  readonly at: number;
  readonly cellMillis: number;
  readonly groups: readonly StoredGroup[];
}

export interface StoredGroup {
  readonly uplink: string;
  readonly family: number;
  readonly likeness: string;
  readonly nextClose: number;
  /** The cell that each stream's counts begin with. */
  readonly firstCell: number;
  readonly streams: readonly StoredStream[];
  readonly rtts: readonly (readonly [cell: number, characters: string])[];
  readonly leftOut: { readonly loss: string; readonly slow: string };
  readonly subjects: readonly StoredSubject[];
}

export interface StoredStream {
  readonly name: string;
  readonly address: string;
  readonly class: string;
  readonly plannedAt: number;
  readonly lastCountedAt: number | null;
  readonly lastNotRunAt: number | null;
  readonly lastNotRunWhy: NotRunReason | null;
  readonly countsFromLoss: number;
  readonly countsFromSlow: number;
  readonly cells: StoredCells;
  /** Cells, usual round trip and jitter, and the sums of the open cells. */
  readonly trips: readonly number[];
  readonly last: readonly (readonly [ProbeKind, number, number])[];
  readonly full: readonly [passed: boolean, lostInRow: number, at: number];
  /** ICMP answered and lost, TCP answered and lost. */
  readonly kinds: readonly [number, number, number, number];
}

/** Counts of successive cells: answered, lost, slow, not run. */
export type StoredCells = readonly [string, string, string, string];

export interface StoredSubject {
  readonly who: string;
  readonly failedBy: 'loss' | 'regions' | 'link-down';
  readonly slowBy: 'latency' | 'jitter';
  readonly observedFrom: number | null;
  readonly observedTo: number;
  readonly failedBefore: boolean;
  readonly why: { readonly loss: string; readonly slow: string };
  readonly shown: {
    readonly health: HealthState;
    readonly reason: HealthReason;
    readonly text: string;
    readonly since: number;
  };
  readonly loss: StoredTest;
  readonly slow: StoredTest;
}

export interface StoredTest {
  readonly bad: boolean;
  readonly badFrom: number;
  readonly pools: readonly (readonly [
    score: number,
    calm: number,
    cleanFrom: number,
    counted: number,
    bad: number,
    risingFrom: number,
    countedTo: number,
  ])[];
}

/** The character of a count of 0; the greatest count stays below the surrogates. */
const zeroCode = 35;
/** Raise it with every change of the form: another version's checkpoint is refused. */
const title = 'causeway-health-2';

/** The body with its head line. */
export function sealed(body: string): string {
  return `${title} ${body.length} ${checkSum(body)}\n${body}`;
}

/** What was sealed; null where the text is cut, changed or of another version. */
export function unsealed(text: string): StoredMemory | null {
  const end = text.indexOf('\n');
  if (end < 0) return null;
  const body = text.slice(end + 1);
  if (text.slice(0, end) !== `${title} ${body.length} ${checkSum(body)}`) return null;
  // The sum fits, so this program wrote it, in this version's form.
  return JSON.parse(body) as StoredMemory;
}

/** A stream's counts from the first cell of the window to the last open one, a character each; zeros at the end left off. */
export function storedCells(ring: CellRing, stream: number): StoredCells {
  const first = firstKept(ring);
  const characters = (counts: Uint16Array) => {
    const codes: number[] = [];
    let filled = 0;
    for (let cell = first; cell < ring.nextClose + ring.openCells; cell += 1) {
      const value = counts[baseOf(ring, cell) + stream] ?? 0;
      codes.push(value + zeroCode);
      if (value > 0) filled = codes.length;
    }
    return String.fromCharCode(...codes.slice(0, filled));
  };
  return [characters(ring.answered), characters(ring.lost), characters(ring.slow), characters(ring.notRun)];
}

/** Puts a stream's counts into an empty ring; cells that it does not keep are dropped. */
export function takeCells(ring: CellRing, stream: number, own: StoredGroup, cells: StoredCells): void {
  [ring.answered, ring.lost, ring.slow, ring.notRun].forEach((counts, series) => {
    const characters = cells[series] ?? '';
    for (let index = 0; index < characters.length; index += 1) {
      const cell = own.firstCell + index;
      if (!keeps(ring, cell)) continue;
      counts[baseOf(ring, cell) + stream] = characters.charCodeAt(index) - zeroCode;
    }
  });
}

/** The round trips of the cells that have any: stream and bin, a character each, in an order of their own. */
export function storedRtts(ring: CellRing): StoredGroup['rtts'] {
  const cells: [number, string][] = [];
  for (let cell = firstKept(ring); cell < ring.nextClose + ring.openCells; cell += 1) {
    const packed = ring.rtts[slotOf(ring, cell)] ?? [];
    if (packed.length === 0) continue;
    let characters = '';
    for (const one of Uint32Array.from(packed).sort()) {
      characters += String.fromCharCode(Math.floor(one / rttSlots) + zeroCode, (one % rttSlots) + zeroCode);
    }
    cells.push([cell, characters]);
  }
  return cells;
}

/** Puts the round trips back; `places`: where each stored stream stands now, -1: nowhere. */
export function takeRtts(ring: CellRing, own: StoredGroup, places: readonly number[]): void {
  for (const [cell, characters] of own.rtts) {
    if (!keeps(ring, cell)) continue;
    const packed: number[] = [];
    for (let index = 0; index < characters.length; index += 2) {
      const place = places[characters.charCodeAt(index) - zeroCode] ?? -1;
      if (place >= 0) packed.push(place * rttSlots + characters.charCodeAt(index + 1) - zeroCode);
    }
    ring.rtts[slotOf(ring, cell)] = packed;
  }
}

function firstKept(ring: CellRing): number {
  return Math.max(0, ring.nextClose - ring.windowCells);
}

function keeps(ring: CellRing, cell: number): boolean {
  return cell >= firstKept(ring) && cell < ring.nextClose + ring.openCells;
}

/** FNV-1a of 32 bits over UTF-16 units: against cut and garbled text, not against malice. */
function checkSum(text: string): string {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  }
  return (sum >>> 0).toString(16);
}

/**
 * A recording as bytes, version 1 (docs/history.md has the table). One head, then for each tick its facts where they
 * differ from the tick before, its times and samples, and its wish where that differs.
 *
 * A sample takes 4 to 5 bytes. Its time of sending is cut to 0.1 ms, its round trip is rounded up to 0.01 ms: neither
 * moves it into another cell, or from slow to not slow, since cells and limits are whole milliseconds.
 */
import { notRunReasons, type NotRunReason, type Sample } from '../../types/outcome.ts';
import { instant, millis } from '../../types/units.ts';
import { BadRecording, ByteReader, ByteWriter } from './bytes.ts';
import {
  type DecideFacts,
  packed,
  type RecordedTick,
  type RecordedWish,
  type RecordingHead,
  unpacked,
} from './recording.ts';

const tags = { head: 1, facts: 2, tick: 3, happened: 4 } as const;
const outcomes = { answered: 0, lost: 1, notRun: 2 } as const;
const sentPerMilli = 10;
const rttPerMilli = 100;

/** Writes one recording; `take` gives the bytes since the last call, which always end with a whole tick. */
export class RecordingWriter {
  readonly #bytes = new ByteWriter();
  /** By the name of each fact, as it was written last. */
  readonly #facts = new Map<string, string>();
  #happened = '';

  constructor(head: Omit<RecordingHead, 'schema' | 'notRunReasons'>) {
    this.#bytes.byte(tags.head);
    this.#bytes.text(packed({ schema: 1, ...head, notRunReasons }));
  }

  get waitingBytes(): number {
    return this.#bytes.length;
  }

  tick(tick: RecordedTick): void {
    const changed = Object.entries({ links: tick.links, ...tick.facts }).filter((fact) => this.#isNew(fact));
    if (changed.length > 0) this.#text(tags.facts, packed(Object.fromEntries(changed)));
    const happened = packed(tick.happened);
    if (happened !== this.#happened) this.#text(tags.happened, (this.#happened = happened));
    this.#bytes.byte(tags.tick);
    this.#bytes.exact(tick.judgedAt);
    this.#bytes.exact(tick.decidedAt);
    this.#bytes.byte(tick.reportedAt === null ? 0 : 1);
    if (tick.reportedAt !== null) this.#bytes.exact(tick.reportedAt);
    this.#samples(tick.samples, Math.floor(tick.judgedAt * sentPerMilli));
  }

  take(): Uint8Array {
    return this.#bytes.take();
  }

  #isNew([name, value]: readonly [string, unknown]): boolean {
    const text = packed(value);
    if (this.#facts.get(name) === text) return false;
    this.#facts.set(name, text);
    return true;
  }

  #text(tag: number, text: string): void {
    this.#bytes.byte(tag);
    this.#bytes.text(text);
  }

  #samples(samples: readonly Sample[], start: number): void {
    const bytes = this.#bytes;
    bytes.whole(samples.length);
    let before = start;
    for (const { task, sentAt, outcome } of samples.toSorted((a, b) => a.sentAt - b.sentAt)) {
      const sent = Math.floor(sentAt * sentPerMilli);
      bytes.signed(sent - before);
      before = sent;
      switch (outcome.kind) {
        case 'answered':
          bytes.whole(4 * task + outcomes.answered);
          bytes.whole(Math.ceil(outcome.rttMillis * rttPerMilli));
          break;
        case 'lost':
          bytes.whole(4 * task + outcomes.lost);
          break;
        case 'not-run':
          bytes.whole(4 * task + outcomes.notRun);
          bytes.byte(notRunReasons.indexOf(outcome.why));
          break;
      }
    }
  }
}

/** Reads the head, which is at the very beginning. Throws BadRecording. */
export function readHead(bytes: Uint8Array): { readonly head: RecordingHead; readonly rest: ByteReader } {
  const rest = new ByteReader(bytes);
  if (rest.byte() !== tags.head) throw new BadRecording('this does not begin like a recording');
  const head = unpacked(rest.text());
  if (!isHead(head)) throw new BadRecording('this is not a recording of version 1');
  return { head, rest };
}

/** The ticks of a recording whose head was read; `more` gives further bytes, each of which ends with a whole tick. */
export function* readTicks(
  head: RecordingHead,
  rest: ByteReader,
  more: Iterable<Uint8Array> = [],
): Generator<RecordedTick> {
  const kept: Kept = { facts: null, happened: [] };
  for (const reader of readersOf(rest, more)) {
    while (!reader.done) {
      const tag = reader.byte();
      switch (tag) {
        case tags.facts:
          kept.facts = { ...kept.facts, ...factsIn(reader.text()) };
          break;
        case tags.happened:
          // The writer above made it; its version stands in the head.
          kept.happened = unpacked(reader.text()) as readonly RecordedWish[];
          break;
        case tags.tick:
          yield tickIn(reader, head.notRunReasons, kept);
          break;
        default:
          throw new BadRecording(`a record of a kind that this version does not know (${tag})`);
      }
    }
  }
}

type Facts = DecideFacts & Pick<RecordedTick, 'links'>;

/** What holds until it is written again. */
interface Kept {
  facts: Facts | null;
  happened: readonly RecordedWish[];
}

function* readersOf(rest: ByteReader, more: Iterable<Uint8Array>): Generator<ByteReader> {
  yield rest;
  for (const bytes of more) yield new ByteReader(bytes);
}

function tickIn(reader: ByteReader, reasons: readonly NotRunReason[], kept: Kept): RecordedTick {
  if (kept.facts === null) throw new BadRecording('a tick without facts');
  const judgedAt = instant(reader.exact());
  const decidedAt = instant(reader.exact());
  const reportedAt = reader.byte() === 0 ? null : instant(reader.exact());
  const samples: Sample[] = [];
  let sent = Math.floor(judgedAt * sentPerMilli);
  for (let left = reader.whole(); left > 0; left -= 1) {
    sent += reader.signed();
    samples.push(sampleIn(reader, sent / sentPerMilli, reasons));
  }
  const { links, ...facts } = kept.facts;
  return { judgedAt, decidedAt, reportedAt, samples, links, facts, happened: kept.happened };
}

function sampleIn(reader: ByteReader, sentAt: number, reasons: readonly NotRunReason[]): Sample {
  const word = reader.whole();
  const task = Math.floor(word / 4);
  switch (word % 4) {
    case outcomes.answered: {
      const rttMillis = millis(reader.whole() / rttPerMilli);
      return { task, sentAt: instant(sentAt), outcome: { kind: 'answered', rttMillis } };
    }
    case outcomes.lost:
      return { task, sentAt: instant(sentAt), outcome: { kind: 'lost' } };
    case outcomes.notRun: {
      const why = reasons[reader.byte()];
      if (why === undefined) throw new BadRecording('a reason that the head does not name');
      return { task, sentAt: instant(sentAt), outcome: { kind: 'not-run', why } };
    }
    default:
      throw new BadRecording('an outcome of a kind that this version does not know');
  }
}

/** The first record has all of them, later ones those that differ. */
function factsIn(text: string): Facts {
  // As above: written by the writer of this version.
  return unpacked(text) as Facts;
}

function isHead(value: unknown): value is RecordingHead {
  return (
    typeof value === 'object' &&
    value !== null &&
    'schema' in value &&
    value.schema === 1 &&
    'config' in value &&
    typeof value.config === 'string' &&
    'tasks' in value &&
    Array.isArray(value.tasks)
  );
}

/**
 * Records what each tick was given and what it wished, for `causeway replay`. Without a sink it does nothing; with one
 * it costs the tick the writing of some hundred bytes, and compresses beside it.
 */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { factsOf, recordedWish, type RecordingHead } from '../core/replay/recording.ts';
import { RecordingWriter } from '../core/replay/codec.ts';
import { checkpoint } from '../core/health/checkpoint.ts';
import type { DecideInput } from '../core/decide/decide.ts';
import { framed } from '../store/blocks.ts';
import { recordingFirstLine, type RecordingSink, type RecordingSource } from '../types/recording.ts';
import type { ProbeTask } from '../types/outcome.ts';
import { elapsed, instant, type Instant } from '../types/units.ts';
import type { Wish } from '../types/wish.ts';
import type { JudgedInput, MemoriesBefore, TickWitness } from './tick-witness.ts';

const compress = promisify(deflate);
/** Gathered bytes that are put at once, however short the time. */
const gatherBytes = 64 * 1024;
/** Blocks that wait for the compressor; more: the machine cannot keep up, and the recording begins anew. */
const waitingBlocks = 16;

export interface RecorderOptions {
  readonly node: string;
  /** The effective config as YAML, and its streams of probes; asked at the head of each recording. */
  readonly setup: () => { readonly config: string; readonly tasks: readonly ProbeTask[] };
  readonly wallTime: () => string;
}

export interface Recorder extends TickWitness, RecordingSource {
  /** The config has changed: each recording begins anew. */
  changed(): void;
}

export function startRecorder(options: RecorderOptions): Recorder {
  return new Recording(options);
}

/** One recording that is being made. */
interface Open {
  readonly sink: RecordingSink;
  /** null: the next tick begins it with a head. */
  writer: RecordingWriter | null;
  putAt: Instant;
  waiting: number;
  work: Promise<void>;
}

class Recording implements Recorder {
  readonly #options: RecorderOptions;
  readonly #open = new Set<Open>();
  #judging: { readonly input: JudgedInput; readonly at: Instant } | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  record(sink: RecordingSink): () => Promise<void> {
    const open: Open = { sink, writer: null, putAt: instant(0), waiting: 0, work: Promise.resolve() };
    this.#open.add(open);
    return async () => {
      this.#open.delete(open);
      if (open.writer !== null) this.#put(open, open.writer);
      await open.work;
    };
  }

  changed(): void {
    for (const open of this.#open) open.writer = null;
  }

  judging(before: MemoriesBefore, input: JudgedInput, at: Instant): void {
    this.#judging = { input, at };
    for (const open of this.#open) {
      if (open.writer !== null) continue;
      open.writer = new RecordingWriter(this.#head(before, at));
      open.putAt = at;
      this.#send(open, Promise.resolve(Buffer.from(recordingFirstLine)), true);
    }
  }

  decided(asked: DecideInput, wish: Wish): void {
    const judging = this.#judging;
    if (judging === null || this.#open.size === 0) return;
    const { samples, reportedAt, links } = judging.input;
    const times = { judgedAt: judging.at, decidedAt: asked.now, reportedAt };
    const tick = { ...times, samples, links, facts: factsOf(asked), happened: recordedWish(wish) };
    for (const open of this.#open) {
      const { writer } = open;
      if (writer === null) continue;
      writer.tick(tick);
      const due = elapsed(open.putAt, judging.at) >= open.sink.gatherMillis;
      if (!due && writer.waitingBytes < gatherBytes) continue;
      open.putAt = judging.at;
      this.#put(open, writer);
    }
  }

  #put(open: Open, writer: RecordingWriter): void {
    if (open.waiting >= waitingBlocks) {
      open.writer = null;
      return;
    }
    const bytes = writer.take();
    if (bytes.length > 0) this.#send(open, compress(bytes).then(framed), false);
  }

  /** In the order of the calls, whichever is compressed first. */
  #send(open: Open, bytes: Promise<Uint8Array>, begins: boolean): void {
    open.waiting += 1;
    open.work = this.#after(open.work, open, bytes, begins, open.writer);
  }

  async #after(
    before: Promise<void>,
    open: Open,
    bytes: Promise<Uint8Array>,
    begins: boolean,
    writer: RecordingWriter | null,
  ): Promise<void> {
    await before;
    const told = open.sink.put(await bytes, begins);
    open.waiting -= 1;
    if (told === 'over') this.#open.delete(open);
    // Bytes of one that has been replaced meanwhile do not end its successor.
    if (told === 'anew' && open.writer === writer) open.writer = null;
  }

  #head({ health, decide }: MemoriesBefore, at: Instant): Omit<RecordingHead, 'schema' | 'notRunReasons'> {
    const { node, setup, wallTime } = this.#options;
    return {
      ...setup(),
      node,
      wallAt: new Date(Date.parse(wallTime()) - elapsed(health.now, at)).toISOString(),
      monotonicAt: health.now,
      health: checkpoint(health),
      decide,
    };
  }
}

/** Recordings as bytes, and what is decided from them again. */
import { deflateSync, inflateSync } from 'node:zlib';
import { test as prop } from '../support/property.ts';
import { double, integer, record, array, constantFrom, oneof, nat } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { checkpoint } from '../../src/core/health/checkpoint.ts';
import { createHealth } from '../../src/core/health/create-health.ts';
import { judge } from '../../src/core/health/judge.ts';
import { observe } from '../../src/core/health/observe.ts';
import { BadRecording, ByteReader, ByteWriter } from '../../src/core/replay/bytes.ts';
import { readHead, readTicks, RecordingWriter } from '../../src/core/replay/codec.ts';
import { compare } from '../../src/core/replay/compare.ts';
import { packed, type RecordedTick, recordedWish, unpacked } from '../../src/core/replay/recording.ts';
import { type RunConfig, run, startRun } from '../../src/core/replay/run.ts';
import { quietFacts } from '../../src/core/replay/trace.ts';
import { framed, readBlocks } from '../../src/store/blocks.ts';
import { notRunReasons, type Outcome } from '../../src/types/outcome.ts';
import { instant, millis, ratio } from '../../src/types/units.ts';
import { beganAt, deadFrom, recorded, runConfig, runStart, tasksOfNode } from './replay-world.ts';

const outage = [deadFrom('cmi', 30_000, 120_000)];
const minutes = 60_000;

function written(ticks: Iterable<RecordedTick>, writer: RecordingWriter): Uint8Array {
  for (const tick of ticks) writer.tick(tick);
  return writer.take();
}

function writerOf(change: Partial<RunConfig> = {}): RecordingWriter {
  const { tasks, health, decide } = runStart(change);
  return new RecordingWriter({
    node: 'hk1',
    wallAt: '2026-11-30T01:00:00.000Z',
    monotonicAt: beganAt,
    config: 'mode: live\n',
    tasks,
    health,
    decide,
  });
}

function ticksIn(bytes: Uint8Array): readonly RecordedTick[] {
  const { head, rest } = readHead(bytes);
  return [...readTicks(head, rest)];
}

describe('a recording', () => {
  test('gives back head, facts, wishes and times exactly, and samples to 0.1 ms', () => {
    const ticks = [...recorded(outage, minutes)];
    const bytes = written(ticks, writerOf());
    expect(readHead(bytes).head).toMatchObject({ node: 'hk1', monotonicAt: beganAt, config: 'mode: live\n' });
    const again = ticksIn(bytes);
    expect(again).toHaveLength(ticks.length);
    again.forEach((tick, index) => {
      const { samples, ...others } = ticks[index] ?? tick;
      const { samples: readSamples, ...readOthers } = tick;
      expect(readOthers).toEqual(others);
      const inOrder = samples.toSorted((a, b) => a.sentAt - b.sentAt);
      expect(readSamples.map(({ task, outcome }) => [task, outcome.kind])).toEqual(
        inOrder.map(({ task, outcome }) => [task, outcome.kind]),
      );
      readSamples.forEach(({ sentAt }, at) => {
        const late = (inOrder[at]?.sentAt ?? 0) - sentAt;
        expect(late).toBeGreaterThanOrEqual(-1e-6);
        expect(late).toBeLessThan(0.1);
      });
    });
  });

  test('takes some bytes for a probe, and fewer when it is packed', () => {
    const ticks = [...recorded([], minutes)];
    const samples = ticks.reduce((sum, tick) => sum + tick.samples.length, 0);
    const bytes = written(ticks, writerOf());
    const small = deflateSync(bytes).length;
    expect(bytes.length / samples).toBeLessThan(8);
    expect(small / samples).toBeLessThan(4);
  });

  test('writes facts and wishes only where they differ from the tick before', () => {
    const ticks = [...recorded([], 10_000)];
    const text = Buffer.from(written(ticks, writerOf())).toString('latin1');
    expect(text.split('usableDefaults')).toHaveLength(2);
    // Once as found, once measured well.
    expect(text.split('"uplink":"hkbn","family":4,"state"').length).toBeLessThanOrEqual(4);
  });

  test('that is cut anywhere gives the ticks before the cut, or says that it is cut', () => {
    const bytes = written([...recorded(outage, 20_000)], writerOf());
    const whole = ticksIn(bytes);
    for (let at = 0; at < bytes.length; at += 997) {
      const found: RecordedTick[] = [];
      try {
        const { head, rest } = readHead(bytes.subarray(0, at));
        for (const tick of readTicks(head, rest)) found.push(tick);
      } catch (error) {
        if (!(error instanceof BadRecording) && !(error instanceof SyntaxError)) throw error;
      }
      expect(found).toEqual(whole.slice(0, found.length));
    }
  });

  test('of another kind or version is refused', () => {
    const writer = new ByteWriter();
    writer.byte(1);
    writer.text('{"schema":2}');
    expect(() => readHead(writer.take())).toThrow('not a recording of version 1');
    expect(() => readHead(new TextEncoder().encode('\u0007hello'))).toThrow(
      'does not begin like a recording',
    );
    expect(() => readHead(new Uint8Array())).toThrow(BadRecording);
  });

  prop.prop([array(oneof(nat(), nat(2 ** 53 - 1), integer())), double({ noNaN: true })])(
    'numbers come back as they were written',
    (numbers, exact) => {
      const writer = new ByteWriter();
      for (const one of numbers) writer.signed(Math.trunc(one / 2));
      writer.exact(exact);
      const reader = new ByteReader(writer.take());
      for (const one of numbers) expect(reader.signed() + 0).toBe(Math.trunc(one / 2) + 0);
      expect(reader.exact()).toBe(exact);
      expect(reader.done).toBe(true);
    },
  );

  prop.prop([
    array(
      record({
        task: nat(3000),
        sentAt: double({ min: 0, max: 1e9, noNaN: true }),
        outcome: oneof(
          record({ rttMillis: double({ min: 0, max: 5000, noNaN: true }) }),
          constantFrom(...notRunReasons),
        ),
      }),
      { maxLength: 30 },
    ),
  ])('no sample moves into another cell, or over a limit of whole milliseconds', (drawn) => {
    const samples = drawn.map(({ task, sentAt, outcome }) => {
      const kept: Outcome =
        typeof outcome === 'string'
          ? { kind: 'not-run', why: outcome }
          : { kind: 'answered', rttMillis: millis(outcome.rttMillis) };
      return { task, sentAt: instant(sentAt), outcome: kept };
    });
    const times = { judgedAt: instant(5e8), decidedAt: instant(5e8), reportedAt: null };
    const others = { links: new Map(), facts: quietFacts([]), happened: [] };
    const writer = writerOf();
    writer.tick({ ...times, ...others, samples });
    const [tick] = ticksIn(writer.take());
    const inOrder = samples.toSorted((a, b) => a.sentAt - b.sentAt);
    tick?.samples.forEach((sample, index) => {
      const before = inOrder[index];
      if (before === undefined) throw new Error('more samples than before');
      expect(Math.floor(sample.sentAt)).toBe(Math.floor(before.sentAt));
      if (sample.outcome.kind !== 'answered' || before.outcome.kind !== 'answered') {
        expect(sample.outcome).toEqual(before.outcome);
        return;
      }
      expect(Math.ceil(sample.outcome.rttMillis)).toBe(Math.ceil(before.outcome.rttMillis));
    });
  });

  test('keeps maps and sets', () => {
    const value = { map: new Map([['a', new Set([1, 2])]]), plain: [null, { x: 1 }] };
    expect(unpacked(packed(value))).toEqual(value);
  });
});

describe('blocks', () => {
  const line = 'blocks 1\n';
  const file = (blocks: readonly Uint8Array[]): Buffer =>
    Buffer.concat([Buffer.from(line), ...blocks.map((block) => framed(block))]);
  const blocks = ['one', 'two', ''].map((text) => deflateSync(text));

  test('come back whole up to a torn or damaged one', () => {
    const bytes = file(blocks);
    const whole = readBlocks(bytes, line);
    expect(whole?.blocks.map((block) => inflateSync(block).toString())).toEqual(['one', 'two', '']);
    expect(whole?.tornBytes).toBe(0);
    for (let cut = line.length; cut < bytes.length; cut += 1) {
      const read = readBlocks(bytes.subarray(0, cut), line);
      expect(read?.blocks.length).toBeLessThan(3);
      const kept = read?.blocks.reduce((sum, block) => sum + 8 + block.length, line.length) ?? 0;
      expect(read?.tornBytes).toBe(cut - kept);
    }
    const damaged = Buffer.from(bytes);
    damaged[line.length + 9] = (damaged[line.length + 9] ?? 0) ^ 1;
    expect(readBlocks(damaged, line)?.blocks).toEqual([]);
  });

  test('of another file are none', () => {
    expect(readBlocks(Buffer.from('something else'), line)).toBeNull();
  });
});

describe('a replay', () => {
  test('by the same policy decides what happened, in the same ticks', () => {
    const bytes = written(recorded(outage, 2.5 * minutes), writerOf());
    const running = startRun(runStart());
    const found = compare(beganAt, ticksIn(bytes), (tick) => running.step(tick));
    expect(found.rows.length).toBeGreaterThan(3);
    for (const { happened, would } of found.rows) expect(would).toEqual(happened);
    expect(found).toMatchObject({
      onlyHappened: [],
      onlyWould: [],
      disagreementSeconds: 0,
      happened: { withdrawals: 1 },
      would: { withdrawals: 1 },
    });
  });

  test('twice gives the same bytes', () => {
    const bytes = written(recorded(outage, minutes), writerOf());
    const once = (): string => {
      const running = startRun(runStart());
      return JSON.stringify(compare(beganAt, ticksIn(bytes), (tick) => running.step(tick)));
    };
    expect(once()).toBe(once());
  });

  test('by a policy that does not mind the loss says which withdrawal would not have been', () => {
    const bytes = written(recorded([deadFrom('cmi', 30_000, 120_000, 0.2)], 2 * minutes), writerOf());
    const { policy } = runConfig();
    const lenient = { ...policy, loss: { good: ratio(0.1), bad: ratio(0.5) } };
    const running = startRun(runStart({ policy: lenient }));
    const found = compare(beganAt, ticksIn(bytes), (tick) => running.step(tick));
    expect(found.would.withdrawals).toBe(0);
    expect(found.onlyHappened.map(({ wish }) => wish)).toMatchObject([{ uplink: 'cmi', state: 'withdraw' }]);
    expect(found.disagreementSeconds).toBeGreaterThan(60);
  });

  test('by a more impatient policy withdraws earlier, and no other uplink', () => {
    const bytes = written(recorded(outage, 2 * minutes), writerOf());
    const { policy } = runConfig();
    const running = startRun(runStart({ policy: { ...policy, patienceMillis: millis(2000) } }));
    const found = compare(beganAt, ticksIn(bytes), (tick) => running.step(tick));
    const first = (side: 'happened' | 'would'): number =>
      found.rows.find((row) => row[side].state === 'withdraw')?.atMillis ?? Infinity;
    expect(first('would')).toBeLessThan(first('happened'));
    expect(found).toMatchObject({ onlyHappened: [], onlyWould: [] });
  });

  test('that begins in the middle, from a checkpoint, goes on as the daemon did', () => {
    const start = runStart();
    let health = createHealth(start.tasks, start.config.policy, beganAt);
    const ticks = [...recorded(outage, minutes)];
    const from = ticks.findIndex(({ judgedAt }) => judgedAt - beganAt > 33_000);
    for (const tick of ticks.slice(0, from)) {
      observe(health, tick.samples);
      health = judge(
        health,
        start.config.policy,
        tick.links,
        tick.judgedAt,
        tick.reportedAt ?? undefined,
      ).memory;
    }
    const all = [...run(start, ticks)].slice(from).map(({ wish }) => recordedWish(wish));
    const rest = { ...start, health: checkpoint(health), at: health.now, decide: emptyDecideMemory };
    const later = [...run(rest, ticks.slice(from))].map(({ wish }) => recordedWish(wish));
    expect(later.map((wishes) => wishes.map(({ state }) => state))).toEqual(
      all.map((wishes) => wishes.map(({ state }) => state)),
    );
    expect(later.some((wishes) => wishes.some(({ state }) => state === 'withdraw'))).toBe(true);
  });

  test('leaves out samples of probes that the plan does not have', () => {
    const strange = { task: 9999, sentAt: beganAt, outcome: { kind: 'lost' } } as const;
    const [tick] = [...recorded([], 1000)];
    if (tick === undefined) throw new Error('no tick');
    const running = startRun({ ...runStart(), tasks: tasksOfNode() });
    expect(running.step({ ...tick, samples: [strange] }).transitions).toEqual([]);
  });
});

/** What a new plan does to the pace of streams that stay. */
import { afterEach, expect, test } from 'vitest';
import { type Engine, makeEngine } from '../../probes/engine.ts';
import { phaseOf } from '../../probes/pace.ts';
import { newStream, replan } from '../../probes/stream.ts';
import { makeWayOut } from '../../probes/way-out.ts';
import type { ProbeTask, Sample } from '../../src/types/outcome.ts';
import { instant, millis } from '../../src/types/units.ts';
import { loopbackTask } from '../support/loopback-task.ts';

let engine: Engine | null = null;
afterEach(() => {
  engine?.close();
  engine = null;
});

/** To a port that refuses it. */
const taskAt = (intervalMillis: number): ProbeTask =>
  loopbackTask('dns', 9, { dns: { name: 'example.com', type: 'A' }, intervalMillis: millis(intervalMillis) });

const twoTasksAt = (intervalMillis: number): readonly ProbeTask[] => [
  taskAt(intervalMillis),
  { ...taskAt(intervalMillis), id: 2, address: '127.0.0.3' },
];
const ofSecond = (samples: readonly Sample[]): number => samples.filter(({ task }) => task === 2).length;

test('a shorter interval is taken up at once, not when the longer one is over', async () => {
  engine = makeEngine();
  // The second stream's phase is not 0: its first slot of the long interval is far away.
  engine.plan(twoTasksAt(3_600_000));
  engine.plan(twoTasksAt(20));
  const end = performance.now() + 30_000;
  for (let samples = 0; samples < 3; samples += ofSecond(engine.harvest().samples)) {
    if (performance.now() > end) throw new Error(`${samples} samples within 30 s`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
});

test.each([
  { from: 20, to: 1000 },
  { from: 1000, to: 20 },
])('from $from ms to $to ms the streams are spread anew', ({ from, to }) => {
  const wayOut = makeWayOut(taskAt(from));
  for (let ordinal = 0; ordinal < 20; ordinal += 1) {
    const stream = newStream(taskAt(from), ordinal, wayOut, instant(0));
    replan(stream, taskAt(to), instant(5000));
    expect(stream.pace).toMatchObject({ intervalMillis: to, nextAt: 5000 + to * phaseOf(ordinal) });
  }
});

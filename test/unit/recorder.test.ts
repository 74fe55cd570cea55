/** The recorder beside a tick: into files of bounded size, and to whoever reads along; and the shadow policy. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/cli/recording-file.ts';
import { decide } from '../../src/core/decide/decide.ts';
import { createHealth } from '../../src/core/health/create-health.ts';
import { judge } from '../../src/core/health/judge.ts';
import { observe } from '../../src/core/health/observe.ts';
import { compare } from '../../src/core/replay/compare.ts';
import type { Fault } from '../../src/core/replay/fault.ts';
import { startRun, waitOf } from '../../src/core/replay/run.ts';
import { trace } from '../../src/core/replay/trace.ts';
import { startRecorder } from '../../src/daemon/recorder.ts';
import { recordToFiles } from '../../src/daemon/recording-files.ts';
import { startShadow } from '../../src/daemon/shadow.ts';
import type { TickWitness } from '../../src/daemon/tick-witness.ts';
import type { RecordingSink } from '../../src/types/recording.ts';
import { instant, millis, ratio } from '../../src/types/units.ts';
import { nodeWith } from '../support/node-config.ts';
import { beganAt, deadFrom, runConfig, runStart, tasksOfNode } from './replay-world.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-recorder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const fresh = (): string => join(root, `r${(folders += 1)}`);

/** Ticks as the daemon's, told to the witnesses; `each` is awaited behind every tick. */
async function drive(
  witnesses: readonly TickWitness[],
  faults: readonly Fault[],
  lengthMillis: number,
  each: (tick: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const { config, tasks, decide: first } = runStart();
  const world = { health: createHealth(tasks, config.policy, beganAt), decide: first };
  const ambient = { share: 0.002, bursts: { share: 0, meanMillis: 0 } };
  const options = { tasks, faults, ambient, seed: 9, beganAt, lengthMillis, tickMillis: 200 };
  let count = 0;
  for (const { judgedAt, reportedAt, samples, links, facts } of trace(options)) {
    for (const one of witnesses) one.judging(world, { samples, reportedAt, links }, judgedAt);
    const observed = observe(world.health, samples);
    const judged = judge(observed, config.policy, links, judgedAt, reportedAt ?? undefined);
    world.health = judged.memory;
    const { services, uplinks, policy, guards } = config;
    const fixed = { services, uplinks, policy, guards, waitMillis: waitOf(config) };
    const asked = { ...facts, ...fixed, health: judged.health, now: judgedAt };
    const decision = decide(asked, world.decide);
    world.decide = decision.memory;
    for (const one of witnesses) one.decided(asked, decision.wish);
    await each((count += 1));
  }
}

const recorder = () =>
  startRecorder({
    node: 'hk1',
    setup: () => ({ config: 'mode: live\n', tasks: tasksOfNode() }),
    wallTime: () => '2026-11-30T01:00:00.000Z',
  });

async function comparisonOf(path: string, change = {}) {
  const { head, ticks, tornBytes } = await openRecording(path);
  const running = startRun({
    ...runStart(change),
    health: head.health,
    decide: head.decide,
    at: head.monotonicAt,
  });
  return { head, tornBytes, found: compare(head.monotonicAt, ticks, (tick) => running.step(tick)) };
}

describe('the recorder', () => {
  test('that begins in the middle of a fault gives a recording that decides the same again', async () => {
    const recording = recorder();
    const path = join(root, 'middle.cwr');
    const parts: Uint8Array[] = [];
    const sink: RecordingSink = { gatherMillis: 2000, put: (bytes) => (parts.push(bytes), 'on') };
    let stop = async (): Promise<void> => undefined;
    await drive([recording], [deadFrom('cmi', 10_000, 60_000)], 40_000, async (tick) => {
      if (tick === 60) stop = recording.record(sink);
    });
    await stop();
    writeFileSync(path, Buffer.concat(parts));
    const { head, found, tornBytes } = await comparisonOf(path);
    expect(tornBytes).toBe(0);
    expect(head).toMatchObject({ node: 'hk1', config: 'mode: live\n', wallAt: '2026-11-30T00:59:59.800Z' });
    expect(found.ticks).toBe(140);
    expect(found).toMatchObject({ onlyHappened: [], onlyWould: [], disagreementSeconds: 0 });
    expect(found.happened.withdrawals).toBe(1);
    for (const { happened, would } of found.rows) expect(would).toEqual(happened);
  });

  test('keeps files of bounded size, each of which can be replayed alone', async () => {
    const folder = fresh();
    const recording = recorder();
    const sizeBytes = 80_000;
    let wall = 1_796_000_000_000;
    const now = { at: 0 };
    const sink = recordToFiles({
      folder,
      sizeBytes,
      now: () => instant(now.at),
      wallMillis: () => (wall += 1),
    });
    const counted = countedPuts(sink, sink.gatherMillis);
    const recorded = counted.bytes;
    const stop = recording.record(counted);
    await drive([recording], [deadFrom('cmi', 30_000, 60_000)], 300_000, async (tick) => {
      now.at += 200;
      if (tick % 51 === 0) await until(() => counted.puts() >= tick / 51);
    });
    await stop();
    await sink.written();
    const names = readdirSync(folder).sort();
    expect(names.length).toBeGreaterThan(1);
    // More was recorded than fits.
    expect(recorded()).toBeGreaterThan(1.1 * sizeBytes);
    const sizes = names.map((name) => statSync(join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(sizeBytes);
    expect(sink.alarms()).toEqual([]);
    for (const name of names) {
      const { found } = await comparisonOf(join(folder, name));
      expect(found.ticks).toBeGreaterThan(0);
      expect(found.disagreementSeconds).toBe(0);
    }
  });

  test('a folder that cannot be written is an alarm, and recording begins again when it can', async () => {
    const folder = fresh();
    writeFileSync(folder, 'a file where the folder should be');
    const recording = recorder();
    const now = { at: 0 };
    const sink = recordToFiles({
      folder,
      sizeBytes: 1e6,
      now: () => instant(now.at),
      wallMillis: () => 1_796_000_000_000 + now.at,
      retryMillis: 1000,
    });
    const counted = countedPuts(sink, 200);
    const stop = recording.record(counted);
    const codes: (string | undefined)[] = [];
    await drive([recording], [], 10_000, async (tick) => {
      now.at += 200;
      if (tick === 25) {
        rmSync(folder);
        mkdirSync(folder);
      }
      await until(() => counted.puts() >= tick - 2);
      await sink.written();
      codes.push(sink.alarms()[0]?.code);
    });
    await stop();
    await sink.written();
    expect(codes[20]).toBe('recording-failed');
    expect(codes.at(-1)).toBeUndefined();
    const [name = ''] = readdirSync(folder);
    const { found } = await comparisonOf(join(folder, name));
    expect(found.ticks).toBeGreaterThan(10);
  });

  test('of which the end is torn is read up to there', async () => {
    const recording = recorder();
    const parts: Uint8Array[] = [];
    const stop = recording.record({ gatherMillis: 1000, put: (bytes) => (parts.push(bytes), 'on') });
    await drive([recording], [], 5000);
    await stop();
    const path = join(root, 'torn.cwr');
    writeFileSync(path, Buffer.concat(parts).subarray(0, -5));
    const { tornBytes, found } = await comparisonOf(path);
    expect(tornBytes).toBeGreaterThan(0);
    expect(found.ticks).toBeGreaterThan(10);
    await expect(openRecording(join(root, '..', 'none'))).rejects.toThrow('ENOENT');
    writeFileSync(path, readFileSync(path).subarray(5));
    await expect(openRecording(path)).rejects.toThrow('not a recording of version 1');
  });
});

describe('a shadow policy', () => {
  const { policy } = runConfig();
  const live = { ...nodeWith(['cmi', 'pccw', 'hkbn']), ...runConfig() };
  const settingsWith = (shadow: typeof policy | null) => () => ({
    config: { ...live, shadow: shadow === null ? null : { policy: shadow } },
    tasks: tasksOfNode(),
    waitMillis: waitOf(live),
  });

  test('that is the live one never disagrees', async () => {
    const shadow = startShadow(settingsWith({ ...policy }), () => '2026-11-30T01:00:00.000Z');
    await drive([shadow], [deadFrom('cmi', 10_000, 60_000)], 30_000);
    expect(shadow.status()).toMatchObject({ ticks: 150, disagreeingTicks: 0, disagreements: 0, last: null });
  });

  test('that does not mind the loss disagrees once, and says where and how', async () => {
    const lenient = { ...policy, loss: { good: ratio(0.1), bad: ratio(0.5) }, patienceMillis: millis(9000) };
    const shadow = startShadow(settingsWith(lenient), () => '2026-11-30T01:00:00.000Z');
    await drive([shadow], [deadFrom('cmi', 10_000, 60_000, 0.3)], 40_000);
    expect(shadow.status()).toMatchObject({
      disagreements: 1,
      disagreeing: ['cmi_web4'],
      last: { announcement: 'cmi_web4', live: 'withdraw', shadow: 'announce' },
    });
  });

  test('that the config does not have costs nothing and is not shown', async () => {
    const shadow = startShadow(settingsWith(null), () => '');
    await drive([shadow], [], 1000);
    expect(shadow.status()).toBeNull();
  });
});

/** The sink, which counts what came out of the compressor. */
function countedPuts(
  sink: RecordingSink,
  gatherMillis: number,
): RecordingSink & { readonly puts: () => number; readonly bytes: () => number } {
  let count = 0;
  let size = 0;
  return {
    gatherMillis,
    puts: () => count,
    bytes: () => size,
    put(bytes, begins) {
      count += 1;
      size += bytes.length;
      return sink.put(bytes, begins);
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('it did not come true in 30 s');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

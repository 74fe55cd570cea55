/** `causeway record`, `replay` and `simulate` on a real config, from the daemon's socket to the printed comparison. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { decide } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { createHealth } from '../../src/core/health/create-health.ts';
import { tasksOf } from '../../src/core/probe-tasks.ts';
import { RecordingWriter } from '../../src/core/replay/codec.ts';
import { recordedWish } from '../../src/core/replay/recording.ts';
import { startRun, waitOf } from '../../src/core/replay/run.ts';
import { trace } from '../../src/core/replay/trace.ts';
import { startRecorder } from '../../src/daemon/recorder.ts';
import { listenControl } from '../../src/host/control-socket.ts';
import { recordRoutes } from '../../src/http/record.ts';
import { startHttp } from '../../src/http/server.ts';
import { framed } from '../../src/store/blocks.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { instant } from '../../src/types/units.ts';
import { recordingFirstLine } from '../../src/types/recording.ts';
import { recordOutput, replayOutput, simulateOutput } from '../../src/types/wire/local-outputs.ts';
import { sample } from './config-sample.ts';
import { statusOf } from './host-node.ts';
import { deadFrom } from './replay-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-replay-'));
const inFolder = (name: string): string => join(folder, name);
const recording = inFolder('outage.cwr');
const config = configOf(sample);
const beganAt = instant(5_000_000);

beforeAll(() => writeFileSync(recording, recordedOutage()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configOf(text: string): NodeConfig {
  const read = readConfig('sample', text);
  if (read.kind === 'bad') throw new Error(read.problems.map((one) => one.text).join('\n'));
  return read.config;
}

/** 20 % loss behind cmi from 20 s on. */
function ticks(lengthMillis: number) {
  const faults = [deadFrom('cmi', 20_000, 300_000, 0.2)];
  const ambient = { share: 0, bursts: { share: 0, meanMillis: 0 } };
  return trace({ tasks: tasksOf(config), faults, ambient, seed: 1, beganAt, lengthMillis, tickMillis: 200 });
}

function recordedOutage(): Buffer {
  const tasks = tasksOf(config);
  const running = startRun({ config, tasks, health: '', decide: emptyDecideMemory, at: beganAt });
  const writer = new RecordingWriter({
    node: 'hk1',
    wallAt: '2026-11-30T01:00:00.000Z',
    monotonicAt: beganAt,
    config: explainConfig(config),
    tasks,
    health: '',
    decide: emptyDecideMemory,
  });
  const blocks: Uint8Array[] = [];
  for (const tick of ticks(60_000)) {
    writer.tick({ ...tick, happened: recordedWish(running.step(tick).wish) });
    if (writer.waitingBytes > 60_000) blocks.push(framed(deflateSync(writer.take())));
  }
  blocks.push(framed(deflateSync(writer.take())));
  return Buffer.concat([Buffer.from(recordingFirstLine), ...blocks]);
}

async function command(...words: readonly string[]) {
  const said = { out: [] as string[], err: [] as string[], code: -1 };
  await runProgram([...words], {
    answer: (text) => said.out.push(text),
    complain: (text) => said.err.push(text),
    end: (code) => {
      said.code = code;
    },
  });
  return { out: said.out.join('\n'), err: said.err.join('\n'), code: said.code };
}

describe('causeway replay', () => {
  test('by the recorded policy shows the same on both sides and ends with 0', async () => {
    const { out, err, code } = await command('replay', recording);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('hk1: 2026-11-30T01:00:00.000Z to 2026-11-30T01:01:00.000Z: 300 ticks');
    expect(out).toMatch(/^01:00:[23]\d\.\d{3}\s+cmi IPv4 web\s+withdraw \(loss\)\s+withdraw \(loss\)$/m);
    expect(out).not.toContain('differs');
    expect(out).toContain('for 0.0 announcement-seconds');
  });

  test('by another policy says which withdrawals would not have been, and ends with 1', async () => {
    const other = inFolder('lenient.yaml');
    writeFileSync(other, 'policy: { loss: { good: 10%, bad: 50% } }\n');
    const { out, code } = await command('replay', recording, '--policy', other);
    expect(code).toBe(1);
    expect(out).toMatch(/cmi IPv4 web\s+withdraw \(loss\)\s+announce \(healthy\) {2}differs/);
    expect(out).toMatch(/would not have been: cmi IPv4 web withdrawn 01:00:[23]\d/);
    const whole = inFolder('whole.yaml');
    writeFileSync(whole, sample.replace('loss: { good: 0.5%, bad: 5% }', 'loss: { good: 10%, bad: 50% }'));
    expect((await command('replay', recording, '--policy', whole)).out.replaceAll(whole, other)).toBe(out);
  });

  test('twice gives the same bytes, as text and as JSON', async () => {
    for (const more of [[], ['--json']]) {
      const once = await command('replay', recording, ...more);
      expect(await command('replay', recording, ...more)).toEqual(once);
    }
    const { out } = await command('replay', recording, '--json');
    expect(replayOutput.parse(JSON.parse(out))).toEqual(JSON.parse(out));
    expect(JSON.parse(out)).toMatchObject({
      schema: 1,
      node: 'hk1',
      policy: null,
      ticks: 300,
      onlyWould: [],
    });
  });

  test('of what is no recording, or by what is no policy, ends with 2 and says why', async () => {
    const bad = inFolder('bad.yaml');
    writeFileSync(bad, 'policy: { loss: { good: 50%, bad: 5% } }\n');
    for (const [words, says] of [
      [[inFolder('none.cwr')], 'ENOENT'],
      [[bad], 'not a recording of version 1'],
      [[recording, '--policy', bad], 'is not valid'],
      [[recording, '--policy', inFolder('none.yaml')], 'no such file'],
    ] as const) {
      const { err, code } = await command('replay', ...words);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
    }
  });
});

describe('causeway record', () => {
  test('takes what the daemon decides into a file that replays', async () => {
    const file = inFolder('node.yaml');
    const control = inFolder('control.sock');
    writeFileSync(file, `${sample}paths: { state: ${folder}, control: ${control} }\n`);
    const tasks = tasksOf(config);
    const setup = () => ({ config: explainConfig(config), tasks });
    const recorder = startRecorder({ node: 'hk1', setup, wallTime: () => '2026-11-30T01:00:00.000Z' });
    const server = await startHttp({
      host: '127.0.0.1',
      port: 0,
      listeners: [(accept) => listenControl({ path: control, accept })],
      status: () => statusOf(),
      routes: [recordRoutes(recorder)],
    });
    const taken = inFolder('taken.cwr');
    const running = command('record', '-c', file, '-o', taken, '--for', '1s', '--json');
    const state = { done: false };
    void running.then(() => (state.done = true));
    const world = { health: createHealth(tasks, config.policy, beganAt), decide: emptyDecideMemory };
    for (const { judgedAt, reportedAt, samples, links, facts } of ticks(600_000)) {
      if (state.done) break;
      recorder.judging(world, { samples, reportedAt, links }, judgedAt);
      const { services, uplinks, policy, guards } = config;
      const fixed = { services, uplinks, policy, guards, waitMillis: waitOf(config), health: [] };
      const asked = { ...facts, ...fixed, now: judgedAt };
      recorder.decided(asked, decide(asked, world.decide).wish);
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    const { out, code } = await running;
    await server.close();
    expect(code).toBe(0);
    expect(recordOutput.parse(JSON.parse(out))).toEqual({ file: taken, bytes: statSync(taken).size });
    const replayed = await command('replay', taken);
    expect(replayed.out).toMatch(/: \d+ ticks, \d+ probes/);
  });
});

describe('causeway simulate', () => {
  test('plays a scenario and tells what users had of it', async () => {
    const file = inFolder('simulated.yaml');
    writeFileSync(file, sample);
    const words = ['simulate', 'flapping', '-c', file, '--for', '2min'];
    const { out, code, err } = await command(...words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^00:00:00\.0 {2}fault {5}cmi: 30 s dead, 30 s well$/m);
    expect(out).toMatch(/^00:00:3\d\.\d {2}withdraw {2}cmi IPv6 web \(loss\)$/m);
    expect(out).toMatch(/withdrawals: 3, of them false: 0/);
    expect(out).toContain('service-minutes avoided');
    expect((await command(...words)).out).toBe(out);
    const { out: json } = await command(...words, '--json');
    expect(simulateOutput.parse(JSON.parse(json))).toEqual(JSON.parse(json));
    expect(JSON.parse(json)).toMatchObject({
      schema: 1,
      scenario: 'flapping',
      seed: 1,
      totals: { withdrawals: 3 },
    });
  });

  test('lists the scenarios, and says what is allowed', async () => {
    expect((await command('simulate', '--list')).out).toContain('flapping');
    const file = inFolder('simulated.yaml');
    writeFileSync(file, sample);
    for (const [words, says] of [
      [['nonsense'], 'scenario: allowed: one of all, ambient'],
      [[], 'scenario: allowed: one of all, ambient'],
      [['step', '--for', '5'], '--for: allowed: a duration'],
      [['step', '--seed', '-1'], '--seed: allowed: a whole number'],
    ] as const) {
      const { err, code } = await command('simulate', ...words, '-c', file);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
    }
  });
});

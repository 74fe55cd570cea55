/** The history, events and recordings over real HTTP, and the commands that ask for them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { openHistory, type History } from '../../src/daemon/history.ts';
import { startRecorder, type Recorder } from '../../src/daemon/recorder.ts';
import { listenControl } from '../../src/host/control-socket.ts';
import { eventRoutes } from '../../src/http/events.ts';
import { historyRoutes } from '../../src/http/history.ts';
import { recordRoutes } from '../../src/http/record.ts';
import { startHttp, type HttpServer } from '../../src/http/server.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import { instant } from '../../src/types/units.ts';
import { sample } from './config-sample.ts';
import { statusOf } from './host-node.ts';
import { historyEntry } from '../../src/types/wire/history.ts';

let folder: string;
let config: string;
let history: History;
let recorder: Recorder;
let server: HttpServer;

const control = (): string => join(folder, 'control.sock');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-events-'));
  config = join(folder, 'causeway.yaml');
  const paths = `paths: { state: ${JSON.stringify(folder)}, control: ${JSON.stringify(control())} }\n`;
  const http = 'http: { listen: "127.0.0.1:1" }\n';
  writeFileSync(config, `${sample}${paths}${http}`);
  history = await openFresh();
  recorder = startRecorder({
    node: 'hk1',
    setup: () => ({ config: sample, tasks: [] }),
    wallTime: () => new Date().toISOString(),
  });
  server = await start();
});

afterEach(async () => {
  await server.close();
  await history.close();
  rmSync(folder, { recursive: true, force: true });
});

function openFresh(): Promise<History> {
  const wallTime = (): string => new Date().toISOString();
  return openHistory({ folder: join(folder, 'history'), bootId: 'b', now: () => instant(1), wallTime });
}

function start(): Promise<HttpServer> {
  return startHttp({
    host: '127.0.0.1',
    port: 0,
    listeners: [(accept) => listenControl({ path: control(), accept })],
    status: () => statusOf(),
    routes: [historyRoutes(history), eventRoutes(history), recordRoutes(recorder)],
  });
}

function alarm(text: string): HistoryEvent {
  return { kind: 'alarm', event: 'raised', author: 'causeway', reason: 'last-resort', text };
}

/** What the running command has said so far. */
let said = { out: [] as string[], err: [] as string[], code: -1 };

/** Runs a command to its end. */
async function command(...words: readonly string[]) {
  said = { out: [], err: [], code: -1 };
  await runProgram([...words], {
    answer: (text) => said.out.push(text),
    complain: (text) => said.err.push(text),
    end: (code) => {
      said.code = code;
    },
  });
  return { out: said.out.join('\n'), err: said.err.join('\n'), code: said.code };
}

/** Reads events until there are `count`, then goes away. */
async function readEvents(count: number, headers: Record<string, string> = {}): Promise<readonly string[]> {
  const gone = new AbortController();
  const answer = await fetch(`${server.url}/v1/events`, { headers, signal: gone.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  const blocks: string[] = [];
  let text = '';
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('the answer has no body');
  while (blocks.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    blocks.push(...parts.filter((part) => part.includes('data: ')));
  }
  gone.abort();
  return blocks;
}

describe('GET /v1/history', () => {
  test('answers with entries, oldest first, and refuses what it does not understand', async () => {
    history.tell(alarm('one'));
    history.tell(alarm('two'));
    const answer = await fetch(`${server.url}/v1/history?limit=5`);
    const body: { entries: { text: string }[] } = JSON.parse(await answer.text());
    expect(body.entries.map(({ text }) => text)).toEqual(['one', 'two']);
    for (const query of ['limit=0', 'since=soon', 'kind=x', 'sort=up', 'limit=1&limit=2']) {
      const refused = await fetch(`${server.url}/v1/history?${query}`);
      expect(refused.status).toBe(400);
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
    }
  });
});

describe('GET /v1/events', () => {
  test('tells what happens from then on, each with its id and kind', async () => {
    history.tell(alarm('before'));
    const reading = readEvents(2);
    await until(() => history.followers() > 0);
    history.tell(alarm('one'));
    history.tell(alarm('two'));
    const [one, two] = await reading;
    expect(one).toMatch(/^id: \d+\nevent: alarm\ndata: \{.*"text":"one"/);
    expect(two).toContain('"text":"two"');
  });

  test('gives a client that comes back what it missed, without a gap', async () => {
    history.tell(alarm('known'));
    const [known] = await history.read({ limit: 1 });
    for (const text of ['missed 1', 'missed 2']) history.tell(alarm(text));
    const reading = readEvents(3, { 'last-event-id': String(known?.id) });
    await until(() => history.followers() > 0);
    history.tell(alarm('live'));
    const texts = (await reading).map((block) => /"text":"([^"]*)"/.exec(block)?.[1]);
    expect(texts).toEqual(['missed 1', 'missed 2', 'live']);
  });

  test('closing the server ends them', async () => {
    const reading = readEvents(1).catch(() => []);
    await until(() => history.followers() > 0);
    await server.close();
    expect(await reading).toEqual([]);
    server = await start();
  });
});

describe('causeway history', () => {
  test('asks the daemon, and prints a line an entry', async () => {
    history.tell(alarm('the last announcement'));
    const { out, err, code } = await command('history', '-c', config);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^\d{4}-\d\d-\d\d [\d:.]+ {2}alarm {7}raised: last-resort: the last announcement$/);
  });

  test('reads the files when the daemon is down, and says so', async () => {
    history.tell(alarm('the last announcement'));
    await server.close();
    await history.close();
    const { out, err, code } = await command('history', '-c', config, '--json');
    expect(code).toBe(0);
    expect(err).toContain('the daemon does not answer; read from');
    expect(JSON.parse(out)).toMatchObject([{ kind: 'alarm', text: 'the last announcement' }]);
    history = await openFresh();
    server = await start();
  });

  test('with neither daemon nor files ends with 3', async () => {
    await server.close();
    await history.close();
    rmSync(join(folder, 'history'), { recursive: true });
    const { err, code } = await command('history', '-c', config);
    expect(code).toBe(3);
    expect(err).toContain('ENOENT');
    history = await openFresh();
    server = await start();
  });

  test.each([
    [['--since', 'soon'], 'error: --since: a time back such as 2h'],
    [['--limit', '0'], 'error: --limit: a whole number from 1'],
    [['--kind', 'x'], 'error: --kind: one of daemon'],
  ])('%j is refused with what is allowed', async (words, says) => {
    const { err, code } = await command('history', '-c', config, ...words);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});

describe('causeway events', () => {
  test('prints what happens until the daemon ends', async () => {
    const running = command('events', '-c', config, '--json');
    await until(() => history.followers() > 0);
    history.tell(alarm('one'));
    await until(() => said.out.length > 0);
    await server.close();
    const { out, code } = await running;
    expect(code).toBe(0);
    expect(historyEntry.parse(JSON.parse(out))).toEqual(JSON.parse(out));
    expect(JSON.parse(out)).toMatchObject({ kind: 'alarm', text: 'one' });
    server = await start();
  });

  test('says what is allowed behind --after', async () => {
    const { err, code } = await command('events', '-c', config, '--after', 'x');
    expect(code).toBe(2);
    expect(err).toContain('--after: the id of an entry');
  });
});

describe('causeway record', () => {
  test('needs a file that is not there yet, and a daemon', async () => {
    const { err, code } = await command('record', '-c', config, '-o', config, '--for', '1s');
    expect(code).toBe(2);
    expect(err).toContain('EEXIST');
    expect(readFileSync(config, 'utf8')).toContain('paths:');
    await server.close();
    const missing = await command('record', '-c', config, '-o', join(folder, 'x.cwr'));
    expect(missing.code).toBe(3);
    server = await start();
  });

  test.each([
    [['--for', 'long'], '--for: allowed: a duration'],
    [['--size', '5'], '--size: allowed: a size'],
  ])('%j is refused with what is allowed', async (words, says) => {
    const { err, code } = await command('record', '-c', config, '-o', join(folder, 'y.cwr'), ...words);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('it did not come true in 30 s');
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

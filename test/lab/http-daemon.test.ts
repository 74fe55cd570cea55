/** The built daemon by itself, observing, without BIRD and without its interface: what it says of that over HTTP. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { compiledProgram } from '../../lab/network/process.ts';
import { exchange } from '../../src/cli/daemon-transport.ts';
import { readyAnswer } from '../../src/types/wire/answers.ts';
import { statusDocument } from '../../src/types/wire/status.ts';

let folder: string;
let daemon: ChildProcess;
let log = '';

const config = (): string => `
mode: observe
node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
bird: { socket: ${folder}/bird.ctl, config: ${folder}/causeway.conf }
services: { web: { prefixes: [203.0.113.0/24] } }
uplinks:
  cmi:
    carrier: cmi
    interface: nosuch0
    source: [192.0.2.2]
    peer: { asn: 58453, address: [192.0.2.1], password_file: ${secret('session')} }
    targets:
      - { name: a, region: ID, ping: 198.51.100.1 }
      - { name: b, region: ID, ping: 198.51.100.2 }
      - { name: c, region: ID, ping: 198.51.100.3 }
http: { listen: "127.0.0.1:0", token_file: ${secret('http')} }
fleet: { redis: "redis://127.0.0.1:9", user: causeway, password_file: ${secret('redis')}, orders_key_file: ${secret('orders')} }
geodns: { url: "http://127.0.0.1:9", token_file: ${secret('geodns')} }
webhooks:
  - { name: chat, preset: slack, url_file: ${secret('slack')} }
  - { name: own, preset: json, url: "http://127.0.0.1:9", token_file: ${secret('hook')}, secret_file: ${secret('signature')} }
paths: { state: ${folder}/state, control: ${folder}/control.sock }
`;

const secretNames = ['session', 'http', 'redis', 'orders', 'geodns', 'slack', 'hook', 'signature'];

/** What stands in a secret's file, and nowhere else. */
const words = (name: string): string =>
  name === 'slack' ? 'http://127.0.0.1:9/T0P-s3cret-slack' : `T0P-s3cret-${name}`;

function secret(name: string): string {
  return join(folder, `${name}.secret`);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-http-daemon-'));
  for (const name of secretNames) writeFileSync(secret(name), `${words(name)}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'causeway.yaml'), config());
  const args = [compiledProgram('src/cli/main'), 'run', '-c', join(folder, 'causeway.yaml')];
  daemon = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [daemon.stdout, daemon.stderr])
    stream?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
});

afterAll(async () => {
  const gone = new Promise((resolve) => daemon.once('exit', resolve));
  daemon.kill('SIGTERM');
  if (daemon.exitCode === null && daemon.signalCode === null) await gone;
  rmSync(folder, { recursive: true, force: true });
});

const limits = { millis: 10_000, bytes: 4_000_000, tooLarge: 'too large' };
const get = (path: string) =>
  exchange(
    { kind: 'socket', path: join(folder, 'control.sock') },
    { method: 'GET', path, body: null },
    limits,
  );

function valueIn(text: string, series: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? Number.NaN : Number(line.slice(series.length));
}

test('ticks, looks at BIRD and what is not probed are counted, and agree with the status', async () => {
  await vi.waitFor(async () => {
    if (daemon.exitCode !== null) throw new Error(log);
    const { text } = await get('/metrics');
    expect(valueIn(text, 'causeway_tick_duration_seconds_count')).toBeGreaterThan(10);
    expect(valueIn(text, 'causeway_bird_round_trip_seconds_count')).toBeGreaterThan(10);
    expect(valueIn(text, 'causeway_history_entries_total{kind="alarm"}')).toBeGreaterThan(0);
    expect(valueIn(text, 'causeway_start_time_seconds')).toBeGreaterThan(1.7e9);
  }, 60_000);
  const { text } = await get('/metrics');
  const status = statusDocument.parse(JSON.parse((await get('/v1/status')).text));
  expect(valueIn(text, 'causeway_bird_reachable')).toBe(0);
  expect(status.bird.kind).toBe('unreachable');
  for (const { code } of status.alarms.filter((alarm) => alarm.code === 'bird-unreachable'))
    expect(valueIn(text, `causeway_alarms{code="${code}"}`)).toBe(1);
  expect(valueIn(text, 'causeway_uplink_link_state{uplink="cmi",state="missing"}')).toBe(1);
  expect(status.uplinks[0]?.link).toBe('missing');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  expect(text).toContain(`causeway_build_info{version="${version}",runtime="${process.version}"} 1`);
});

test('it lives, and says why it is not ready', async () => {
  expect((await get('/healthz')).status).toBe(200);
  const { status, text } = await get('/readyz');
  expect(status).toBe(503);
  const bad = readyAnswer.parse(JSON.parse(text)).checks.filter(({ ok }) => !ok);
  expect(bad.map(({ name }) => name)).toContain('bird');
  expect(bad.map((check) => check.text).join(' ')).toContain('ENOENT');
});

test('all routes of the daemon are described', async () => {
  const { text } = await get('/docs/json');
  const { paths } = JSON.parse(text) as { readonly paths: Readonly<Record<string, object>> };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  expect(operations.length).toBeGreaterThan(17);
  for (const operation of operations) expect(operation).toHaveProperty('summary');
});

/** The daemon and what it started, with their arguments and environment. */
function processesOfDaemon(): string {
  const pids = [daemon.pid ?? 0];
  for (const pid of pids)
    pids.push(
      ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  const parts = pids.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  return parts.map((path) => readFileSync(path, 'latin1')).join('\n');
}

test('no secret is logged, answered, kept in the state folder, or seen in the process list', async () => {
  const file = join(folder, 'causeway.yaml');
  const commands = [
    ['explain', 'config'],
    ['render', '--plain'],
    ['diff'],
    ['doctor'],
    ['status'],
    ['fleet'],
  ];
  const printed = commands.map((argv) => {
    const run = spawnSync(process.execPath, [compiledProgram('src/cli/main'), ...argv, '-c', file], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    return `${run.stdout}${run.stderr}`;
  });
  const answers = await Promise.all(
    ['/v1/status', '/v1/history', '/metrics', '/v1/uplinks/cmi', '/openapi.json'].map(async (path) =>
      get(path),
    ),
  );
  const state = readdirSync(join(folder, 'state'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const seen = [log, ...printed, ...answers.map(({ text }) => text), ...state, processesOfDaemon()];
  expect(seen.filter((text) => text === '')).toEqual([]);
  for (const [at, text] of seen.entries())
    expect(/.{0,60}T0P-s3cret.{0,20}/.exec(text)?.[0] ?? null, `of what was seen, number ${at}`).toBe(null);
});

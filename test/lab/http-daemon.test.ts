/** The built daemon by itself, observing, without BIRD and without its interface: what it says of that over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    peer: { asn: 58453, address: [192.0.2.1] }
    targets:
      - { name: a, region: ID, ping: 198.51.100.1 }
      - { name: b, region: ID, ping: 198.51.100.2 }
      - { name: c, region: ID, ping: 198.51.100.3 }
http: { listen: "127.0.0.1:0" }
paths: { state: ${folder}/state, control: ${folder}/control.sock }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-http-daemon-'));
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

/** Readiness checks against a real HAProxy and a real DNS server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../../lab/network/wait.ts';
import { openChecks } from '../../src/host/ready/run-check.ts';
import type { DnsProbe, HaproxyProbe, ReadyProbe } from '../../src/types/ready-check.ts';
import type { ReadyOutcome } from '../../src/types/ready-outcome.ts';

const run = openChecks();
const ask = (probe: ReadyProbe) => run(probe, AbortSignal.timeout(20_000));
const patient = { timeoutMillis: 40_000, everyMillis: 50 };
let folder = '';
let children: ChildProcess[] = [];
let servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-ready-'));
});
afterEach(async () => {
  await Promise.all(children.map((child) => end(child)));
  for (const server of servers) server.close();
  children = [];
  servers = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Dies with this process, should that be killed. */
function start(...argv: readonly string[]): ChildProcess {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...argv], { stdio: 'ignore' });
  children.push(child);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Asks until the outcome is of this kind; resolves to it. */
function becomes(probe: ReadyProbe, kind: ReadyOutcome['kind'], text = /./): Promise<ReadyOutcome> {
  return waitUntil(
    `${probe.kind} to ${kind} with ${text}`,
    async () => {
      const outcome = await ask(probe);
      return outcome.kind === kind && text.test(outcome.text) ? outcome : null;
    },
    patient,
  );
}

describe('haproxy', () => {
  const probe = (more: Partial<HaproxyProbe> = {}): HaproxyProbe => ({
    kind: 'haproxy',
    socket: join(folder, 'admin.sock'),
    backend: 'app',
    server: null,
    atLeast: 1,
    ...more,
  });

  async function startServer(name: string): Promise<Server> {
    const server = createServer((_, response) => response.end('ok'));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(join(folder, `${name}.sock`), resolve));
    return server;
  }

  function startHaproxy(): ChildProcess {
    const config = join(folder, 'haproxy.cfg');
    const member = (name: string) =>
      `  server ${name} unix@${folder}/${name}.sock check inter 100 rise 1 fall 1`;
    writeFileSync(
      config,
      `global
  stats socket ${folder}/admin.sock mode 600 level admin
defaults
  mode http
  timeout connect 1s
  timeout client 5s
  timeout server 5s
backend app
  option httpchk GET /
${member('s1')}
${member('s2')}
backend answers
  http-request return status 200
`,
    );
    return start('haproxy', '-db', '-f', config);
  }

  function command(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(join(folder, 'admin.sock'), () => socket.end(`${text}\n`));
      socket
        .on('error', reject)
        .on('close', () => resolve())
        .resume();
    });
  }

  test('follows the servers of a backend, each of them, and HAProxy itself', async () => {
    expect(await ask(probe())).toEqual({ kind: 'fail', text: 'no such file or socket' });
    const [one] = [await startServer('s1'), await startServer('s2')];
    const haproxy = startHaproxy();
    await becomes(probe({ atLeast: 2 }), 'pass', /^UP with at least 2 of 2 servers$/);
    expect(await ask(probe({ server: 's1' }))).toEqual({ kind: 'pass', text: 'server s1 is UP' });
    one.close();
    one.closeAllConnections();
    await becomes(probe({ server: 's1' }), 'fail', /^server s1 is DOWN$/);
    expect(await ask(probe())).toEqual({ kind: 'pass', text: 'UP with at least 1 of 2 servers' });
    expect(await ask(probe({ atLeast: 2 }))).toEqual({
      kind: 'fail',
      text: '1 of 2 servers are up, expected 2',
    });
    await command('set server app/s2 state maint');
    await becomes(probe(), 'fail', /^backend app is DOWN$/);
    expect(await ask(probe({ server: 's2' }))).toEqual({ kind: 'fail', text: 'server s2 is MAINT' });
    await command('set server app/s2 state ready');
    await becomes(probe(), 'pass');
    await end(haproxy);
    expect(await ask(probe())).toMatchObject({ kind: 'fail', text: 'connection refused' });
  });

  test('says what HAProxy does not have', async () => {
    startHaproxy();
    await becomes(probe({ backend: 'answers' }), 'pass', /^UP$/);
    expect(await ask(probe({ backend: 'other' }))).toEqual({
      kind: 'fail',
      text: 'there is no backend other',
    });
    expect(await ask(probe({ server: 's9' }))).toEqual({ kind: 'fail', text: 'app has no server s9' });
  });
});

describe('dns', () => {
  const host = `127.${randomInt(201, 250)}.${randomInt(1, 255)}.1`;
  const probe = (more: Partial<DnsProbe> = {}): DnsProbe => ({
    kind: 'dns',
    server: { host, port: 5300 },
    name: 'www.ready.example',
    type: 'A',
    expect: null,
    ...more,
  });

  function startDns(): ChildProcess {
    writeFileSync(
      join(folder, 'zones.yml'),
      `domains:
- domain: ready.example
  ttl: 300
  records:
    ready.example:
      - soa: ns.ready.example hostmaster.ready.example 1 7200 3600 86400 60
      - ns: NS.Ready.example
    www.ready.example:
      - a: 203.0.113.7
      - a: 203.0.113.8
      - aaaa: "2001:db8:a::7"
      - txt: "all is fine"
    alias.ready.example:
      - cname: www.ready.example
  services: {}
`,
    );
    const lines = [
      'launch=geoip',
      `geoip-zones-file=${join(folder, 'zones.yml')}`,
      `local-address=${host}`,
      'local-port=5300',
      `socket-dir=${folder}`,
      'guardian=no',
      'daemon=no',
    ];
    writeFileSync(join(folder, 'pdns.conf'), `${lines.join('\n')}\n`);
    return start('pdns_server', `--config-dir=${folder}`);
  }

  test('asks one server, without a cache, for each type of record', async () => {
    const server = startDns();
    await becomes(probe(), 'pass');
    expect((await ask(probe({ expect: '203.0.113.8' }))).kind).toBe('pass');
    expect(await ask(probe({ expect: '203.0.113.9' }))).toMatchObject({
      kind: 'fail',
      text: expect.stringMatching(/expected 203\.0\.113\.9$/),
    });
    expect(await ask(probe({ type: 'AAAA', expect: '2001:db8:a::7' }))).toEqual({
      kind: 'pass',
      text: 'answered 2001:db8:a::7',
    });
    expect((await ask(probe({ type: 'TXT', expect: 'all is fine' }))).kind).toBe('pass');
    expect((await ask(probe({ type: 'NS', name: 'ready.example.', expect: 'ns.ready.example.' }))).kind).toBe(
      'pass',
    );
    expect((await ask(probe({ type: 'SOA', name: 'ready.example', expect: 'ns.ready.example' }))).kind).toBe(
      'pass',
    );
    expect(
      (await ask(probe({ type: 'CNAME', name: 'alias.ready.example', expect: 'www.ready.example' }))).kind,
    ).toBe('pass');
    expect(await ask(probe({ name: 'nobody.ready.example' }))).toMatchObject({
      kind: 'fail',
      text: expect.stringMatching(/NXDOMAIN/),
    });
    expect(await ask(probe({ type: 'CNAME' }))).toMatchObject({
      kind: 'fail',
      text: expect.stringMatching(/no record of this type/),
    });
    expect(await ask(probe({ name: 'example.org' }))).toMatchObject({
      kind: 'fail',
      text: expect.stringMatching(/REFUSED/),
    });
    await end(server);
    // What it answered a moment ago lives for 300 s, and says nothing of a server that is gone.
    expect((await ask(probe())).kind).toBe('fail');
  });
});

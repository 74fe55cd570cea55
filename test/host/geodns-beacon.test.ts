/**
 * The script of docs/geodns.md as a browser runs it, word for word: Chromium finds its names on loopback, the page is
 * served from here, and the running service takes the beacon. One carrier answers, the other does not.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { launchBrowser, openIn } from '../support/browser.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { selfSigned } from '../unit/self-signed.ts';

const script =
  blocksOf('docs/geodns.md')
    .find(({ language }) => language === 'js')
    ?.lines.join('\n') ?? '';

const pair = selfSigned();
let stand: Stand;
let service: ChildProcess;
let browser: Browser;
let base: string;
const servers: Server[] = [];

beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  const listen = `${stand.sites[0].dns.host}:8053`;
  base = `https://${listen}`;
  const config = await writeServiceFiles(stand, listen);
  const [cert, key] = [join(stand.folder, 'tls.crt'), join(stand.folder, 'tls.key')];
  writeFileSync(cert, pair.cert);
  writeFileSync(key, pair.key, { mode: 0o600 });
  appendFileSync(config, `tls: { cert_file: ${cert}, key_file: ${key} }\nrum: { open: true }\n`);
  service = spawn(process.execPath, ['bin/causeway-geodns', 'run', '-c', config], { stdio: 'ignore' });
  await waitUntil('the service to be ready', async () => (await ask('/readyz')).status === 200, {
    timeoutMillis: 60_000,
  });
  const cmi = await serve(createServer(pair, (_, response) => response.end('x')));
  const names = {
    'cmi.probe.example.com': `127.0.0.1:${cmi}`,
    // Nobody listens there.
    'pccw.probe.example.com': '127.0.0.1:1',
    'dns-api.example': listen,
  };
  const rules = Object.entries(names).map(([name, address]) => `MAP ${name} ${address}`);
  browser = await launchBrowser([
    `--host-resolver-rules=${rules.join(', ')}`,
    // The certificate is of our own making.
    '--ignore-certificate-errors',
  ]);
});

afterAll(async () => {
  await browser?.close();
  service?.kill('SIGKILL');
  for (const server of servers) server.close();
  await stand?.stop();
});

/** Its port on loopback. */
async function serve(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** 0 where nothing answers. */
function ask(path: string): Promise<{ readonly status: number; readonly body: string }> {
  const headers = { authorization: `Bearer ${labTokens.ops}` };
  return new Promise((resolve) => {
    const outgoing = request(`${base}${path}`, { headers, rejectUnauthorized: false }, (incoming) => {
      let body = '';
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body }));
    });
    outgoing.on('error', () => resolve({ status: 0, body: '' }));
    outgoing.end();
  });
}

async function sharesByCarrier(): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const { shares } = JSON.parse((await ask('/v1/statistics')).body);
  return new Map(shares.map((share: { carrier: string }) => [share.carrier, share]));
}

test('the documented script tells how far the carriers are in one message, and which of them did not answer', async () => {
  const html = `<!doctype html><title>x</title><script type="module">${script}</script>`;
  const page = await serve(
    createPlain((_, response) => response.setHeader('content-type', 'text/html').end(html)),
  );
  await openIn(browser, { url: `http://127.0.0.1:${page}`, width: 800 });
  await expect.poll(async () => (await sharesByCarrier()).size, { timeout: 60_000 }).toBe(2);
  const shares = await sharesByCarrier();
  expect(shares.get('cmi')).toMatchObject({ beacons: 1, failureShare: 0, rttP50Millis: expect.any(Number) });
  expect(shares.get('pccw')).toMatchObject({ beacons: 1, failureShare: 1 });
});

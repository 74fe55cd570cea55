/** The primary's site is lost: another one takes its place, and the lost one comes back as a secondary. */
import { readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, startGeoDns } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { addresses, callerOf, uplinkMessage } from '../support/geodns-api.ts';
import { expectPublished } from '../support/published-json.ts';

const mobile = '120.196.1.0/24';
const all = '203.0.113.11 203.0.113.12 203.0.113.41';
const withoutHk1 = '203.0.113.41';
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const generous = { timeout: 20_000, interval: 50 };

let stand: Stand;
let configPath: string;
let running: Running | null = null;
beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  configPath = await writeServiceFiles(stand, `${stand.sites[0].dns.host}:8053`);
});
afterAll(async () => {
  await stop();
  await stand?.stop();
});

const command = (
  ...more: readonly string[]
): Promise<{ exitCode?: number | undefined; stdout: string; stderr: string }> =>
  execa(process.execPath, ['bin/causeway-geodns', 'promote', 'tyo', '-c', configPath, ...more], {
    reject: false,
  });

async function start(): Promise<Running> {
  const started = await startGeoDns(await readFiles(configPath), quiet);
  running = started;
  return started;
}

async function stop(): Promise<void> {
  await running?.stop();
  running = null;
}

test('a secondary is promoted, answers change there, and the old primary is taken back in line', async () => {
  const [hkg, tyo, sin] = stand.sites;
  const first = await start();
  await expect.poll(() => first.sync.settled(first.service.zone()?.revision ?? 1, 100), generous).toBe(true);
  const refused = await command();
  expect([refused.exitCode, refused.stderr]).toEqual([
    3,
    expect.stringContaining('another causeway-geodns works in'),
  ]);
  const before = first.service.zone()?.revision ?? 0;
  await stop();
  await hkg.kill();

  const promoted = await command();
  expect(promoted.stdout).toMatch(/tyo is the primary; fetching from it: sin\nhkg was not told: /);
  expect(promoted.exitCode).toBe(1);

  const text = readFileSync(configPath, 'utf8').split('\n');
  const line = text.find((one) => one.includes('name: tyo')) ?? '';
  const others = text.filter((one) => one !== line);
  others.splice(others.indexOf('sites:') + 1, 0, line);
  writeFileSync(configPath, others.join('\n'));
  const second = await start();
  expect(second.service.zone()?.revision).toBeGreaterThan(before);
  const node = callerOf(`http://${hkg.dns.host}:8053`, labTokens.hk1);
  expect((await node('PUT', '/v1/nodes/hk1/uplinks/cmi?wait=0', uplinkMessage('down', 1, 1))).status).toBe(
    202,
  );
  await expect
    .poll(() => Promise.all([addresses(tyo, mobile), addresses(sin, mobile)]), generous)
    .toEqual([withoutHk1, withoutHk1]);

  await hkg.start();
  expect(await addresses(hkg, mobile)).toBe(all);
  await stop();
  const again = await command('--json');
  expect(again.exitCode).toBe(0);
  expect(expectPublished('geodns-promote', again.stdout)).toEqual({
    primary: 'tyo',
    secondaries: ['hkg', 'sin'],
    untold: [],
  });
  await start();
  await expect.poll(() => addresses(hkg, mobile), generous).toBe(withoutHk1);
});

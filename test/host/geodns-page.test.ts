/**
 * The page of GeoDNS in headless Chromium, over the built program as users start it and three PowerDNS sites. With
 * CAUSEWAY_SCREENSHOTS=FOLDER it also takes the pictures of docs/screenshots.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { launchBrowser, openIn, overflow, seriousFindings } from '../support/browser.ts';
import { addresses, type Caller, callerOf, uplinkMessage } from '../support/geodns-api.ts';
import { vietnamBatches } from '../support/geodns-data.ts';

const pictures = process.env['CAUSEWAY_SCREENSHOTS'];
const patience = { timeout: 60_000 };
const mobile = '120.196.1.0/24';
const vietnam = '14.160.1.0/24';

let stand: Stand;
let service: ChildProcess;
let browser: Browser;
let page: Page;
let base: string;
let ops: Caller;
let node: Caller;
/** What the browser complained about: faults of scripts, and what the content security policy stopped. */
const complaints: string[] = [];

beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  const listen = `${stand.sites[0].dns.host}:8053`;
  base = `http://${listen}`;
  const config = await writeServiceFiles(stand, listen);
  appendFileSync(config, 'rum: {}\n');
  service = spawn(process.execPath, ['bin/causeway-geodns', 'run', '-c', config], { stdio: 'ignore' });
  await waitUntil('the service to be ready', () =>
    fetch(`${base}/readyz`).then(
      ({ status }) => status === 200 || null,
      () => null,
    ),
  );
  ops = callerOf(base, labTokens.ops);
  node = callerOf(base, labTokens.hk1);
  browser = await launchBrowser();
  page = await openPage(1280);
});

afterAll(async () => {
  await browser?.close();
  service?.kill('SIGKILL');
  await stand?.stop();
});

async function openPage(width: number, scheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const opened = await openIn(browser, { url: base, width, scheme, complaints });
  await opened.locator('form[data-form=token] input').waitFor(patience);
  return opened;
}

async function enter(opened: Page, token: string): Promise<void> {
  await opened.locator('form[data-form=token] input').fill(token);
  await opened.locator('form[data-form=token] button').click();
}

const text = (selector: string): Promise<string | null> => page.locator(selector).first().textContent();
const shows = (selector: string): ReturnType<typeof expect.poll<string | null>> =>
  expect.poll(() => text(selector), patience);
const press = (step: string): Promise<void> => page.locator(`dialog [data-step=${step}]`).click(patience);

test('shows nothing without a token, refuses another one, and shows the map with one', async () => {
  const unfriendly = await fetch(`${base}/v1/map`);
  expect(unfriendly.status).toBe(401);
  await enter(page, 'quite-another-token');
  await shows('#token .refusal').toContain('refuses this token');
  expect(await page.locator('#targets tr').count()).toBe(0);
  complaints.length = 0;
  await enter(page, labTokens.ops);
  await shows('#head h1').toBe('geo.test.');
  await expect.poll(() => page.locator('.targets tbody tr').count(), patience).toBe(6);
  await shows('#troubles').toContain('Nothing is wrong');
  await shows('[data-policy=cdn]').toContain('South China Telecom');
  await expect
    .poll(() => page.locator('#sites li').allTextContents(), patience)
    .toEqual([
      expect.stringMatching(/hkg ●has all serial \d+/),
      expect.stringMatching(/tyo ●has all/),
      expect.stringMatching(/sin ●has all/),
    ]);
  await shows('#revisions li').toMatch(/1 ●in force.*file: found in the files at a start/);
});

test('is one page of its own: no request leaves its origin, and nothing is blocked', async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  await page.reload();
  await shows('#head h1').toBe('geo.test.');
  expect(new Set(asked)).toEqual(new Set([base]));
  expect(complaints).toEqual([]);
});

test('tells what an address is answered, and why, as DNS answers it', async () => {
  await page.locator('#ask input[name=ip]').fill(' 120.196.1.1 ');
  await page.locator('#ask select[name=name]').selectOption('www.geo.test.');
  await page.keyboard.press('Tab');
  await page.locator('#ask button').press('Enter');
  await shows('#ask .answer').toBe('120.196.1.1 → 203.0.113.11, 203.0.113.12, 203.0.113.41');
  await shows('#ask .why-list').toContain('access network cm by AS56040');
  expect(await addresses(stand.sites[1], mobile)).toBe('203.0.113.11 203.0.113.12 203.0.113.41');
  await page.locator('#ask input[name=ip]').fill('not an address');
  await page.locator('#ask button').click();
  await shows('#ask .refusal').toContain('is not an address');
});

test('has the table of access networks and places, for each policy and family', async () => {
  const cell =
    '#answers tr[data-network=cm] td[data-place=CN], #answers tr[data-network=cm] td[data-place=AS]';
  await shows(cell).toMatch(/hk-cmi \d/);
  await page.locator('#answers [data-do=policy][data-value=static]').click();
  await shows('#answers tr[data-network=cm] td[data-place=AS]').toMatch(/hk-any/);
  await page.locator('#answers [data-do=policy][data-value=cdn]').click();
  await shows(cell).toMatch(/hk-cmi/);
});

test('shows a removal while it is looked at, in targets, answers and what happened', async () => {
  await node('PUT', '/v1/nodes/hk1/uplinks/cmi', uplinkMessage('down', 1, 1));
  const row = '.targets tr[data-target="hk1/cmi"]';
  await shows(row).toMatch(/✖down uplink.*loss 34 %/);
  await shows('#events').toContain('hk1/cmi: v4 down, v6 down (loss 34 %)');
  await node('PUT', '/v1/nodes/hk1/uplinks/cmi', uplinkMessage('up', 1, 2, { ID: 'down' }));
  await shows(row).toMatch(/ID IPv4 down/);
});

test('overrides a target with a reason and an end, shows it, and ends it', async () => {
  const until = '#overrides li';
  await page.locator('tr[data-target="hk1/pccw"] [data-do=override]').click();
  expect(await seriousFindings(page)).toEqual([]);
  await page.locator('dialog [name=reason]').fill('fibre <b>NOC-17</b>');
  await press('confirm');
  await press('close');
  await shows(until).toMatch(/hk1\/pccw ✖downops: fibre <b>NOC-17<\/b>until .* left/);
  expect(await page.locator('#overrides b').count()).toBe(0);
  await page.locator('#overrides [data-do=end-override]').click();
  await page.locator('dialog [name=reason]').fill('mended');
  await press('confirm');
  await press('close');
  await shows('#overrides').toContain('Nobody overrides anything');
});

test('shows what steering proposes, on what evidence and what holds it; accepts it and takes it back', async () => {
  await shows('#steering').toContain('It proposes nothing');
  for (const batch of vietnamBatches()) expect((await ops('POST', '/v1/rum', batch)).status).toBe(202);
  // An operator's word makes it judge at once; there is nothing to accept for rule 1.
  const asked = await ops('POST', '/v1/steering/cdn/1', { do: 'accept', reason: 'x' });
  expect(asked.status).toBe(404);
  await shows('#steering li').toMatch(/cdn.*7.*100 % of users.*hk-cmi, hk-pccw → hk-pccw, hk-cmi/);
  await shows('#steering li .said').toMatch(
    /hk-pccw instead of hk-cmi: \d+ ms faster, \d+ ms for sure, of 200 beacons from 40 networks/,
  );
  await shows('#steering li .held').toContain('shadow');
  expect(await seriousFindings(page)).toEqual([]);
  await picture('geodns-steering');
  const before = await addresses(stand.sites[2], vietnam);
  await page.locator('#steering [data-do=accept]').click();
  await page.locator('dialog [name=reason]').fill('seen it too');
  await press('confirm');
  await press('close');
  await shows('#steering li').toMatch(/ops: hk-pccw instead of hk-cmi/);
  await expect.poll(() => addresses(stand.sites[2], vietnam), patience).not.toBe(before);
  await page.locator('#steering [data-do=revert]').click();
  await page.locator('dialog [name=reason]').fill('they complain');
  await press('confirm');
  await press('close');
  await expect.poll(() => addresses(stand.sites[2], vietnam), patience).toBe(before);
  await expect.poll(() => page.locator('#steering [data-do=revert]').count(), patience).toBe(0);
});

/** In a window for a desk and in one for a phone. */
async function picture(name: string): Promise<void> {
  for (const [width, file] of [
    [360, `${name}-phone`],
    [1280, name],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflow(page)).toBe(0);
    if (pictures !== undefined)
      await page.locator('#steering').screenshot({ path: join(pictures, `${file}.png`) });
  }
}

test('freezes measured steering and thaws it again, with a reason each', async () => {
  for (const [action, shown] of [
    ['freeze', 'frozen by ops: moving day'],
    ['thaw', 'Freeze…'],
  ] as const) {
    await page.locator(`#steering [data-do=${action}]`).click();
    await page.locator('dialog [name=reason]').fill('moving day');
    await press('confirm');
    await press('close');
    await shows('#steering').toContain(shown);
  }
});

test('tells the problems of rules with their places, then whom others would move, and puts them in force', async () => {
  await page.locator('#editor [data-do=load-rules]').click();
  const area = page.locator('#editor textarea');
  await expect.poll(() => area.inputValue(), patience).toContain('zone: geo.test');
  const rules = await area.inputValue();
  await area.fill(rules.replace('networks: [cm], use: [hk-cmi, hk-pccw]', 'networks: [cm], use: [nosuch]'));
  await page.locator('#editor button.main').click();
  await shows('#editor .problems').toMatch(/rules\.yaml:\d+:\d+: .*no pool is called "nosuch"/);
  await area.fill(rules.replace('networks: [cm], use: [hk-cmi, hk-pccw]', 'networks: [cm], use: [hk-hkbn]'));
  await page.locator('#editor button.main').click();
  await shows('#editor .moved').toMatch(/\d+ % of users would be answered otherwise/);
  await shows('#editor .effects li').toMatch(/cm AS9808 CN: hk-cmi → hk-hkbn/);
  await page.locator('#editor [data-do=apply]').click();
  await page.locator('dialog [name=reason]').fill('CMI is full');
  await press('confirm');
  await press('close');
  await shows('#revisions li').toMatch(/2 ●in force.*ops: CMI is full/);
  await expect.poll(() => addresses(stand.sites[2], mobile), patience).toBe('203.0.113.31');
});

test('brings a revision back after it has shown whom that moves', async () => {
  await page.locator('[data-revision="1"] [data-do=rollback]').click();
  await shows('dialog .effects li').toMatch(/cm AS9808 CN: hk-hkbn → hk-cmi/);
  await press('confirm');
  await press('close');
  await shows('#revisions li').toMatch(/3 ●in force.*ops: back to 1brings back 1/);
  await expect
    .poll(() => addresses(stand.sites[2], mobile), patience)
    .toBe('203.0.113.11 203.0.113.12 203.0.113.41');
  expect(readFileSync(`${stand.folder}/rules.yaml`, 'utf8')).toBe(
    readFileSync('lab/geodns/rules.yaml', 'utf8'),
  );
});

test('speaks Chinese when asked to, and remembers it', async () => {
  await page.locator('[data-do=language]').click();
  await shows('#targets h2').toBe('目标');
  expect(await page.evaluate('document.documentElement.lang')).toBe('zh-CN');
  await page.reload();
  await shows('#targets h2').toBe('目标');
  await page.locator('[data-do=language]').click();
  await shows('#targets h2').toBe('Targets');
});

test('fits a phone of 360 pixels, and axe finds nothing serious, in the light or in the dark', async () => {
  expect(await seriousFindings(page)).toEqual([]);
  const phone = await openPage(360, 'dark');
  await enter(phone, labTokens.ops);
  await phone.locator('.targets tbody tr').first().waitFor(patience);
  await phone.locator('#answers tbody tr').first().waitFor(patience);
  expect(await overflow(phone)).toBe(0);
  expect(await seriousFindings(phone)).toEqual([]);
  await phone.context().close();
});

test('can be used by keyboard alone', async () => {
  await page.locator('tr[data-target="hk1/hkbn"] [data-do=override]').focus();
  await page.keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor(patience);
  expect(await page.evaluate('document.querySelector("dialog").contains(document.activeElement)')).toBe(true);
  await page.keyboard.press('Escape');
  expect(await page.locator('dialog[open]').count()).toBe(0);
  expect(await page.evaluate('document.activeElement.dataset.target')).toBe('hk1/hkbn');
});

test('says what is wrong, and that it hears nothing when the service is gone', async () => {
  await ops('PUT', '/v1/overrides/*/*', {
    state: 'down',
    until: new Date(Date.now() + 600_000).toISOString(),
    reason: 'all of them',
  });
  await shows('#troubles li').toMatch(/act.*all-down/);
  service.kill('SIGTERM');
  await expect.poll(() => service.exitCode, patience).toBe(0);
  await shows('#stale').toContain('No word from the service since');
});

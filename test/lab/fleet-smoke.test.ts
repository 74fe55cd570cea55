/**
 * The fleet as it stands, one fault in it, and the fleet view of the operator page in headless Chromium. With
 * CAUSEWAY_SCREENSHOTS=FOLDER it also takes that view's picture for docs/screenshots.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { announcingNodes, type Fleet, onNode, startFleet } from '../../lab/fleet/fleet.ts';
import { fleetScenarioNamed } from '../../lab/fleet/list.ts';
import { fleetOptions } from '../../lab/fleet/options.ts';
import { playFleet, readyForFleet } from '../../lab/fleet/play.ts';
import { frozenNodes } from '../../lab/fleet/view.ts';
import { type PageUrl, servePageUrl } from '../../lab/live/page-url.ts';
import { carrierNames, fleetNodeNames, freshLabId, labOfNamespace } from '../../lab/network/names.ts';
import { listNamespaces } from '../../lab/network/removal.ts';
import { reportText } from '../../lab/scenarios/play.ts';
import { launchBrowser, openIn, overflow, seriousFindings } from '../support/browser.ts';

const id = freshLabId();
const token = 'a-token-for-the-lab-alone';
const tokenFile = join(tmpdir(), `${id}.token`);
const patience = { timeout: 30_000 };
const pictures = process.env['CAUSEWAY_SCREENSHOTS'];
let fleet: Fleet | undefined;

beforeAll(async () => {
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  fleet = await startFleet(id, { configOf: () => ({ ...fleetOptions, tokenFile }) });
  await readyForFleet(fleet);
}, 240_000);

afterAll(() => {
  fleet?.remove();
  rmSync(tokenFile, { force: true });
  expect(listNamespaces().filter((name) => labOfNamespace(name) === id)).toEqual([]);
});

function lab(): Fleet {
  if (fleet === undefined) throw new Error('no fleet');
  return fleet;
}

test('five nodes announce at three carriers, and see each other through Redis', async () => {
  expect(await announcingNodes(lab())).toEqual(fleetNodeNames);
});

test('a node whose HAProxy dies drains, leaves with consent and returns; no other node moves', async () => {
  const scenario = fleetScenarioNamed('haproxy-dies-on-one');
  if (scenario === null) throw new Error('no such scenario');
  const report = await playFleet(lab(), scenario);
  if (!report.passed) throw new Error(reportText(report));
});

describe('the page of one node', () => {
  let served: PageUrl;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    served = await servePageUrl(lab().node('hk1').lab.network);
    browser = await launchBrowser();
    page = await openIn(browser, { url: served.url, width: 1280 });
  });

  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  /** By node, what each carrier's cell says, without the shapes. */
  const cells = (): Promise<Readonly<Record<string, readonly string[]>>> =>
    page.evaluate(`Object.fromEntries([...document.querySelectorAll('#fleet tr[data-node]')].map((row) =>
      [row.dataset.node, [...row.querySelectorAll('.carrier')].map((cell) => cell.innerText.slice(1).trim())]))`);
  const row = (node: string): string => `#fleet tr[data-node=${node}]`;
  const press = (step: string): Promise<void> => page.locator(`dialog [data-step=${step}]`).click(patience);
  const says = (selector: string): ReturnType<typeof expect.poll<string | null>> =>
    expect.poll(() => page.locator(selector).first().textContent(), patience);

  async function ask(action: 'freeze' | 'thaw', fields: Readonly<Record<string, string>>): Promise<void> {
    await page.locator(`#head [data-do=${action}]`).click(patience);
    for (const [name, value] of Object.entries(fields))
      await page.locator(`dialog [name=${name}]`).fill(value);
    await page.locator('dialog [name=fleet]').check();
    await press('preview');
  }

  async function confirm(): Promise<void> {
    await press('confirm');
    await says('dialog strong').toBe('Done.');
    await press('close');
  }

  test('shows every node at every carrier, and what another node changes', async () => {
    const all = Object.fromEntries(fleetNodeNames.map((name) => [name, carrierNames.map(() => 'announces')]));
    await expect.poll(cells, patience).toEqual(all);
    await onNode(lab(), 'hk3', [
      'drain',
      'hkbn',
      '--family',
      '4',
      '--for',
      '1h',
      '--author',
      'kim',
      '--reason',
      'NOC-17',
    ]);
    await says(`${row('hk3')} [data-label=hkbn]`).toMatch(/drained IPv4.*announces IPv6/);
  });

  test('freezes no node without the token', async () => {
    await ask('freeze', { reason: 'moving day', author: 'kim' });
    await says('dialog .refusal').toMatch(/Refused \(401\).*token/);
    expect(await frozenNodes(lab())).toEqual([]);
  });

  test('freezes the whole fleet with it, after the effect was shown and confirmed', async () => {
    await page.locator('dialog [name=token]').fill(token);
    await press('preview');
    await says('dialog .effects').toBe('');
    expect(await frozenNodes(lab())).toEqual([]);
    await confirm();
    await expect.poll(() => frozenNodes(lab()), patience).toEqual(fleetNodeNames);
    for (const name of fleetNodeNames) await says(`${row(name)} th`).toContain('frozen');
    expect(await seriousFindings(page)).toEqual([]);
    await looksRight('fleet-phone', 360);
    await looksRight('fleet', 1280);
  });

  test('thaws all of it in the same way', async () => {
    await ask('thaw', {});
    await says('dialog h3').toBe('What would change');
    expect(await frozenNodes(lab())).toEqual(fleetNodeNames);
    await confirm();
    await expect.poll(() => frozenNodes(lab()), patience).toEqual([]);
    for (const name of fleetNodeNames) await says(`${row(name)} th`).not.toContain('frozen');
  });

  async function looksRight(picture: string, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflow(page)).toBe(0);
    if (pictures !== undefined)
      await page.locator('#fleet').screenshot({ path: join(pictures, `${picture}.png`) });
  }
});

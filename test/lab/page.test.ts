/**
 * The operator page in headless Chromium, against one running lab. With CAUSEWAY_SCREENSHOTS=FOLDER it also takes the
 * pictures of docs/screenshots.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blackHole } from '../../lab/faults/packet-filter.ts';
import { type PageUrl, servePageUrl } from '../../lab/live/page-url.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { type Lab, startLab, waitHealthy } from '../../lab/node/lab.ts';
import { causeway, readStatus, signalDaemon } from '../../lab/node/program.ts';
import { isDrained, isPlain } from '../../lab/scenarios/expect.ts';
import { launchBrowser, openIn, overflow, seriousFindings } from '../support/browser.ts';

const token = 'a-token-for-the-lab-alone';
const pictures = process.env['CAUSEWAY_SCREENSHOTS'];
const patience = { timeout: 60_000 };

let lab: Lab;
let served: PageUrl;
let browser: Browser;
let page: Page;
let tokenFile: string;
/** What the browser complained about: faults of scripts, and what the content security policy stopped. */
const complaints: string[] = [];

beforeAll(async () => {
  const id = freshLabId();
  tokenFile = join(tmpdir(), `${id}.token`);
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  lab = await startLab(id, { node: { tokenFile } });
  served = await servePageUrl(lab.network);
  browser = await launchBrowser();
  page = await openPage(1280);
  await waitHealthy(lab);
});

afterAll(async () => {
  await browser?.close();
  await served?.close();
  lab?.remove();
  rmSync(tokenFile, { force: true });
});

async function openPage(width: number, scheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const opened = await openIn(browser, { url: served.url, width, scheme, complaints });
  await opened.locator('tr[data-uplink]').first().waitFor(patience);
  return opened;
}

const row = (uplink: string, family = 4): string =>
  `.uplinks tr[data-uplink=${uplink}][data-family="${family}"]`;

/** Waits until the expression is true in the page; wall time in ms when it was. The policy forbids strings as code there. */
function shownAt(expression: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const deadline = Date.now() + ${patience.timeout};
    const look = () => {
      if (${expression}) resolve(Date.now());
      else if (Date.now() > deadline) reject(new Error('not shown'));
      else setTimeout(look, 20);
    };
    look();
  })`);
}

/** What a page that was open before the fault shows of it, and when. */
async function watchTheFault(brokenAt: number): Promise<void> {
  const lossAt = await shownAt(
    `parseFloat(document.querySelector('${row('cmi')} .loss-now').textContent.replace('✖', '')) >= 5`,
  );
  const verdictShownAt = await shownAt(`document.querySelector('${row('cmi')}').classList.contains('bad')`);
  const verdictAt = await waitUntil('the verdict in the history', async () => {
    const answer = await fetch(`${served.url}/v1/history?since=2min&kind=verdict&uplink=cmi&limit=1000`);
    const { entries } = (await answer.json()) as {
      readonly entries: readonly { at: string; family: number; subject: string; to: string }[];
    };
    const found = entries.find(
      ({ family, subject, to }) => family === 4 && subject === 'uplink' && to === 'failed',
    );
    return found === undefined ? null : Date.parse(found.at);
  });
  await shownAt(
    `document.querySelector('.announcements tr[data-uplink=cmi] .seen').textContent.includes('absent')`,
  );
  const figures = { lossMillis: lossAt - brokenAt, verdictMillis: verdictShownAt - verdictAt };
  process.stderr.write(
    `page: loss ${figures.lossMillis} ms after the fault, verdict ${figures.verdictMillis} ms after it was made\n`,
  );
  // The targets are 2 s and 1 s; a busy machine gets five times that.
  expect(figures.lossMillis).toBeLessThan(10_000);
  expect(figures.verdictMillis).toBeLessThan(5000);
  expect(await page.evaluate('window.notReloaded')).toBe(true);
  await expect
    .poll(() => page.locator('#troubles li').first().textContent(), patience)
    .toMatch(/cmi IPv4\+IPv6: failed.*announced by pccw, hkbn/s);
  await expect
    .poll(() => page.locator('#timeline').textContent(), patience)
    .toMatch(/web cmi IPv4[^→]* announce → ✖withdraw/);
  expect(await seriousFindings(page)).toEqual([]);
}

async function picturesOfTheFault(): Promise<void> {
  if (pictures === undefined) return;
  await picture(page, 'fault');
  await page.locator('#charts').screenshot({ path: join(pictures, 'charts.png') });
  for (const [name, width, scheme] of [
    ['phone', 360, 'light'],
    ['dark', 1280, 'dark'],
  ] as const) {
    const other = await openPage(width, scheme);
    await other.locator('#troubles li').first().waitFor(patience);
    await picture(other, name);
    await other.context().close();
  }
}

async function picture(opened: Page, name: string): Promise<void> {
  if (pictures !== undefined) await opened.screenshot({ path: join(pictures, `${name}.png`) });
}

async function fill(opened: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields))
    await opened.locator(`dialog [name=${name}]`).fill(value);
}

const press = (step: string): Promise<void> => page.locator(`dialog [data-step=${step}]`).click(patience);

describe('the operator page', () => {
  test('shows three healthy uplinks in five regions, and wanted as seen', async () => {
    await expect
      .poll(() => page.locator('.headline').textContent(), patience)
      .toContain('3 of 3 uplinks healthy');
    expect(await page.locator('.uplinks tbody tr').count()).toBe(6);
    expect(await page.locator(`${row('cmi')} .region`).count()).toBe(5);
    await expect.poll(() => page.locator('.announcements tr.as-wished').count(), patience).toBe(6);
    await page.locator('#chart-loss canvas').waitFor(patience);
    await expect.poll(() => page.locator('#troubles').textContent(), patience).toContain('Nothing is wrong');
    await picture(page, 'healthy');
  });

  test('is one page of its own: no request leaves its origin, and nothing is blocked', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    await page.reload();
    await page.locator(row('cmi')).waitFor(patience);
    expect(new Set(asked)).toEqual(new Set([served.url]));
    expect(complaints).toEqual([]);
  });

  test('shows the loss of a broken uplink, then its verdict, without being loaded again', async () => {
    await page.evaluate('window.notReloaded = true');
    const hole = blackHole({ carrier: 'cmi' });
    await hole.apply(lab.network);
    try {
      await watchTheFault(Date.now());
      await picturesOfTheFault();
    } finally {
      await hole.mend(lab.network);
    }
    await waitHealthy(lab);
  });

  test('refuses a command without the token or with another one, and says so', async () => {
    await page.locator(`${row('pccw')} [data-do=override]`).click();
    await fill(page, { reason: 'fibre works <b>NOC-17</b>', author: 'kim' });
    await press('preview');
    await expect
      .poll(() => page.locator('dialog .refusal').textContent(), patience)
      .toMatch(/Refused \(401\).*token/);
    await fill(page, { token: 'quite-another-token' });
    await press('preview');
    await expect
      .poll(() => page.locator('dialog .refusal').textContent(), patience)
      .toMatch(/Refused \(401\)/);
    expect((await readStatus(lab.network))?.overrides).toEqual([]);
  });

  test('shows what a drain would change, and after the confirmation the carrier has it', async () => {
    await fill(page, { token });
    await press('preview');
    await expect
      .poll(() => page.locator('dialog .effects').textContent(), patience)
      .toContain('web pccw IPv4 announce → ▲drain');
    expect((await readStatus(lab.network))?.overrides).toEqual([]);
    await picture(page, 'drain');
    expect(await seriousFindings(page)).toEqual([]);
    await press('confirm');
    await waitUntil('the carrier to hold a drained route', async () =>
      isDrained((await lab.observer.view('pccw')).routes[4]),
    );
    await press('close');
    await expect.poll(() => page.locator('#overrides').textContent(), patience).toContain('kim');
    // Other people's words are text.
    expect(await page.locator('#overrides').textContent()).toContain('fibre works <b>NOC-17</b>');
    expect(await page.locator('#overrides b').count()).toBe(0);
    await page.locator('#overrides [data-do=release]').click();
    await press('preview');
    await press('confirm');
    await waitUntil('the carrier to hold the plain route again', async () =>
      isPlain((await lab.observer.view('pccw')).routes[4]),
    );
    await press('close');
  });

  test('keeps a script in somebody’s reason what it is: text', async () => {
    const reason = '<img src=x onerror=window.pwned=1><script>window.pwned=1</script>';
    const args = ['drain', 'hkbn', '--for', '1h', '--author', 'mallory', '--reason', reason];
    await causeway(lab.network, args);
    await expect.poll(() => page.locator('#troubles').textContent(), patience).toContain(reason);
    await expect.poll(() => page.locator('#timeline').textContent(), patience).toContain(reason);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('main img, main script').count()).toBe(0);
    await causeway(lab.network, ['release', 'hkbn', '--author', 'mallory']);
  });

  test('speaks Chinese when asked to, and remembers it', async () => {
    await page.locator('[data-do=language]').click();
    await expect.poll(() => page.locator('.headline').textContent(), patience).toContain('3 条上联中');
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-CN');
    await picture(page, 'chinese');
    await page.reload();
    await expect.poll(() => page.locator('.headline').textContent(), patience).toContain('3 条上联中');
    await page.locator('[data-do=language]').click();
    await expect.poll(() => page.locator('.headline').textContent(), patience).toContain('uplinks');
  });

  test('fits a phone of 360 pixels, in the dark too, and axe finds nothing serious', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const phone = await openPage(360, scheme);
      expect(await overflow(phone)).toBe(0);
      expect(await seriousFindings(phone)).toEqual([]);
      await phone.locator('[data-do=override]').first().click();
      expect(await overflow(phone)).toBe(0);
      await phone.context().close();
    }
  });

  test('can be used by keyboard alone', async () => {
    await page.locator(`${row('cmi')} [data-do=override]`).focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor(patience);
    const inside = 'document.querySelector("dialog").contains(document.activeElement)';
    expect(await page.evaluate(inside)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.dataset.uplink')).toBe('cmi');
  });

  test('says since when it hears nothing, and goes on when the daemon is back', async () => {
    signalDaemon(lab.network, 'SIGSTOP');
    try {
      await expect
        .poll(() => page.locator('#stale').textContent(), patience)
        .toContain('No word from the daemon since');
    } finally {
      signalDaemon(lab.network, 'SIGCONT');
    }
    await expect.poll(() => page.locator('#stale').textContent(), patience).toBe('');
    expect(complaints.filter((text) => /policy|TypeError|ReferenceError/i.test(text))).toEqual([]);
  });
});

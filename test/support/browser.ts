/** Pages in headless Chromium, and what the tests of every page ask of them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

export interface OpenOptions {
  readonly url: string;
  readonly width: number;
  readonly scheme?: 'light' | 'dark';
  /** Gets what the browser complains about: faults of scripts, and what the content security policy stopped. */
  readonly complaints?: string[];
}

/** With more arguments of Chromium's own where a test needs them. */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Grey edges of letters make smaller pictures than coloured ones.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text', ...more],
  });
}

/** In a context of its own, which nothing is remembered in. */
export async function openIn(
  browser: Browser,
  { url, width, scheme = 'light', complaints = [] }: OpenOptions,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    locale: 'en-GB',
  });
  const opened = await context.newPage();
  opened.on('pageerror', (error) => complaints.push(String(error)));
  opened.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await opened.goto(url);
  return opened;
}

let axe: string | null = null;

/** Serious findings of axe, as `rule: elements`. */
export async function seriousFindings(opened: Page): Promise<readonly string[]> {
  axe ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await opened.evaluate(axe);
  const found = await opened.evaluate<
    readonly { impact: string; id: string; nodes: readonly { html: string; failureSummary: string }[] }[]
  >(`axe.run(document).then(({ violations }) => violations.map(({ impact, id, nodes }) =>
      ({ impact, id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes.slice(0, 3))}`);
}

/** By how many pixels the document is wider than its window. */
export function overflow(opened: Page): Promise<number> {
  return opened.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

/** What the page of GeoDNS makes of the service's answers, and how it is served: the parts that need no browser. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { troublesOf } from '../../geodns/page/browser/troubles.ts';
import { english } from '../../geodns/page/browser/words.en.ts';
import { chinese } from '../../geodns/page/browser/words.zh.ts';
import type { GeoDnsSites, GeoDnsState } from '../../src/types/wire/geodns-answers.ts';
import { type GeoDnsWorld, geodnsWorld, type ServedWorld, serveWorld } from '../support/geodns-world.ts';

const calm: GeoDnsState = {
  revision: 7,
  networks: '1',
  targets: [],
  overrides: [],
  alarms: {
    held: [],
    silentNodes: [],
    oldDatabases: [],
    unknownRegions: [],
    halvedShares: [],
    databases: [],
    degraded: [],
  },
};
const site = { name: 'tyo', serial: 7, error: null, behind: 0, behindSeconds: 0 };
const even: GeoDnsSites = { wanted: 7, kind: 'idle', error: null, sites: [site], verification: null };

describe('what is wrong', () => {
  test('of a service whose sites have all is nothing', () => {
    expect(troublesOf(calm, even, english)).toEqual([]);
    expect(troublesOf(null, null, english)).toEqual([]);
  });

  test('comes with what needs a person first', () => {
    const degraded = [
      { policy: 'cdn', rule: 0, family: 4, country: null, level: 'short' },
      { policy: 'cdn', rule: 3, family: 6, country: 'ID', level: 'fail-open' },
    ] as const;
    const troubles = troublesOf(
      { ...calm, alarms: { ...calm.alarms, degraded, silentNodes: ['hk1'], held: ['hk2/cmi 4'] } },
      { ...even, kind: 'fenced', verification: { revision: 7, asked: 9, wrong: ['tyo answers x'] } },
      english,
    );
    expect(troubles.map(({ level }) => level)).toEqual(['act', 'act', 'act', 'act', 'watch', 'watch']);
    expect(troubles.map(({ text }) => text).join('\n')).toMatch(
      /Another writer.*1 of 9 answers.*tyo answers x.*rule 3, IPv6, ID: fail-open.*hk2\/cmi 4.*default, IPv4: short.*hk1 is silent/s,
    );
  });

  test('counts a site as late after a while, or when it was never seen whole', () => {
    const late = (behindSeconds: number | null): number =>
      troublesOf(calm, { ...even, sites: [{ ...site, behind: 2, behindSeconds }] }, english).length;
    expect([late(1), late(6), late(null)]).toEqual([0, 1, 1]);
  });
});

test('both languages say every word, each in its own', () => {
  expect(Object.keys(chinese)).toEqual(Object.keys(english));
  const same = Object.entries(english).filter(
    ([name, text]) => typeof text === 'string' && Reflect.get(chinese, name) === text,
  );
  expect(same.map(([name]) => name)).toEqual(['title']);
});

describe('the page as it is served', () => {
  let world: GeoDnsWorld;
  let served: ServedWorld;
  beforeAll(async () => {
    world = await geodnsWorld();
    served = await serveWorld(world);
  });
  afterAll(async () => {
    await served.app.close();
    await world.close();
  });

  test('is HTML without a token, under a policy that lets nothing in from elsewhere', async () => {
    const answer = await fetch(`${served.url}/`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toBe(readFileSync('geodns/page/browser/index.html', 'utf8'));
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
  });

  test('brings its own files and the daemon’s that it is made of, and nothing else', async () => {
    const status = async (path: string): Promise<number> =>
      (await fetch(`${served.url}/page/${path}`)).status;
    expect(await status('geodns/page/browser/geodns.css')).toBe(200);
    expect(await status('src/http/page/browser/page.css')).toBe(200);
    for (const path of [
      'src/http/page/browser/index.html',
      'geodns/page/browser/tsconfig.json',
      'package.json',
    ])
      expect([path, await status(path)]).toEqual([path, 404]);
    expect(await status('..%2f..%2fpackage.json')).toBe(404);
  });
});

test('each part of the daemon’s page that a module names is served', () => {
  const routes = readFileSync('geodns/page/routes.ts', 'utf8');
  const named = readdirSync('geodns/page/browser')
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [
      ...readFileSync(`geodns/page/browser/${name}`, 'utf8').matchAll(
        /import (?!type)[^;]*from '\.\.\/\.\.\/\.\.\/src\/http\/page\/browser\/([a-z-]+)\.ts'/g,
      ),
    ])
    .map(([, name = '']) => `'${name}.js'`);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !routes.includes(name))).toEqual([]);
});

/** Names and words of operators in the rendered text: what BIRD might take for something else never reaches it bare. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSyntax } from '../../bird/owned-file.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { defaultStates } from '../../bird/render/parts.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import { nodeConfig, service, uplink } from '../golden/node-configs.ts';
import { problemsOf, sample } from './config-sample.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-names-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Keywords of BIRD, even runs of hexadecimal digits, and names as long as they may be. */
const awkward = [
  'local',
  'source',
  'primary',
  'direct',
  'deadbeefcafe01',
  's',
  'as4',
  'md5',
  'transit',
  'customer',
  'peer',
  'table',
  'p1',
  'p14',
  'x'.repeat(15),
  'a'.repeat(14),
];

test.each(birdVersions())(
  'uplinks and services may be named like words of BIRD $version',
  async ({ version, bird }) => {
    const config = nodeConfig(
      awkward.map((name, index) => uplink(name, { table: 1001 + index, interface: `eth${index}` })),
      awkward.map((name, index) => service(name, `10.${index}.0.0/16`, `2001:db8:${index}::/48`)),
    );
    const file = join(folder, `${version}.conf`);
    writeFileSync(file, renderConfig(config, new Map()));
    expect(await checkSyntax(file, { binary: bird })).toEqual({ kind: 'ok' });
  },
);

test('no two uplinks and services share a name of a protocol, and none is longer than 64 characters', () => {
  const digits = ['a', 'a4', 'a44', 'a46', 'a6', 'a64', 'x'.repeat(15)];
  const config = nodeConfig(
    digits.map((name) => uplink(name)),
    digits.map((name, index) => service(name, `10.${index}.0.0/16`, `2001:db8:${index}::/48`)),
  );
  const names = [...defaultStates(config).keys()];
  expect(names.length).toBe(digits.length * 2 * (2 * digits.length + 2));
  expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(64);
});

describe('names that would have to be cleaned, and then could collide, are refused where they stand', () => {
  test.each(['edge-1', 'edge.1', '4hub', 'edge 1', 'edge@1', 'Edge', 'x'.repeat(16), 'édge', '*', ''])(
    'an uplink or service named %j',
    (name) => {
      const allowed = (what: string): string =>
        `allowed: a name for the ${what}: a small letter, then up to 14 small letters or digits`;
      expect(problemsOf(sample.replace('  pccw:\n', `  ${JSON.stringify(name)}:\n`))).toEqual([
        expect.stringContaining(allowed('uplink')),
      ]);
      expect(problemsOf(sample.replace('  dns:\n', `  ${JSON.stringify(name)}:\n`))).toEqual([
        expect.stringContaining(allowed('service')),
      ]);
    },
  );
});

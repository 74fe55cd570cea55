/**
 * The rendered config against files that a person has read, each through the real `bird -p` of every version as well.
 * Renew them with `UPDATE_GOLDEN=1 npx vitest run --project unit test/golden`, and read the difference.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSyntax } from '../../bird/owned-file.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { unmetNeeds } from '../../bird/render/needs.ts';
import type { FileStates } from '../../bird/file-states.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import { readConfig } from '../../src/config/read.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { oddities, smallest, threeCarriers } from './node-configs.ts';

interface Case {
  readonly name: string;
  readonly config: NodeConfig;
  readonly states: FileStates;
  readonly passwords?: ReadonlyMap<string, string>;
}

const none: FileStates = new Map();
const cmiPassword = new Map([['cmi', 'wOrd;# with {odd} signs']]);
const aoSecrets = new Map([
  ['cmi/ao/1', 'first; {secret}'],
  ['cmi/ao/2', 'second'],
]);

const cases: readonly Case[] = [
  { name: 'three-carriers-whole', config: threeCarriers('whole'), states: none },
  { name: 'three-carriers-include', config: threeCarriers('include'), states: none },
  {
    name: 'cmi-withdrawn-pccw-drained',
    config: threeCarriers('whole'),
    states: new Map([
      ['announce_cmi_web4', { disabled: true, description: 'withdrawn: loss 34 % on 3 of 4 targets in ID' }],
      ['drain_pccw_web4', { disabled: false, description: 'drained: +400 ms' }],
      ['learn_cmi4', { disabled: true, description: 'avoided: nothing is announced here' }],
      ['bgp_hkbn6', { disabled: true, description: 'birdc: "ticket 42"\nuntil 04:00 – 維護' }],
    ]),
  },
  { name: 'oddities', config: oddities(), states: none, passwords: cmiPassword },
  { name: 'smallest-include', config: smallest('include'), states: none },
  { name: 'every-option-whole', config: everyOption('whole'), states: none, passwords: cmiPassword },
  { name: 'every-option-include', config: everyOption('include'), states: none, passwords: cmiPassword },
  { name: 'tcp-ao', config: configIn('tcp-ao.in.yaml'), states: none, passwords: aoSecrets },
];

function everyOption(layout: 'whole' | 'include'): NodeConfig {
  return configIn('every-option.in.yaml', (text) => text.replace('layout: whole', `layout: ${layout}`));
}

/** A config beside this file. */
function configIn(name: string, change: (text: string) => string = (text) => text): NodeConfig {
  const read = readConfig(name, change(readFileSync(join(import.meta.dirname, name), 'utf8')));
  if (read.kind === 'bad') throw new Error(read.problems.map(({ text }) => text).join('\n'));
  return read.config;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-golden-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(cases)('$name', ({ name, config, states, passwords }) => {
  const text = (): string => renderConfig(config, states, passwords);

  test('renders to the golden file, byte for byte', () => {
    const path = join(import.meta.dirname, `${name}.conf`);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, text());
    expect(text()).toBe(readFileSync(path, 'utf8'));
  });

  test.each(birdVersions())('passes bird -p of $version, where that has what it asks for', async (each) => {
    const path = join(folder, `${name}.conf`);
    writeFileSync(path, text());
    const answer = await checkSyntax(path, { binary: each.bird });
    if (unmetNeeds(config, each.version).length === 0) expect(answer).toEqual({ kind: 'ok' });
    else expect(answer).toMatchObject({ kind: 'refused', text: expect.stringContaining('AUTHENTICATION') });
  });
});

test('secrets stand nowhere in a text that is rendered without them', () => {
  for (const { config, states, passwords } of cases) {
    const shown = renderConfig(config, states);
    for (const secret of passwords?.values() ?? []) expect(shown).not.toContain(secret);
  }
});

/**
 * The rendered config against files that a person has read, each through the real `bird -p` as well.
 * Renew them with `UPDATE_GOLDEN=1 npx vitest run --project unit test/golden`, and read the difference.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSyntax } from '../../bird/owned-file.ts';
import { renderConfig } from '../../bird/render/config.ts';
import type { FileStates } from '../../bird/file-states.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { oddities, smallest, threeCarriers } from './node-configs.ts';

interface Case {
  readonly name: string;
  readonly config: NodeConfig;
  readonly states: FileStates;
  readonly passwords?: ReadonlyMap<string, string>;
}

const none: FileStates = new Map();

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
  {
    name: 'oddities',
    config: oddities(),
    states: none,
    passwords: new Map([['cmi', 'wOrd;# with {odd} signs']]),
  },
  { name: 'smallest-include', config: smallest('include'), states: none },
];

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

  test('passes bird -p', async () => {
    const path = join(folder, `${name}.conf`);
    writeFileSync(path, text());
    expect(await checkSyntax(path, { binary: 'bird' })).toEqual({ kind: 'ok' });
  });
});

/** `on_boot: hold` in the owned file, and what a start of the daemon reads of it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileState, readStates, restate } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { type Output } from '../../src/cli/exit.ts';
import { runProgram } from '../../src/cli/program.ts';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { adoptStanding } from '../../src/daemon/adopt.ts';
import { adoptReadiness } from '../../src/daemon/adopt-readiness.ts';
import { holdForBoot } from '../../src/daemon/boot.ts';
import { openOverrideStore } from '../../src/daemon/override-store.ts';
import type { NodeConfig, Service } from '../../src/types/config.ts';
import type { Override } from '../../src/types/override.ts';
import type { ReadyCheck } from '../../src/types/ready-check.ts';
import { millis } from '../../src/types/units.ts';
import { sample } from './config-sample.ts';
import { nodeWith } from '../support/node-config.ts';
import { web } from '../support/world.ts';

const check: ReadyCheck = {
  probe: { kind: 'file', path: '/run/ready' },
  intervalMillis: millis(1000),
  timeoutMillis: millis(1000),
  rise: 2,
  fall: 3,
};
const checked: Service = { ...web, ready: [check] };
const unchecked: Service = { ...web, name: 'dns', prefixes: [{ family: 4, text: '198.18.0.0/24' }] };
const boot: FileState = {
  disabled: true,
  description: 'withdrawn: withdrawn since the boot until it is ready',
};

let folder = '';
let config: NodeConfig;
const states = () => readStates(readFileSync(config.bird.config, 'utf8'));
const write = (changes: Readonly<Record<string, FileState>> = {}): void =>
  writeFileSync(
    config.bird.config,
    restate(renderConfig(config, new Map()), new Map(Object.entries(changes))),
  );

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-boot-'));
  const base = nodeWith(['cmi', 'pccw']);
  config = {
    ...base,
    onBoot: 'hold',
    services: [checked, unchecked],
    bird: { ...base.bird, config: join(folder, 'causeway.conf') },
    paths: { ...base.paths, state: join(folder, 'state') },
  };
  write();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('before BIRD starts', () => {
  test('services with a check are held down, others and sessions are not touched', async () => {
    const before = states();
    expect(await holdForBoot(config)).toMatchObject({
      kind: 'held',
      protocols: ['announce_cmi_web4', 'drain_cmi_web4', 'announce_pccw_web4', 'drain_pccw_web4'],
    });
    const changed = [...states()].filter(([name, state]) => !isDeepStrictEqual(before.get(name), state));
    const held = ['announce_cmi_web4', 'drain_cmi_web4', 'announce_pccw_web4', 'drain_pccw_web4'];
    expect(Object.fromEntries(changed)).toEqual(Object.fromEntries(held.map((name) => [name, boot])));
  });

  test('it is done once in a boot: what the daemon returned since stays', async () => {
    await holdForBoot(config);
    write();
    expect(await holdForBoot(config)).toEqual({ kind: 'left', text: 'this boot was seen to already' });
    expect(states().get('announce_cmi_web4')?.disabled).toBe(false);
    writeFileSync(join(folder, 'state', 'booted'), 'the boot before');
    expect((await holdForBoot(config)).kind).toBe('held');
  });

  test.each([
    ['on_boot: as-left', (one: NodeConfig): NodeConfig => ({ ...one, onBoot: 'as-left' })],
    ['mode: observe', (one: NodeConfig): NodeConfig => ({ ...one, mode: 'observe' })],
    ['no service with a check', (one: NodeConfig): NodeConfig => ({ ...one, services: [unchecked] })],
  ])('%s leaves the file as it is', async (_what, change) => {
    const before = readFileSync(config.bird.config, 'utf8');
    expect((await holdForBoot(change(config))).kind).toBe('left');
    expect(readFileSync(config.bird.config, 'utf8')).toBe(before);
  });

  test('a freeze leaves the file as it is', async () => {
    mkdirSync(config.paths.state);
    writeFileSync(join(config.paths.state, 'freeze'), '');
    expect(await holdForBoot(config)).toMatchObject({
      kind: 'left',
      text: expect.stringContaining('frozen'),
    });
    expect(states().get('announce_cmi_web4')?.disabled).toBe(false);
  });

  test("a hand's and a verdict's withdrawal keep their reasons, and a drained one is held", async () => {
    const hand: FileState = { disabled: true, description: 'by hand: ticket 42' };
    write({
      announce_cmi_web4: hand,
      drain_cmi_web4: hand,
      drain_pccw_web4: { disabled: false, description: 'drained: latency' },
    });
    await holdForBoot(config);
    expect(states().get('announce_cmi_web4')).toEqual(hand);
    expect(states().get('drain_pccw_web4')).toEqual(boot);
    expect(states().get('announce_pccw_web4')).toEqual(boot);
  });

  test("an operator's override stands above it, as long as it has not expired", async () => {
    const override = (uplink: string, expires: string | null): Override => ({
      subject: { kind: 'selection', service: 'web', uplink, family: null },
      state: 'announce',
      author: 'alice',
      reason: 'ticket 43',
      at: '2026-11-30T01:00:00.000Z',
      expires,
    });
    const overrides = [override('cmi', null), override('pccw', '2026-11-30T02:00:00.000Z')];
    await openOverrideStore(config.paths.state).save({ overrides, released: new Set() }, 30_000);
    await holdForBoot(config, Date.parse('2026-11-30T03:00:00Z'));
    expect(states().get('announce_cmi_web4')?.disabled).toBe(false);
    expect(states().get('announce_pccw_web4')).toEqual(boot);
  });

  test('a missing file is told with what mends it, and is looked for again', async () => {
    rmSync(config.bird.config);
    expect(await holdForBoot(config)).toMatchObject({
      kind: 'unable',
      code: 'no-file',
      text: expect.stringContaining('causeway render --write'),
    });
    write();
    expect((await holdForBoot(config)).kind).toBe('held');
  });

  test('a file that is cut is not written over', async () => {
    const cut = readFileSync(config.bird.config, 'utf8').slice(0, 500);
    writeFileSync(config.bird.config, cut);
    expect(await holdForBoot(config)).toMatchObject({ kind: 'unable', code: 'failed' });
    expect(readFileSync(config.bird.config, 'utf8')).toBe(cut);
  });
});

describe('a start of the daemon', () => {
  const adopt = (remembered = emptyDecideMemory) =>
    adoptReadiness(config, states(), remembered, adoptStanding(config, states(), remembered));

  test('goes on booting where the boot left something withdrawn', async () => {
    await holdForBoot(config);
    const { memory, booting } = adopt();
    expect(booting).toBe(true);
    expect(memory.readied).toEqual({ web: { ready: false, once: false } });
    expect(memory.standing['cmi_web4']).toMatchObject({ state: 'announce', byVerdict: false });
  });

  test('keeps a service down that was not ready, until its check says otherwise', () => {
    write({ drain_cmi_web4: { disabled: false, description: 'drained: not ready: file /run/ready: gone' } });
    const { memory, booting } = adopt();
    expect(booting).toBe(false);
    expect(memory.readied).toEqual({ web: { ready: false, once: true } });
    expect(memory.standing['cmi_web4']).toMatchObject({ state: 'announce', byVerdict: false });
  });

  test('takes the word of the file before that of a checkpoint, which is older, and what stands beneath from the checkpoint', () => {
    const beneath = { state: 'drain', reason: 'latency', text: 'slow', byVerdict: true } as const;
    const remembered = (ready: boolean) => ({
      ...emptyDecideMemory,
      standing: { cmi_web4: beneath },
      readied: { web: { ready, once: true } },
    });
    expect(adopt(remembered(false)).memory.readied).toEqual({ web: { ready: true, once: true } });
    write({ drain_cmi_web4: { disabled: false, description: 'drained: not ready: file /run/ready: gone' } });
    expect(adopt(remembered(true)).memory.readied).toEqual({ web: { ready: false, once: true } });
    expect(adopt(remembered(true)).memory.standing['cmi_web4']).toEqual(beneath);
  });

  test('reads nothing of readiness in what a verdict took down, or of a service that has no check any more', () => {
    const lost: FileState = { disabled: true, description: 'withdrawn: loss 34 %' };
    write({
      announce_cmi_web4: lost,
      drain_cmi_web4: lost,
      drain_cmi_dns4: { disabled: false, description: 'drained: not ready: old' },
    });
    const { memory, booting } = adopt();
    expect({ booting, readied: memory.readied }).toEqual({ booting: false, readied: {} });
    expect(memory.standing['cmi_web4']).toMatchObject({ state: 'withdraw', byVerdict: true });
  });
});

describe('causeway boot', () => {
  const said: string[] = [];
  let code: number = 0;
  const output: Output = {
    answer: (text) => said.push(text),
    complain: (text) => said.push(text),
    end: (given) => {
      code = given;
    },
  };

  async function run(...words: readonly string[]): Promise<readonly string[]> {
    const file = join(folder, 'causeway.yaml');
    writeFileSync(file, explainConfig(config));
    said.length = 0;
    code = 0;
    await runProgram(['boot', '-c', file, ...words], output);
    return said;
  }

  beforeEach(() => {
    const loaded = readConfig('sample', sample);
    if (loaded.kind === 'bad') throw new Error('the sample is bad');
    config = {
      ...config,
      uplinks: loaded.config.uplinks,
      services: loaded.config.services.map((one) => ({ ...one, ready: [check] })),
    };
  });

  test('holds, says so, and ends with 0; a second time too', async () => {
    write();
    expect(await run()).toEqual(['12 protocols come up down, until their services are ready']);
    expect(await run('--json')).toEqual([
      JSON.stringify({ kind: 'left', text: 'this boot was seen to already' }, null, 2),
    ]);
    expect(code).toBe(0);
  });

  test('ends with 0 and a warning where the file is missing, since a boot must go on', async () => {
    rmSync(config.bird.config);
    expect(await run()).toEqual([expect.stringMatching(/^warning: .*ENOENT.*causeway render --write/)]);
    expect(code).toBe(0);
  });

  test('ends with 1 where the file is not whole', async () => {
    writeFileSync(config.bird.config, 'protocol static {}\n');
    await run();
    expect(code).toBe(1);
  });
});

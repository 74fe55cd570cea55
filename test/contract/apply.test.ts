/** Safe apply against a real BIRD that reaches nothing: what is in the file, in BIRD and kept, after each way to end. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runningMark } from '../../bird/apply/configure.ts';
import { loneFile } from '../../bird/apply/lone-file.ts';
import { recover } from '../../bird/apply/put-back.ts';
import { renderInStates } from '../../bird/apply/render-in-states.ts';
import { applyBase } from '../../bird/apply/sequence.ts';
import { applyWorld, baseWorld } from '../../bird/apply/world.ts';
import { markOf } from '../../bird/base-mark.ts';
import { disable } from '../../bird/commands.ts';
import { readStates, restate, sameBase } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import type { ApplyRequest } from '../../src/types/wire/apply.ts';
import { type BirdInNowhere, birdInNowhere } from '../support/bird-in-nowhere.ts';
import { threeCarriers } from '../golden/node-configs.ts';

const isRoot = process.geteuid?.() === 0;
const request: ApplyRequest = { dryRun: false, yesReset: true, yesWithdraw: true };
const down = { disabled: true, description: 'withdrawn: loss 34 %' };

describe.skipIf(!isRoot).each(birdVersions())('BIRD $version', ({ bird }) => {
  const config = threeCarriers('whole');
  const text = renderConfig(config, new Map());
  const changed = withMed(config, 77);
  let world: BirdInNowhere;
  let undoSeconds = 90;

  beforeEach(async () => {
    undoSeconds = 90;
    world = await birdInNowhere(bird, text, null);
  });
  afterEach(() => world.stop());

  const inFile = (): string => readFileSync(world.owned, 'utf8');
  const upInBird = async (name: string): Promise<boolean> => {
    const { lines } = await world.client.command(`show protocols ${name}`);
    return lines.some((line) => new RegExp(`^${name} .* up `).test(line.text));
  };
  const settled = (next: NodeConfig, more: Partial<ReturnType<typeof applyWorld>> = {}) => ({
    ...applyWorld({
      client: world.client,
      file: loneFile(world.owned),
      stateFolder: world.state,
      config: { ...next, bird: { ...next.bird, socket: world.socket } },
      binary: bird,
      isDry: false,
      render: async (states) => renderInStates(next, states, { kind: 'ok', passwords: new Map() }),
      hold: () => undefined,
      isHurried: () => false,
      undoSeconds,
    }),
    ...more,
  });
  const run = (next: NodeConfig, more: Partial<ReturnType<typeof applyWorld>> = {}, asked = request) =>
    applyBase(settled(next, more), asked, () => undefined);
  const back = () =>
    baseWorld({ client: world.client, file: loneFile(world.owned), stateFolder: world.state });

  async function expectBase(of: NodeConfig): Promise<void> {
    const base = renderConfig(of, new Map());
    expect(sameBase(inFile(), base)).toBe(true);
    expect(await runningMark(world.client)).toBe(markOf(base));
    const status = await world.client.command('configure status');
    expect(status.lines.map(({ code }) => code)).not.toContain('0022');
    expect(existsSync(join(world.state, 'bird-applying.conf'))).toBe(false);
    expect(readdirSync(dirname(world.owned))).toEqual(['causeway.conf']);
  }

  test('a new MED is applied, confirmed and kept; a second time there is nothing to apply', async () => {
    expect(await run(changed)).toMatchObject({
      kind: 'applied',
      by: 'causeway',
      diff: { sessions: [], others: [] },
    });
    await expectBase(changed);
    const kept = join(world.state, 'bird-confirmed.conf');
    expect(sameBase(readFileSync(kept, 'utf8'), inFile())).toBe(true);
    expect(statSync(kept).mode & 0o777).toBe(0o640);
    expect(await run(changed)).toEqual({ kind: 'nothing' });
  });

  test('what was withdrawn before stays so through an apply, and through one that is undone', async () => {
    writeFileSync(world.owned, restate(text, new Map([['announce_cmi_web4', down]])));
    await disable(world.client, 'announce_cmi_web4', 'loss 34 %');
    expect(
      await run(changed, {
        readBack: async () => ['not as it should be'],
        waitForNextLook: async () => false,
      }),
    ).toMatchObject({
      kind: 'undone',
      problems: ['not as it should be'],
    });
    await expectBase(config);
    expect(await upInBird('announce_cmi_web4')).toBe(false);
    expect(await run(changed)).toMatchObject({ kind: 'applied' });
    await expectBase(changed);
    expect(readStates(inFile()).get('announce_cmi_web4')).toEqual(down);
    expect(await upInBird('announce_cmi_web4')).toBe(false);
    expect(await upInBird('announce_cmi_web6')).toBe(true);
  });

  test('a reset and a shorter list of announcements want a yes each, and nothing is changed without', async () => {
    const [web, ...services] = config.services;
    const fewer = {
      ...config,
      services: [{ ...web, prefixes: web?.prefixes.slice(1) ?? [] }, ...services],
    } as NodeConfig;
    const asked = { dryRun: false, yesReset: false, yesWithdraw: false };
    expect(await run(fewer, {}, asked)).toMatchObject({
      kind: 'needs-consent',
      lacking: { reset: false, withdraw: true },
    });
    const moved = { ...config, node: { ...config.node, routerId: '10.255.0.9' } };
    expect(await run(moved, {}, asked)).toMatchObject({
      kind: 'needs-consent',
      lacking: { reset: true, withdraw: false },
      diff: {
        sessions: [{ kind: 'reset', reasons: ['router id 10.255.0.1 → 10.255.0.9'] }, {}, {}, {}, {}, {}],
      },
    });
    await expectBase(config);
    expect(existsSync(join(world.state, 'bird-confirmed.conf'))).toBe(false);
  });

  test('a foreign configure inside the window is told, and what it confirmed stands', async () => {
    let looks = 0;
    const foreign = async (): Promise<readonly string[]> => {
      if ((looks += 1) > 1) return [];
      await world.client.command('configure');
      return ['a first look'];
    };
    expect(await run(changed, { readBack: foreign })).toMatchObject({ kind: 'applied', by: 'foreign' });
    await expectBase(changed);
  });

  test('a BIRD that dies inside the window is told, and its next start has the old text', async () => {
    const dies = async (): Promise<readonly string[]> => {
      await world.crash();
      throw new Error('BIRD cannot be asked');
    };
    const result = await run(changed, { readBack: dies });
    expect(result.kind).toBe('stuck');
    expect(sameBase(inFile(), text)).toBe(true);
    await world.start();
    expect(await recover(back())).toEqual({ kind: 'put-back' });
    await expectBase(config);
  });

  test('what a death inside the window leaves is put back by the next start, in the present wish', async () => {
    const die = new Promise<never>(() => undefined);
    const reached = new Promise<void>((resolve) => {
      void run(changed, {
        readBack: async () => {
          resolve();
          return die;
        },
      });
    });
    await reached;
    expect(sameBase(inFile(), renderConfig(changed, new Map()))).toBe(true);
    writeFileSync(world.owned, restate(inFile(), new Map([['announce_pccw_web4', down]])));
    expect(await recover(back())).toEqual({ kind: 'put-back' });
    await expectBase(config);
    expect(await upInBird('announce_pccw_web4')).toBe(false);
    expect(await recover(back())).toEqual({ kind: 'nothing' });
  });

  test('a timer that expires after the death goes back to the wish of the beginning, and the next start to that of now', async () => {
    undoSeconds = 1;
    writeFileSync(world.owned, restate(text, new Map([['announce_cmi_web4', down]])));
    await disable(world.client, 'announce_cmi_web4', 'loss 34 %');
    const reached = new Promise<void>((resolve) => {
      const readBack = async () => {
        resolve();
        return new Promise<never>(() => undefined);
      };
      void run(changed, { readBack });
    });
    await reached;
    writeFileSync(world.owned, restate(inFile(), new Map([['announce_pccw_web4', down]])));
    await expect.poll(() => runningMark(world.client), { timeout: 30_000 }).toBe(markOf(text));
    expect(await upInBird('announce_cmi_web4')).toBe(false);
    expect(await recover(back())).toEqual({ kind: 'put-back' });
    await expectBase(config);
    expect(await upInBird('announce_cmi_web4')).toBe(false);
    expect(await upInBird('announce_pccw_web4')).toBe(false);
  });

  test.each(['the owned file', 'the state folder'])(
    'a disk that is full under %s refuses it, and changes nothing',
    async (which) => {
      const folder = which === 'the owned file' ? dirname(world.owned) : world.state;
      mkdirSync(folder, { recursive: true });
      await execa('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', folder]);
      try {
        writeFileSync(world.owned, text);
        fill(join(folder, 'filler'));
        const result = await run(changed);
        expect(result).toMatchObject({ kind: 'refused' });
        expect(result.kind === 'refused' && result.problems.join()).toContain('ENOSPC');
        expect(inFile()).toBe(text);
        expect(await runningMark(world.client)).toBe(markOf(text));
        expect(existsSync(join(world.state, 'bird-applying.conf'))).toBe(false);
        rmSync(join(folder, 'filler'));
        expect(await run(changed)).toMatchObject({ kind: 'applied' });
        await expectBase(changed);
      } finally {
        await execa('umount', [folder]);
      }
    },
  );

  test('a pending configure timeout of somebody else is left alone', async () => {
    await world.client.command('configure timeout 60');
    const result = await run(changed);
    expect(result).toMatchObject({ kind: 'refused', step: 'baseline' });
    expect(result.kind === 'refused' && result.problems[0]).toMatch(/another `configure timeout` is pending/);
    expect((await world.client.command('configure status')).lines.some(({ code }) => code === '0022')).toBe(
      true,
    );
  });

  test('a base that was written by hand and that BIRD does not run is applied like any other', async () => {
    expect(await run(changed)).toMatchObject({ kind: 'applied' });
    writeFileSync(world.owned, text);
    expect(await run(config)).toMatchObject({ kind: 'applied' });
    await expectBase(config);
  });

  test('a missing owned file is refused with the way to make it', async () => {
    rmSync(world.owned);
    const result = await run(changed);
    expect(result).toMatchObject({ kind: 'refused', step: 'render' });
    expect(result.kind === 'refused' && result.problems[0]).toContain('ENOENT');
  });
});

describe.skipIf(!isRoot).each(birdVersions())('BIRD $version that includes the owned file', ({ bird }) => {
  test('and refuses the new text at configure goes on with the old one, in the file too', async () => {
    const config = threeCarriers('include');
    const text = renderConfig(config, new Map());
    const taken = 'protocol static learn_mine4 { ipv4; }';
    const main = `router id 10.0.0.1;\nprotocol device {}\ninclude "causeway/causeway.conf";\n${taken}\n`;
    const world = await birdInNowhere(bird, text, main);
    try {
      const [first] = config.uplinks;
      const next = {
        ...config,
        uplinks: [...config.uplinks, { ...first, name: 'mine', table: 1009 }],
      } as NodeConfig;
      const result = await applyBase(
        applyWorld({
          client: world.client,
          file: loneFile(world.owned),
          stateFolder: world.state,
          config: { ...next, bird: { ...next.bird, socket: world.socket } },
          binary: bird,
          isDry: false,
          render: async (states) => renderInStates(next, states, { kind: 'ok', passwords: new Map() }),
          hold: () => undefined,
          isHurried: () => false,
        }),
        request,
        () => undefined,
      );
      expect(result.kind).toBe('undone');
      expect(result.kind === 'undone' && result.problems.join('\n')).toMatch(
        /8002 .*learn_mine4.*already defined/i,
      );
      expect(readFileSync(world.owned, 'utf8')).toBe(text);
      expect(await runningMark(world.client)).toBe(markOf(text));
    } finally {
      await world.stop();
    }
  });
});

function withMed(config: NodeConfig, med: number): NodeConfig {
  return { ...config, uplinks: config.uplinks.map((uplink) => ({ ...uplink, med })) };
}

/** Takes all the room that a file system has left. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(1024);
  try {
    for (;;) writeSync(file, block);
  } catch {
    // ENOSPC: that is what was wanted.
  } finally {
    closeSync(file);
  }
}

/** The owned file and the state folder, on a real disk. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readStates } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { protocolWishes } from '../../src/core/plan/protocols.ts';
import { adoptHands, adoptStanding, isOlderThanFile } from '../../src/daemon/adopt.ts';
import { openStateFolder } from '../../src/daemon/checkpoint.ts';
import { keepFile } from '../../src/daemon/file-keeper.ts';
import { openOverrideStore } from '../../src/daemon/override-store.ts';
import type { Override } from '../../src/types/override.ts';
import type { AnnounceState } from '../../src/types/wire/enums.ts';
import type { Wish } from '../../src/types/wish.ts';
import { nodeWith } from '../support/node-config.ts';

const config = nodeWith(['cmi', 'pccw']);
const rendered = renderConfig(config, new Map());

function wished(state: AnnounceState, more: Partial<Wish['announcements'][number]> = {}) {
  const wish: Wish = {
    announcements: [
      {
        service: 'web',
        uplink: 'cmi',
        family: 4,
        state,
        reason: 'loss',
        text: 'loss 34 %',
        author: 'causeway',
        held: null,
        ...more,
      },
    ],
    egress: [],
  };
  return protocolWishes(config, wish, []);
}

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-file-'));
  path = join(folder, 'causeway.conf');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const announceInFile = () => readStates(readFileSync(path, 'utf8')).get('announce_cmi_web4');

describe('the owned file', () => {
  test('takes the wish in its state lines and nothing else', async () => {
    writeFileSync(path, rendered);
    const file = keepFile(path);
    expect(await file.look()).toBe(true);
    while ((await file.hold(wished('withdraw'))).kind !== 'as-wished');
    expect(announceInFile()).toEqual({ disabled: true, description: 'withdrawn: loss 34 %' });
    const changed = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line, index) => line !== rendered.split('\n')[index]);
    expect(changed.every((line) => /^ {2}(disabled|description) /.test(line))).toBe(true);
  });

  test.each([
    ['cut', (text: string) => text.slice(0, 400)],
    ['empty', () => ''],
    ['gone', null],
  ] as const)('that is %s is put back whole, with the present wish', async (_name, damage) => {
    writeFileSync(path, rendered);
    const file = keepFile(path);
    await file.look();
    while ((await file.hold(wished('withdraw'))).kind !== 'as-wished');
    if (damage === null) rmSync(path);
    else writeFileSync(path, damage(rendered));
    expect(await file.look()).toBe(false);
    while ((await file.hold(wished('withdraw'))).kind !== 'as-wished');
    expect(announceInFile()?.disabled).toBe(true);
  });

  test('that somebody restored from a backup gets the present wish again', async () => {
    writeFileSync(path, rendered);
    const file = keepFile(path);
    await file.look();
    while ((await file.hold(wished('withdraw'))).kind !== 'as-wished');
    writeFileSync(path, rendered);
    expect(await file.look()).toBe(false);
    while ((await file.hold(wished('withdraw'))).kind !== 'as-wished');
    expect(announceInFile()?.disabled).toBe(true);
  });

  test('that never was is behind, and says how it is made', async () => {
    const file = keepFile(path);
    await file.look();
    const outcome = await file.hold(wished('withdraw'));
    expect(outcome.kind).toBe('behind');
    expect(outcome.kind === 'behind' && outcome.text).toMatch(/ENOENT.*causeway render --write/);
  });

  test('in a folder that cannot be written is behind, and heals', async () => {
    writeFileSync(path, rendered);
    const file = keepFile(path);
    await file.look();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'in the way');
    let outcome = await file.hold(wished('withdraw'));
    while (outcome.kind === 'behind' && !outcome.text.includes('ENOTDIR'))
      outcome = await file.hold(wished('withdraw'));
    rmSync(folder);
    mkdirSync(folder);
    while ((await file.hold(wished('withdraw'))).kind !== 'as-wished');
    expect(announceInFile()?.disabled).toBe(true);
  });
});

describe('a start', () => {
  const statesAfter = async (states: ReturnType<typeof wished>) => {
    writeFileSync(path, rendered);
    const file = keepFile(path);
    await file.look();
    while ((await file.hold(states)).kind !== 'as-wished');
    return file.states();
  };

  test.each(['announce', 'drain', 'withdraw'] as const)('takes %s from the file', async (state) => {
    const standing = adoptStanding(config, await statesAfter(wished(state)), emptyDecideMemory).standing[
      'cmi_web4'
    ];
    expect(standing).toMatchObject({ state, text: 'loss 34 %', byVerdict: state !== 'announce' });
  });

  test.each([
    ['announce', true],
    ['withdraw', false],
  ] as const)(
    'a checkpoint in which it was to %s is older than a withdrawal in the file: %s',
    async (state, older) => {
      const remembered = adoptStanding(config, await statesAfter(wished(state)), emptyDecideMemory);
      const adopted = adoptStanding(config, await statesAfter(wished('withdraw')), remembered);
      expect(isOlderThanFile(remembered, adopted)).toBe(older);
    },
  );

  test('takes a hand from the file when the state folder is lost', async () => {
    const byHand = wished('withdraw', {
      reason: 'override',
      author: 'birdc',
      text: 'withdraw by birdc: ticket 42',
    });
    const hands = adoptHands(config, await statesAfter(byHand), [], 'now');
    expect(hands).toMatchObject([{ state: 'withdraw', author: 'birdc', reason: 'ticket 42' }]);
    expect(adoptHands(config, await statesAfter(byHand), hands, 'now')).toEqual(hands);
  });
});

describe('the state folder', () => {
  const override: Override = {
    subject: { kind: 'session', uplink: 'cmi', family: 4 },
    state: 'withdraw',
    author: 'birdc',
    reason: 'ticket 42',
    at: '2026-11-30T00:00:00Z',
    expires: null,
  };
  const trouble: string[] = [];
  const store = () => openOverrideStore(join(folder, 'state'));
  const open = () => openStateFolder(join(folder, 'state'), (text) => trouble.push(text));

  test('keeps overrides and the checkpoint of this boot', async () => {
    const look = { bootMillis: 1, configuredMillis: 2, up: { bgp_cmi4: true } };
    await store().save({ overrides: [override], released: new Set(['announce_cmi_web4']) }, 30_000);
    await open().saveCheckpoint({ health: 'h', decide: emptyDecideMemory, look });
    expect(await store().load()).toEqual({
      overrides: [override],
      released: new Set(['announce_cmi_web4']),
    });
    expect(await open().loadCheckpoint()).toEqual({ health: 'h', decide: emptyDecideMemory, look });
  });

  test.each(['', '{', '[]', '{"version":9}', 'null'])('reads %j as nothing', async (text) => {
    mkdirSync(join(folder, 'state'));
    for (const name of ['overrides.json', 'checkpoint.json'])
      writeFileSync(join(folder, 'state', name), text);
    const damaged = store();
    expect((await damaged.load()).overrides).toEqual([]);
    expect(damaged.trouble()).toContain('cannot be read');
    expect((await open().loadCheckpoint()).health).toBe('');
  });

  test('that cannot be written is told and not thrown', async () => {
    writeFileSync(join(folder, 'state'), 'in the way');
    const blocked = store();
    expect(await blocked.save({ overrides: [override], released: new Set() }, 30_000)).toBe(false);
    expect(blocked.trouble()).toMatch(/ENOTDIR|EEXIST/);
    await open().saveCheckpoint({ health: '', decide: emptyDecideMemory, look: null });
    expect(trouble.filter((text) => text.includes('cannot be written'))).toHaveLength(1);
    rmSync(join(folder, 'state'));
    blocked.retry();
    expect(await blocked.save({ overrides: [override], released: new Set() }, 30_000)).toBe(true);
    expect(blocked.trouble()).toBe(null);
  });
});

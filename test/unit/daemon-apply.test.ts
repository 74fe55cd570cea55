/** The daemon's part in an apply: what the tick may send meanwhile, and the owned file between two writers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takeLock } from '../../bird/apply/lock.ts';
import { readStates, restate, sameBase } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import type { Step, StepPurpose } from '../../src/core/plan/plan.ts';
import { type Pass, stepsLetBy } from '../../src/daemon/apply-gate.ts';
import { keepFile } from '../../src/daemon/file-keeper.ts';
import { nodeWith } from '../support/node-config.ts';

const config = nodeWith(['cmi', 'pccw']);
const text = renderConfig(config, new Map());
const other = renderConfig(nodeWith(['cmi', 'hkbn']), new Map());
const down = { disabled: true, description: 'withdrawn: loss' };

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-apply-'));
  path = join(folder, 'causeway.conf');
  writeFileSync(path, text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const wishes = (up: boolean) =>
  new Map([['announce_cmi_web4', { up, description: up ? 'announced' : down.description, message: '' }]]);

describe('the owned file', () => {
  test('of another base, which nobody applied, is put back', async () => {
    const file = keepFile(path);
    await file.look();
    writeFileSync(path, other);
    expect(await file.look()).toBe(false);
    await expect(file.text()).rejects.toThrow(/changed by somebody else/);
    while ((await file.hold(wishes(true))).kind !== 'as-wished');
    expect(sameBase(readFileSync(path, 'utf8'), text)).toBe(true);
  });

  test('takes another base by an apply, with the wish of the moment', async () => {
    const file = keepFile(path);
    await file.look();
    while ((await file.hold(wishes(false))).kind !== 'as-wished');
    await file.swap(other);
    expect(await file.text()).toBe(restate(other, new Map([['announce_cmi_web4', down]])));
    expect(await file.look()).toBe(true);
    while ((await file.hold(wishes(true))).kind !== 'as-wished');
    expect(sameBase(readFileSync(path, 'utf8'), other)).toBe(true);
    expect(readStates(await file.text()).get('announce_cmi_web4')?.disabled).toBe(false);
  });

  test('stays what it is where the new one cannot be written', async () => {
    const file = keepFile(path);
    await file.look();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'in the way');
    await expect(file.swap(other)).rejects.toMatchObject({ name: 'OwnedFileError' });
    expect(await file.text()).toBe(text);
    rmSync(folder);
  });
});

describe('while an apply is between its commands', () => {
  const step = (purpose: StepPurpose): Step => ({
    command: purpose === 'return' ? 'enable' : 'disable',
    protocol: `announce_${purpose}`,
    message: '',
    purpose,
    group: 'web4',
  });
  const steps = (['return', 'avoid', 'withdraw', 'drain'] as const).map((purpose) => step(purpose));

  test.each<[Pass, readonly StepPurpose[]]>([
    ['all', ['return', 'avoid', 'withdraw', 'drain']],
    ['nothing', []],
    ['urgent', ['avoid', 'withdraw', 'drain']],
  ])('%s is let by as %j', (pass, purposes) => {
    expect(stepsLetBy({ pass: () => pass }, steps).map(({ purpose }) => purpose)).toEqual(purposes);
  });

  test('a session that comes up again by itself is no reason to end it, a withdrawal is', () => {
    const asked: boolean[] = [];
    const gate = { pass: (wants: boolean): Pass => (asked.push(wants), 'nothing') };
    stepsLetBy(gate, [step('return')]);
    stepsLetBy(gate, [step('return'), step('withdraw')]);
    expect(asked).toEqual([false, true]);
  });
});

describe('the lock', () => {
  test('is one’s own until it is given back', async () => {
    const lock = await takeLock(folder);
    if (lock.kind !== 'taken') throw new Error('not taken');
    expect(await takeLock(folder)).toEqual({ kind: 'held', pid: process.pid });
    await lock.release();
    expect((await takeLock(folder)).kind).toBe('taken');
  });

  test.each([
    ['a process that is gone', '999999999 12345'],
    ['a process whose number another one has now', `${process.pid} 1`],
    ['a writer that died at it', ''],
  ])('of %s is taken over', async (_whose, content) => {
    writeFileSync(join(folder, 'bird-apply.lock'), content);
    expect((await takeLock(folder)).kind).toBe('taken');
  });
});

/** The outbox on a real disk: what it said is kept is found again, wherever it was cut off. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startOrder } from '../../src/core/tell/order.ts';
import { openJournal } from '../../src/store/journal.ts';
import { type Letter, openOutbox, type Outbox } from '../../src/store/outbox.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-outbox-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
let path = '';
beforeEach(() => {
  count += 1;
  path = join(root, `${count}.log`);
});

const open = (more: Partial<Parameters<typeof openOutbox>[0]> = {}): Promise<Outbox> =>
  openOutbox({
    open: () => openJournal(path),
    start: (onDisk) => startOrder(1000, onDisk),
    keysAtMost: 10,
    ...more,
  });
const plain = (letters: ReadonlyMap<string, Letter>): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...letters].map(([key, { value, isDone }]) => [key, isDone ? [value] : value]));
async function kept(outbox: Outbox): Promise<void> {
  for (let turn = 0; turn < 1000 && !(await outbox.settled(1000)); turn += 1) continue;
  expect(await outbox.settled(1000)).toBe(true);
}

describe('an outbox', () => {
  test('holds the newest of each key, over a restart that nobody announced', async () => {
    const outbox = await open();
    const first = outbox.put('cmi', 'down');
    outbox.put('pccw', 'up');
    outbox.put('cmi', 'drain');
    outbox.done(first);
    const pccw = outbox.letters().get('pccw');
    if (pccw !== undefined) outbox.done(pccw);
    await kept(outbox);
    const again = await open();
    expect(plain(again.letters())).toEqual({ pccw: ['up'], cmi: 'drain' });
    await outbox.close();
    await again.close();
  });

  test('gives orders that grow, over restarts and clocks that run back', async () => {
    const orders: number[][] = [];
    for (const wallMillis of [5000, 9000, 100]) {
      const outbox = await open({ start: (onDisk) => startOrder(wallMillis, onDisk) });
      for (const key of ['a', 'b']) {
        const { epoch, seq } = outbox.put(key, 1).order;
        orders.push([epoch, seq]);
      }
      await kept(outbox);
      await outbox.close();
    }
    expect(orders).toEqual([
      [5001, 1],
      [5001, 2],
      [9001, 1],
      [9001, 2],
      [9002, 1],
      [9002, 2],
    ]);
  });

  test('cut off anywhere, it is as it was at some moment before, and goes on', async () => {
    const outbox = await open();
    const states: string[] = [JSON.stringify({})];
    for (let step = 0; step < 12; step += 1) {
      const letter = outbox.put(['cmi', 'pccw', 'hkbn'][step % 3] ?? '', step);
      await kept(outbox);
      states.push(JSON.stringify(plain(outbox.letters())));
      if (step % 2 === 0) outbox.done(letter);
      await kept(outbox);
      states.push(JSON.stringify(plain(outbox.letters())));
    }
    await outbox.close();
    const bytes = readFileSync(path);
    let reached = 0;
    for (let length = 0; length <= bytes.length; length += 29) {
      writeFileSync(path, bytes.subarray(0, length));
      const again = await open();
      const at = states.indexOf(JSON.stringify(plain(again.letters())));
      expect(at).toBeGreaterThanOrEqual(reached);
      reached = at;
      await again.close();
    }
  });

  test('a disk that takes nothing is told, and written whole as soon as it takes something', async () => {
    let isFull = true;
    const timers: (() => void)[] = [];
    const outbox = await open({
      after: (_waitMillis, act) => {
        timers.push(act);
        return () => undefined;
      },
      async open() {
        const { journal, read } = await openJournal(path);
        const refuse = async (): Promise<void> => {
          throw new Error('ENOSPC: no space left on device, write');
        };
        return {
          read,
          journal: {
            ...journal,
            appendAll: (entries) => (isFull ? refuse() : journal.appendAll(entries)),
            compact: (entries) => (isFull ? refuse() : journal.compact(entries)),
          },
        };
      },
    });
    outbox.put('cmi', 'down');
    await expect.poll(() => outbox.trouble(), { timeout: 30_000 }).toContain('ENOSPC');
    expect(plain(outbox.letters())).toEqual({ cmi: 'down' });
    isFull = false;
    const trouble = (): string | null => {
      for (const act of timers.splice(0)) act();
      return outbox.trouble();
    };
    await expect.poll(trouble, { timeout: 30_000 }).toBeNull();
    await kept(outbox);
    await outbox.close();
    const again = await open();
    expect(plain(again.letters())).toEqual({ cmi: 'down' });
    await again.close();
  });

  test('what could not be read at the start is not written over', async () => {
    const before = await open();
    before.put('pccw', 'drain');
    await kept(before);
    await before.close();
    let isThere = false;
    const timers: (() => void)[] = [];
    const outbox = await open({
      open: () => (isThere ? openJournal(path) : Promise.reject(new Error('EACCES'))),
      after: (_waitMillis, act) => {
        timers.push(act);
        return () => undefined;
      },
    });
    outbox.put('cmi', 'down');
    isThere = true;
    const size = (): number => {
      for (const act of timers.splice(0)) act();
      return outbox.letters().size;
    };
    await expect.poll(size, { timeout: 30_000 }).toBe(2);
    expect(outbox.order().epoch).toBe(1002);
    await kept(outbox);
    const again = await open();
    expect(plain(again.letters())).toEqual({ pccw: 'drain', cmi: 'down' });
    await outbox.close();
    await again.close();
  });

  test('it stays small, however often something is told', async () => {
    const outbox = await open();
    const long = 'x'.repeat(20_000);
    for (let step = 0; step < 40; step += 1) outbox.put('cmi', `${step} ${long}`);
    for (let step = 0; step < 40; step += 1) {
      outbox.put('cmi', `${step} ${long}`);
      await outbox.settled(1000);
    }
    await kept(outbox);
    outbox.put('cmi', 'last');
    await kept(outbox);
    expect(readFileSync(path).length).toBeLessThan(900_000);
    await outbox.close();
  });

  test('of too many keys the oldest that is acknowledged goes, else the oldest', async () => {
    const outbox = await open({ keysAtMost: 3 });
    outbox.put('a', 1);
    outbox.done(outbox.put('b', 1));
    for (const key of ['c', 'd', 'e']) outbox.put(key, 1);
    expect([...outbox.letters().keys()]).toEqual(['c', 'd', 'e']);
    await outbox.close();
  });

  test('lines that are not its own are left out', async () => {
    const outbox = await open();
    outbox.put('cmi', 'down');
    await kept(outbox);
    await outbox.close();
    appendFileSync(path, 'no line of ours\n');
    const again = await open();
    expect(plain(again.letters())).toEqual({ cmi: 'down' });
    await again.close();
  });
});

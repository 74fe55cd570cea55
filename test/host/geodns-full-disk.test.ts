/** The journal on a disk that fills up: what was confirmed stays, what could not be written is refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StateEvent } from '../../geodns/decision/state.ts';
import { openStateStore } from '../../geodns/service/store.ts';
import { openJournal } from '../../src/store/journal.ts';
import { readJournal } from '../../src/store/journal-text.ts';
import { writeAtomic } from '../../src/store/atomic-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-full-'));
beforeAll(() => execa('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'causeway-full', folder]));
afterAll(async () => {
  await execa('umount', ['-l', folder]);
  rmSync(folder, { recursive: true });
});

test('an append without room is refused and taken back whole, and the next one with room stands', async () => {
  const path = join(folder, 'journal');
  const { journal } = await openJournal(path);
  await journal.append({ seq: 1 });
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(52_000));
  await expect(journal.append({ seq: 2, text: 'x'.repeat(20_000) })).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(readJournal(readFileSync(path))).toMatchObject({ entries: [{ seq: 1 }], tornBytes: 0 });
  await expect(writeAtomic(join(folder, 'file'), 'x'.repeat(30_000))).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  rmSync(join(folder, 'ballast'));
  await journal.append({ seq: 3 });
  await journal.close();
  expect(readJournal(readFileSync(path)).entries).toEqual([{ seq: 1 }, { seq: 3 }]);
});

test('of a report and its revision there is room for one alone: neither counts, also after a restart', async () => {
  const path = join(folder, 'state');
  const store = await openStateStore(path);
  const event = (revision: number, text: string): StateEvent => ({
    kind: 'revision',
    revision,
    atMillis: 0,
    text,
  });
  await store.commit([event(1, 'first')], 0);
  // All but the rest of the page that the first one is in.
  await execa('sh', ['-c', 'dd if=/dev/zero of="$1" bs=4k 2>/dev/null; true', 'sh', join(folder, 'ballast')]);
  const both = [event(2, 'small'), event(3, 'x'.repeat(9000))];
  await expect(store.commit(both, 0)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(store.state().revision).toBe(1);
  rmSync(join(folder, 'ballast'));
  await store.close();
  const again = await openStateStore(path);
  expect(again.state().revision).toBe(1);
  await again.commit(both, 0);
  expect(again.state().revision).toBe(3);
  await again.close();
});

/** The journal and the atomic file: what is said to be stored is there after any cut. */
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as prop } from '../support/property.ts';
import { array, jsonValue, nat } from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { writeAtomic } from '../../src/store/atomic-file.ts';
import { checksum } from '../../src/store/checksum.ts';
import { openJournal } from '../../src/store/journal.ts';
import { journalLine, readJournal } from '../../src/store/journal-text.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-journal-'));
let files = 0;
const fresh = (): string => join(root, `journal-${(files += 1)}`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('the checksum is the one of zlib', () => {
  expect(checksum('123456789')).toBe('cbf43926');
});

describe('journal', () => {
  test('gives back what was appended, over restarts, in order', async () => {
    const path = fresh();
    const first = await openJournal(path);
    await Promise.all([1, 2, 3].map((seq) => first.journal.append({ seq })));
    await first.journal.close();
    const second = await openJournal(path);
    await second.journal.append({ seq: 4 });
    await second.journal.close();
    const { read, journal } = await openJournal(path);
    expect(read.entries).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }]);
    await journal.close();
  });

  test('cuts a torn tail off and appends behind the last whole line', async () => {
    const path = fresh();
    writeFileSync(path, journalLine({ seq: 1 }) + journalLine({ seq: 2 }).slice(0, -4));
    const { journal, read } = await openJournal(path);
    expect(read).toMatchObject({ entries: [{ seq: 1 }], damagedLines: [] });
    expect(read.tornBytes).toBeGreaterThan(0);
    await journal.append({ seq: 3 });
    await journal.close();
    expect(readJournal(readFileSync(path)).entries).toEqual([{ seq: 1 }, { seq: 3 }]);
  });

  test('keeps the good lines around a damaged one and says which it was', () => {
    const lines = journalLine(1) + journalLine(2).replace('2\n', '7\n') + journalLine(3);
    expect(readJournal(Buffer.from(lines))).toMatchObject({
      entries: [1, 3],
      damagedLines: [2],
      tornBytes: 0,
    });
  });

  test('a compacted journal holds the snapshot and what was appended after it', async () => {
    const path = fresh();
    const { journal } = await openJournal(path);
    for (let seq = 0; seq < 50; seq += 1) await journal.append({ seq });
    const before = journal.sizeBytes();
    const compacted = journal.compact([{ snapshot: 49 }]);
    const appended = journal.append({ seq: 50 });
    await Promise.all([compacted, appended]);
    expect(journal.sizeBytes()).toBeLessThan(before);
    expect(statSync(path).size).toBe(journal.sizeBytes());
    await journal.close();
    const again = await openJournal(path);
    expect(again.read.entries).toEqual([{ snapshot: 49 }, { seq: 50 }]);
    await again.journal.close();
  });

  test('an append after closing is refused, not lost in silence', async () => {
    const { journal } = await openJournal(fresh());
    await journal.close();
    await expect(journal.append(1)).rejects.toThrow();
  });

  prop.prop([array(jsonValue(), { maxLength: 8 }), nat()])(
    'a cut at any byte leaves a prefix of the entries',
    (entries, at) => {
      const whole = Buffer.from(entries.map(journalLine).join(''));
      const cut = whole.subarray(0, at % (whole.length + 1));
      const read = readJournal(cut);
      expect(read.entries).toEqual(JSON.parse(JSON.stringify(entries.slice(0, read.entries.length))));
      expect(read.damagedLines).toEqual([]);
      expect(read.goodBytes + read.tornBytes).toBe(cut.length);
    },
  );
});

describe('atomic file', () => {
  test('replaces the whole content and leaves nothing beside it', async () => {
    const path = join(root, 'atomic', 'f');
    await expect(writeAtomic(path, 'x')).rejects.toThrow(/ENOENT/);
    const file = join(root, 'atomic-file');
    writeFileSync(file, 'old');
    await writeAtomic(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(root).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  test('a file that somebody holds open keeps its content', async () => {
    const file = join(root, 'held');
    writeFileSync(file, 'old');
    const inode = statSync(file).ino;
    await writeAtomic(file, 'new');
    expect(statSync(file).ino).not.toBe(inode);
    appendFileSync(file, '!');
    expect(readFileSync(file, 'utf8')).toBe('new!');
  });
});

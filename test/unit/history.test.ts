/** The history on a real disk: what is told is kept, in order, bounded, and read with and without the daemon. */
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
import { afterAll, describe, expect, test } from 'vitest';
import { openHistory, type History, type HistoryOptions } from '../../src/daemon/history.ts';
import { readHistoryFiles } from '../../src/store/history-files.ts';
import { openSegments, readSegments } from '../../src/store/segments.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import { queryOf } from '../../src/types/history-query.ts';
import { instant } from '../../src/types/units.ts';
import { historyEntry } from '../../src/types/wire/history.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-history-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const fresh = (): string => join(root, `h${(folders += 1)}`);
const all = { limit: 100_000 };

function event(text: string, uplink = 'cmi'): HistoryEvent {
  return {
    kind: 'decision',
    uplink,
    family: 4,
    service: 'web',
    from: 'announce',
    to: 'withdraw',
    guard: null,
    until: null,
    evidence: null,
    undo: `causeway force announce ${uplink} --service web --family 4`,
    author: 'causeway',
    reason: 'loss',
    text,
  };
}

const start = '2026-11-30T01:00:00.000Z';

function open(folder: string, more: Partial<HistoryOptions> = {}): Promise<History> {
  let millis = Date.parse(start);
  const wallTime = (): string => new Date((millis += 1)).toISOString();
  return openHistory({ folder, bootId: 'boot-1', now: () => instant(5000.4), wallTime, ...more });
}

const texts = (entries: readonly { readonly text: string }[]): string[] => entries.map(({ text }) => text);
const numbered = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `event ${from + index}`);

describe('the history', () => {
  test('gives back what was told, in order, with ids, times and author, over a restart', async () => {
    const folder = fresh();
    const first = await open(folder);
    for (const text of numbered(1, 3)) first.tell(event(text));
    await first.close();
    const second = await open(folder);
    second.tell(event('event 4'));
    const read = await second.read(all);
    expect(texts(read)).toEqual(numbered(1, 4));
    expect(read.map(({ id }) => id)).toEqual(read.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(new Set(read.map(({ id }) => id)).size).toBe(4);
    expect(read[0]).toMatchObject({
      at: '2026-11-30T01:00:00.002Z',
      monotonicMillis: 5000,
      bootId: 'boot-1',
    });
    for (const entry of read) expect(historyEntry.parse(entry)).toEqual(entry);
    await second.close();
    expect(texts(await readHistoryFiles(folder, all)).reverse()).toEqual(numbered(1, 4));
  });

  test('keeps the newest files alone, and reads all of them after a restart', async () => {
    const folder = fresh();
    const limits = { segmentBytes: 4096, segmentEntries: 100, segments: 3 };
    const history = await open(folder, { limits });
    for (const text of numbered(1, 400)) {
      history.tell(event(text));
      if (text.endsWith('0')) await written(history, folder, text);
    }
    await history.close();
    const files = readdirSync(folder);
    expect(files).toHaveLength(3);
    for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThan(2 * 4096 + 256 * 500);
    const kept = texts(await readHistoryFiles(folder, all)).reverse();
    expect(kept.at(-1)).toBe('event 400');
    expect(kept).toEqual(numbered(401 - kept.length, 400));
    expect(kept.length).toBeLessThan(200);
    const again = await open(folder);
    expect(texts(await again.read(all))).toEqual(kept);
    await again.close();
  });

  test('reads by time, uplink, kind and count; the newest count', async () => {
    const history = await open(fresh());
    for (const text of numbered(1, 5)) history.tell(event(text, 'cmi'));
    history.tell(event('of pccw', 'pccw'));
    history.tell({
      kind: 'command',
      command: 'disable',
      protocol: 'announce_pccw_web4',
      effect: 'done',
      author: 'causeway',
      reason: 'withdraw',
      text: 'loss',
    });
    expect(texts(await history.read({ limit: 2, uplink: 'cmi' }))).toEqual(['event 4', 'event 5']);
    expect(texts(await history.read({ limit: 9, uplink: 'pccw' }))).toEqual(['of pccw', 'loss']);
    expect(texts(await history.read({ limit: 9, kind: 'command' }))).toEqual(['loss']);
    const [third] = await history.read({ limit: 5 });
    expect(texts(await history.read({ limit: 9, afterId: third?.id ?? 0 })).slice(0, 2)).toEqual([
      'event 4',
      'event 5',
    ]);
    expect(await history.read({ limit: 9, sinceMillis: Date.parse(start) + 7 })).toHaveLength(2);
    await history.close();
  });

  test('skips a torn tail and a damaged line, and goes on behind them', async () => {
    const folder = fresh();
    const first = await open(folder);
    for (const text of numbered(1, 3)) first.tell(event(text));
    await first.close();
    const [name = ''] = readdirSync(folder);
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace('event 2', 'event 9'));
    appendFileSync(path, '0123abcd {"id":17,"kind":"deci');
    expect(texts(await readHistoryFiles(folder, all))).toEqual(['event 3', 'event 1']);
    const second = await open(folder);
    second.tell(event('event 4'));
    await second.close();
    expect(texts(await readHistoryFiles(folder, all))).toEqual(['event 4', 'event 3', 'event 1']);
  });

  test('goes on behind the entries before, where a crash left a file without any', async () => {
    const folder = fresh();
    const first = await open(folder);
    for (const text of numbered(1, 3)) first.tell(event(text));
    await first.close();
    writeFileSync(join(folder, 'history-999999999999999999.log'), '');
    // A clock that stands behind the last entries.
    const second = await open(folder, { wallTime: () => '2020-01-01T00:00:00.000Z' });
    expect(texts(await second.read({ limit: 9 }))).toEqual(numbered(1, 3));
    second.tell(event('event 4'));
    const ids = (await second.read(all)).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(4);
    await second.close();
  });

  test('leaves out entries of kinds that it does not know', async () => {
    const folder = fresh();
    const { log } = await openSegments(folder, 'history', {
      segmentBytes: 1e6,
      segmentEntries: 9,
      segments: 2,
    });
    await log.append([{ id: 7, kind: 'of-tomorrow' } as { readonly id: number }]);
    await log.close();
    const history = await open(folder);
    history.tell(event('event 1'));
    expect(texts(await history.read(all))).toEqual(['event 1']);
    await history.close();
  });

  test('cuts a sentence that would fill the file', async () => {
    const history = await open(fresh());
    history.tell(event('x'.repeat(100_000)));
    const [entry] = await history.read(all);
    expect(entry?.text).toHaveLength(2000);
    await history.close();
  });

  test('tells whoever follows, until they stop', async () => {
    const history = await open(fresh());
    const heard: string[] = [];
    const stop = history.follow(({ text }) => heard.push(text));
    history.tell(event('event 1'));
    stop();
    history.tell(event('event 2'));
    expect(heard).toEqual(['event 1']);
    await history.close();
  });
});

describe('a folder that cannot be written', () => {
  test('stops nobody: it is an alarm, memory answers, and all of it is written when it can be', async () => {
    const folder = fresh();
    writeFileSync(folder, 'a file where the folder should be');
    const history = await open(folder, { limits: { retryMillis: 20 } });
    for (const text of numbered(1, 3)) history.tell(event(text));
    await until(() => history.alarms().length > 0);
    expect(history.alarms()[0]?.code).toBe('history-behind');
    expect(texts(await history.read(all))).toEqual(numbered(1, 3));
    rmSync(folder);
    await until(() => history.alarms().length === 0);
    await history.close();
    expect(texts(await readHistoryFiles(folder, all)).reverse()).toEqual(numbered(1, 3));
  });

  test('for so long that the queue is full: the oldest go, and an entry says how many', async () => {
    const folder = fresh();
    writeFileSync(folder, '');
    const history = await open(folder, { limits: { retryMillis: 20, waitingAtMost: 10 } });
    for (const text of numbered(1, 25)) history.tell(event(text));
    await until(() => history.alarms().length > 0);
    rmSync(folder);
    await until(() => history.alarms().length === 0);
    history.tell(event('event 26'));
    await history.close();
    const kept = [...(await readHistoryFiles(folder, all))].reverse();
    expect(kept[0]).toMatchObject({ kind: 'dropped', count: 15 });
    expect(texts(kept.slice(1))).toEqual(numbered(16, 26));
    expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).toSorted((a, b) => a - b));
  });
});

describe('what people ask for', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  test.each([
    [{ since: '2h' }, { limit: 200, sinceMillis: now - 7_200_000 }],
    [
      { since: '2026-11-30T01:00:00Z', limit: '5' },
      { limit: 5, sinceMillis: Date.parse(start) },
    ],
    [
      { uplink: 'cmi', kind: 'decision' },
      { limit: 200, uplink: 'cmi', kind: 'decision' },
    ],
    [{ since: 'yesterday' }, 'since: a time back'],
    [{ limit: '0' }, 'limit: a whole number from 1'],
    [{ limit: ['1', '2'] }, 'limit: only once'],
    [{ kind: 'gossip' }, 'kind: one of daemon, verdict'],
    [{ sort: 'asc' }, 'sort: unknown; known are'],
  ])('%j is read, or refused with what is allowed', (asked, expected) => {
    const query = queryOf(asked, now);
    if (typeof expected === 'string') expect(query).toContain(expected);
    else expect(query).toEqual(expected);
  });
});

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('it did not come true in 30 s');
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

/** Waits until an entry is on the disk, so that files fill one after the other. */
async function written(history: History, folder: string, text: string): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    for await (const { entries } of readSegments(folder, 'history'))
      return JSON.stringify(entries).includes(`"${text}"`);
    return false;
  };
  const deadline = performance.now() + 30_000;
  while (!(await isThere().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`${text} is not on the disk after 30 s`);
  }
  expect(history.alarms()).toEqual([]);
}

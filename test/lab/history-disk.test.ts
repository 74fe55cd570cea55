/** The history on disks that are full, read-only, or torn away with the process: nobody waits for it, and it goes on. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiledProgram } from '../../lab/network/process.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { openHistory, type History } from '../../src/daemon/history.ts';
import { readHistoryFiles } from '../../src/store/history-files.ts';
import { readSegments } from '../../src/store/segments.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import { instant } from '../../src/types/units.ts';

const disk = mkdtempSync(join(tmpdir(), 'causeway-history-disk-'));
const all = { limit: 100_000 };
beforeAll(() => execa('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'causeway-history', disk]));
afterAll(async () => {
  await execa('umount', ['-l', disk]);
  rmSync(disk, { recursive: true });
});

function open(folder: string): Promise<History> {
  const wallTime = (): string => new Date().toISOString();
  const limits = { retryMillis: 50 };
  return openHistory({ folder, bootId: 'boot', now: () => instant(1), wallTime, limits });
}

function event(number: number): HistoryEvent {
  const text = `${number} ${'x'.repeat(200)}`;
  return { kind: 'alarm', event: 'raised', author: 'causeway', reason: 'last-resort', text };
}

const numbersIn = (entries: readonly { readonly text: string }[]): number[] =>
  entries.map(({ text }) => Number(text.split(' ')[0]));

async function recovered(history: History): Promise<void> {
  await waitUntil('the history to be on the disk again', () => history.alarms().length === 0);
  await history.close();
}

describe('a full disk', () => {
  test('is an alarm; memory answers meanwhile, and all is written when there is room', async () => {
    const folder = join(disk, 'full');
    const history = await open(folder);
    history.tell(event(0));
    await waitUntil('the first entry', async () => (await readHistoryFiles(folder, all)).length === 1);
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, '');
    fill(ballast);
    for (let number = 1; number <= 500; number += 1) history.tell(event(number));
    await waitUntil('the alarm', () => history.alarms().length > 0);
    expect(history.alarms()[0]?.text).toContain('ENOSPC');
    expect(numbersIn(await history.read(all)).at(-1)).toBe(500);
    rmSync(ballast);
    await recovered(history);
    const kept = numbersIn(await readHistoryFiles(folder, all)).reverse();
    expect(kept).toEqual(Array.from({ length: 501 }, (_, number) => number));
    for await (const { tornBytes, damagedLines } of readSegments(folder, 'history'))
      expect({ tornBytes, damagedLines }).toEqual({ tornBytes: 0, damagedLines: [] });
    rmSync(folder, { recursive: true });
  });
});

describe('a disk that becomes read-only', () => {
  test('is an alarm; what it holds is read, also by a daemon that starts on it, and it goes on later', async () => {
    const folder = join(disk, 'read-only');
    const first = await open(folder);
    first.tell(event(1));
    await first.close();
    await execa('mount', ['-o', 'remount,ro', disk]);
    const history = await open(folder);
    history.tell(event(2));
    await waitUntil('the alarm', () => history.alarms().length > 0);
    expect(history.alarms()[0]?.text).toContain('EROFS');
    expect(numbersIn(await history.read(all))).toEqual([1, 2]);
    await execa('mount', ['-o', 'remount,rw', disk]);
    await recovered(history);
    expect(numbersIn(await readHistoryFiles(folder, all))).toEqual([2, 1]);
  });
});

test('twelve kills -9 in the middle of writing: what was said to be kept is there, and each start goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-history-kill-'));
  let said = 0;
  try {
    for (let kill = 0; kill < 12; kill += 1) said = Math.max(said, await writeUntilKilled(folder, kill * 4));
    expect(said).toBeGreaterThan(100);
    const ids: number[] = [];
    for await (const { entries, damagedLines } of readSegments(folder, 'history')) {
      expect(damagedLines).toEqual([]);
      ids.unshift(...entries.map((entry) => (entry as { readonly id: number }).id));
    }
    expect(ids.slice(0, said)).toEqual(Array.from({ length: said }, (_, index) => index + 1));
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => index + 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Kills the writer so many entries after its start; the last id that it said was on the disk. */
async function writeUntilKilled(folder: string, after: number): Promise<number> {
  const driver = fileURLToPath(new URL('support/history-driver.mjs', import.meta.url));
  const dist = dirname(dirname(dirname(compiledProgram('src/cli/main'))));
  const child = spawn(process.execPath, [driver, dist, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('close', resolve));
  let said = 0;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    lines += 1;
    if (line !== 'ready') said = Number(line);
    if (lines === after + 2) child.kill('SIGKILL');
  }
  await exited;
  return said;
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  for (const bytes of [64 * 1024, 4096, 1]) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(bytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
}

/** Files of `paths.state`, whatever the disk or a hand made of them: a start reads them or leaves them out, and goes on. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unsealed } from '../../../src/core/health/stored-memory.ts';
import { openStateFolder } from '../../../src/daemon/checkpoint.ts';
import { openOrders } from '../../../src/daemon/fleet-orders.ts';
import { openFreezeFile } from '../../../src/daemon/freeze-file.ts';
import { openOverrideStore } from '../../../src/daemon/override-store.ts';
import { nextEpoch } from '../../../src/store/epoch-file.ts';
import { readEntry } from '../../../src/store/history-files.ts';
import { journalLine, readJournal } from '../../../src/store/journal-text.ts';
import type { FuzzTarget } from '../target.ts';

let folder: string | null = null;

export const stateTarget: FuzzTarget = {
  name: 'state',
  summary: 'journal, overrides, checkpoint, freeze, epoch and orders of paths.state',
  seeds: () => [
    Buffer.from(
      journalLine({ id: 1, at: '2026-11-30T01:00:00Z', kind: 'daemon', event: 'started' }) +
        journalLine({ id: 2, text: 'x' }),
    ),
    Buffer.from(
      JSON.stringify({
        version: 1,
        overrides: [
          {
            subject: 'cmi',
            state: 'drain',
            author: 'kim',
            reason: 'x',
            since: '2026-11-30T01:00:00Z',
            expires: null,
          },
        ],
        released: ['announce_cmi_web4'],
      }),
    ),
    Buffer.from(
      JSON.stringify({
        version: 1,
        bootId: 'b',
        health: 'x',
        decide: { standing: [], budget: {} },
        look: null,
      }),
    ),
    Buffer.from(JSON.stringify({ author: 'kim', reason: 'x', at: '2026-11-30T01:00:00Z' })),
    Buffer.from(
      JSON.stringify({ version: 1, orders: { freeze: { version: 3, text: '{"kind":"freeze"}' } } }),
    ),
    Buffer.from('1796000000000\n'),
  ],
  async check(input) {
    folder ??= mkdtempSync(join(tmpdir(), 'causeway-fuzz-'));
    mkdirSync(folder, { recursive: true });
    for (const name of ['overrides.json', 'checkpoint.json', 'freeze', 'fleet-orders.json', 'epoch'])
      writeFileSync(join(folder, name), input);
    const read = readJournal(input);
    if (read.goodBytes + read.tornBytes !== input.length) return 'a journal that loses bytes';
    for (const entry of read.entries) readEntry(entry);
    unsealed(input.toString('utf8'));
    await openOverrideStore(folder).load();
    await openStateFolder(folder, () => undefined).loadCheckpoint();
    const frozen = await openFreezeFile(folder).look();
    if (frozen === null) return 'a freeze file that freezes nothing';
    const epoch = await nextEpoch(join(folder, 'epoch'), 1_796_000_000_000);
    if (!(epoch >= 1_796_000_000_000)) return `the epoch became ${epoch}`;
    const orders = await openOrders(
      folder,
      () => undefined,
      () => null,
    );
    orders.known();
    return null;
  },
  async close() {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
    folder = null;
  },
};

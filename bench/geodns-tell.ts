/**
 * From what a tick decided to GeoDNS's acknowledgement: outbox on the disk, request, the real service with its own
 * journal. Beside it, in turns, a bare fetch of the same message without an outbox.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GeoDnsClient } from '../src/adapters/geodns-client.ts';
import { openExchange } from '../src/adapters/exchange.ts';
import { openNames } from '../src/adapters/name-lookup.ts';
import { startOrder } from '../src/core/tell/order.ts';
import { putToGeoDns } from '../src/daemon/geodns-way.ts';
import { openJournal } from '../src/store/journal.ts';
import { openOutbox } from '../src/store/outbox.ts';
import type { ToldUplink } from '../src/types/told.ts';
import { millis } from '../src/types/units.ts';
import { labTokens, writeServiceFiles } from '../lab/geodns/service.ts';
import { startStand } from '../lab/geodns/stand.ts';
import { worldMmdbs } from '../lab/geodns/world.ts';
import { waitUntil } from '../lab/network/wait.ts';
import { numberOption } from './number-option.ts';
import { report } from './report.ts';

export const help = `geodns-tell [--changes N] [--write FILE.md] [--json]
  From a decision to GeoDNS's acknowledgement (p50 at most 20 ms), beside a bare fetch; 300 changes unless said.
  Needs PowerDNS (lab/setup).`;

const mostMillis = 20;

export async function run(args: readonly string[]): Promise<number> {
  const changes = numberOption(args, 'changes', 300);
  const stand = await startStand(worldMmdbs());
  const listen = `${stand.sites[0].dns.host}:8053`;
  const config = await writeServiceFiles(stand, listen);
  const service = spawn(process.execPath, ['bin/causeway-geodns', 'run', '-c', config], { stdio: 'ignore' });
  const exchange = openExchange(openNames(() => performance.now()));
  try {
    await waitUntil('the service', async () => (await fetch(`http://${listen}/healthz`)).ok, {
      timeoutMillis: 30_000,
    });
    const tell = await openTeller(stand.folder, `http://${listen}`, exchange);
    const [told, bare]: [number[], number[]] = [[], []];
    for (let change = 0; change < changes; change += 1) {
      const state = change % 2 === 0 ? 'drain' : 'up';
      told.push(await timed(() => tell.tell(state)));
      bare.push(await timed(() => bareFetch(`http://${listen}`, state, change)));
    }
    await tell.close();
    const kept = quantile(told, 0.5) <= mostMillis;
    const text = [
      `${changes} changes in turns, milliseconds p50 / p95 / max`,
      `  told by the node   ${figures(told)}`,
      `  bare fetch         ${figures(bare)}`,
      `p50 of a change that is told at most ${mostMillis} ms: ${kept ? 'kept' : 'missed'}`,
    ];
    report(args, { name: 'geodns-tell', text: text.join('\n'), json: { changes, told, bare, kept } });
    return kept ? 0 : 1;
  } finally {
    exchange.close();
    service.kill();
    await stand.stop();
  }
}

interface Teller {
  /** Resolves when it is acknowledged. */
  tell(state: 'up' | 'drain'): Promise<void>;
  close(): Promise<void>;
}

async function openTeller(
  folder: string,
  url: string,
  exchange: ReturnType<typeof openExchange>,
): Promise<Teller> {
  const tokenFile = join(folder, 'hk1.token');
  writeFileSync(tokenFile, labTokens.hk1);
  const outbox = await openOutbox({
    open: () => openJournal(join(folder, 'told.log')),
    start: (onDisk) => startOrder(Date.now(), onDisk),
    keysAtMost: 100,
  });
  let acknowledged: (told: ToldUplink) => void = () => undefined;
  const heartbeatMillis = millis(10_000);
  const way = { urls: [url], tokenFile, caFile: null, ttlMillis: millis(0), deadlineMillis: millis(0) };
  const client = new GeoDnsClient({
    node: 'hk1',
    endpoints: 1,
    put: putToGeoDns({ ...way, heartbeatMillis, timeoutMillis: millis(2000) }, exchange),
    outbox,
    clock: {
      now: () => performance.now(),
      after(waitMillis, act) {
        const timer = setTimeout(act, waitMillis);
        return () => clearTimeout(timer);
      },
    },
    random: Math.random,
    heartbeatMillis,
    wallTime: () => new Date().toISOString(),
    onAcknowledged: (told) => acknowledged(told),
  });
  return {
    tell: (state) =>
      new Promise((resolve) => {
        acknowledged = () => resolve();
        const family = { state, regions: {}, services: { web: state } };
        const common = { held: null, reason: 'bench', evidence: null };
        client.tell([{ uplink: 'cmi', carrier: 'cmi', families: { 4: family, 6: family }, ...common }]);
      }),
    async close() {
      client.close();
      await outbox.close();
    },
  };
}

async function bareFetch(url: string, state: string, seq: number): Promise<void> {
  const response = await fetch(`${url}/v1/nodes/hk2/carriers/cmi?wait=0`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${labTokens.hk2}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state, epoch: 1, seq, reason: 'bench' }),
  });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  await response.text();
}

async function timed(act: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

function figures(times: readonly number[]): string {
  return [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(1)).join(' / ');
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * A minute of everything at once, on two edges of two workers and one Redis: Redis stopped, killed and flushed, workers
 * killed, reloads, databases swapped, the daemon's word repeated. No 5xx, no dead-lock, and what is admitted stays within the bound.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { ask } from '../../edge/push.ts';
import { asnRows, get, snapshot, startEdge, until } from '../support/edge.ts';
import type { Edge } from '../support/edge.ts';
import { flood } from '../support/flood.ts';
import { limited, page } from '../support/limited.ts';
import { startRedis } from '../support/redis.ts';
import type { Redis } from '../support/redis.ts';

const seconds = 60;
const [rate, burst] = [500, 200];
const nodes = { hk1: { carriers: { cmi: true } }, hk2: { carriers: { cmi: true } } };

interface Stage {
  readonly redis: Redis;
  readonly edges: readonly Edge[];
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** What befalls them, in turn. */
const faults: Readonly<Record<string, (stage: Stage, round: number) => Promise<void>>> = {
  'Redis hangs': async ({ redis }) => {
    redis.child().kill('SIGSTOP');
    await pause(1500);
    redis.child().kill('SIGCONT');
  },
  'Redis dies': async ({ redis }) => {
    await redis.stop();
    await pause(700);
    await redis.start();
  },
  'the functions are flushed': async ({ redis }) => void (await redis.command('FUNCTION FLUSH')),
  'all connections are cut': async ({ redis }) =>
    void (await redis.command('CLIENT KILL TYPE normal SKIPME yes')),
  'a worker is killed': async ({ edges: [edge] }) => {
    if (!edge) return;
    const status = await ask(edge.socket, 'GET', '/status', '', 2000);
    if (status.kind === 'answered')
      process.kill((JSON.parse(status.body) as { worker: number }).worker, 'SIGKILL');
  },
  'nginx reloads': async ({ edges: [, edge] }) => edge?.reload(),
  'a new database': async ({ edges }, round) => {
    for (const { dir } of edges) {
      const path = join(dir, 'asn.mmdb');
      writeFileSync(`${path}.new`, writeAsnMmdb(asnRows, { builtSeconds: round + 2 }));
      renameSync(`${path}.new`, path);
    }
  },
  'a new word': async ({ edges }) => void (await Promise.all(edges.map((edge) => edge.put(snapshot(nodes))))),
};

test('a minute of faults costs no user a 5xx, and admits no more than the bound', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const site = limited(
    { fleet: { rate: `${rate}/s`, burst, key: ['route'], scope: 'fleet' } },
    [{ path: '/hot/', limits: ['fleet'] }],
    { redis: { address: { host: '127.0.0.1', port: redis.port } } },
  );
  const edges = await Promise.all([startEdge(site), startEdge(site)]);
  onTestFinished(async () => void (await Promise.all(edges.map((edge) => edge.stop()))));
  const stage = { redis, edges };
  await faults['a new word']?.(stage, 0);
  const load = Promise.all(
    edges.map((edge) => flood(edge.port, { path: `/hot${page}`, connections: 4, seconds })),
  );
  const end = performance.now() + (seconds - 3) * 1000;
  for (let round = 0; performance.now() < end; round += 1) {
    for (const fault of Object.values(faults)) {
      if (performance.now() < end) await fault(stage, round);
      await pause(150);
    }
  }
  const results = await load;
  const statuses = new Set(results.flatMap((one) => Object.keys(one.answers)));
  expect([...statuses].filter((status) => !['200', '429', 'reset'].includes(status))).toEqual([]);
  const admitted = results.reduce((sum, one) => sum + (one.answers['200'] ?? 0), 0);
  const allowed = burst + rate * Math.max(...results.map((one) => one.seconds));
  // A Redis that dies forgets, so each death may give the burst once more; its hanging gives nothing (debts are paid back).
  const deaths = (seconds / 6) * burst;
  expect(admitted).toBeLessThan(1.25 * allowed + deaths);
  expect(admitted).toBeGreaterThan(0.5 * allowed);
  for (const edge of edges) {
    await until('it serves', async () => {
      return (await get(edge.port, { path: `/hot${page}` })).status === 200 || undefined;
    });
    // What nginx's own reader says of a connection that Redis's death cut is no trouble of ours.
    expect(edge.troubles().filter((line) => !line.includes('recv() failed'))).toEqual([]);
    expect(await edge.metric('edge_bugs_total')).toBe(0);
  }
}, 180_000);

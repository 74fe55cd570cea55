/** What the limiters alone are worth: admitted in floods and waves, nanoseconds, memory; and lookups of the ASN database. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { hot, limiters, sendWave, startLimiters, wave } from './limiters.ts';
import type { Limiter, Stand } from './limiters.ts';
import { figure, gate, median } from './report.ts';
import type { Piece } from './report.ts';
import type { Effort } from './ways.ts';
import { wrk } from './wrk.ts';

const waves = 40;
const waveConnections = 60;
const workerCounts = [2, 8] as const;

interface Admitted {
  readonly flood: readonly number[];
  readonly waves: readonly number[];
}

async function flood(stand: Stand, limiter: Limiter, round: number, seconds: number): Promise<number> {
  const path = `/hot/${limiter}?k=r${round}`;
  const one = await wrk({ port: stand.port, path, seconds, connections: 64 });
  return (one.requests - one.refused) / (hot.burst + hot.rate * one.seconds);
}

async function admit(workers: number, effort: Effort): Promise<ReadonlyMap<Limiter, Admitted>> {
  const stand = await startLimiters(workers);
  const all = new Map(limiters.map((name) => [name, { flood: [] as number[], waves: [] as number[] }]));
  try {
    for (let round = 0; round < effort.rounds; round += 1) {
      for (const [name, one] of all) one.flood.push(await flood(stand, name, round, effort.seconds));
    }
    for (let number = 0; number < waves; number += 1) {
      for (const [name, one] of all)
        one.waves.push(await sendWave(stand.port, `/wave/${name}?k=${number}`, waveConnections));
    }
    return all;
  } finally {
    await stand.close();
  }
}

/** Floods on one key and waves at one moment, with 2 and with 8 workers. */
export async function measureAdmitted(effort: Effort): Promise<Piece> {
  const rows: (readonly string[])[] = [];
  const gates = [];
  for (const workers of workerCounts) {
    for (const [name, one] of await admit(workers, effort)) {
      const [least, most] = [Math.min(...one.waves), Math.max(...one.waves)];
      const middle = `${least} / ${median(one.waves)} / ${most}`;
      rows.push([`${name}, ${workers} workers`, figure(median(one.flood), 3), middle]);
      if (name !== 'edge') continue;
      const title = `${workers} workers: admitted`;
      gates.push(gate(`${title} of a flood / ideal`, median(one.flood), 0.93, 1.02));
      gates.push(
        gate(
          `${title} of a wave of ${waveConnections} on ${wave.burst}, most`,
          most,
          1,
          wave.burst + workers - 1,
        ),
      );
    }
  }
  const title = `Limiters alone: a flood on one key of ${hot.rate}/s, and ${waves} waves of ${waveConnections} connections at once on a bucket of ${wave.burst} (least / median / most admitted)`;
  return { tables: [{ title, columns: ['limiter', 'flood: admitted / ideal', 'waves'], rows }], gates };
}

const takes = z.record(z.string(), z.number());
const counts = z.object({ edge: z.number(), theirs: z.number() });
const lookups = z.object({ own: z.number(), library: z.number(), wrong: z.number() });
const megabytes = 10;

/** Prefixes all over IPv4, so that a lookup walks as far as in a real database. */
function database(): Uint8Array {
  const rows = Array.from({ length: 40_000 }, (_, number) => {
    const spread = (number * 2_654_435_761) % 4_294_967_296;
    const bytes = [((spread >>> 24) % 222) | 1, (spread >>> 16) & 255, (spread >>> 8) & 255];
    return {
      prefix: `${bytes.join('.')}.0/24`,
      asn: 1 + (number % 60_000),
      organisation: `network ${number % 60_000}`,
    };
  });
  const unique = new Map(rows.map((row) => [row.prefix, row]));
  return writeAsnMmdb([...unique.values()], { recordBits: 28 });
}

/** Nanoseconds of a take, clients in a zone, and nanoseconds of a lookup. */
export async function measureMicro(): Promise<Piece> {
  const dir = await mkdtemp(join(tmpdir(), 'causeway-edge-micro-'));
  await chmod(dir, 0o755); // nginx's worker reads it
  const file = join(dir, 'asn.mmdb');
  await writeFile(file, database());
  const stand = await startLimiters(1, file);
  try {
    const take = takes.parse(await stand.micro('take'));
    const count = counts.parse(await stand.micro('clients'));
    const lookup = lookups.parse(await stand.micro('mmdb'));
    return microPiece(take, count, lookup);
  } finally {
    await stand.close();
    await rm(dir, { recursive: true, force: true });
  }
}

function microPiece(
  take: z.infer<typeof takes>,
  count: z.infer<typeof counts>,
  lookup: z.infer<typeof lookups>,
): Piece {
  const of = (name: string): number => take[name] ?? Number.NaN;
  const row = (title: string, name: string): readonly string[] => [
    title,
    figure(of(`edge_${name}`), 0),
    figure(of(`theirs_${name}`), 0),
  ];
  return {
    tables: [
      {
        title: 'One answer of a limiter, ns; clients in a MiB; and one lookup of an AS number, ns',
        columns: ['', 'edge', 'the original, or libmaxminddb'],
        rows: [
          row('accept, one key', 'accept_one'),
          row('accept, 50,000 keys', 'accept_many'),
          row('refuse', 'reject'),
          ['clients', figure(count.edge / megabytes, 0), figure(count.theirs / megabytes, 0)],
          ['lookup', figure(lookup.own, 0), figure(lookup.library, 0)],
        ],
      },
    ],
    gates: [
      gate('take, accept / the original’s', of('edge_accept_one') / of('theirs_accept_one'), 0, 0.6),
      gate(
        'take, accept of many keys / the original’s',
        of('edge_accept_many') / of('theirs_accept_many'),
        0,
        0.6,
      ),
      gate('take, refuse / the original’s', of('edge_reject') / of('theirs_reject'), 0, 0.4),
      gate('clients in a zone / the original’s', count.edge / count.theirs, 1.9),
      gate('lookups a second, own walk / libmaxminddb', lookup.library / lookup.own, 1.2),
      gate('lookups that differ from libmaxminddb’s', lookup.wrong, 0, 0),
    ],
  };
}

/** Redis hangs for a third of the time under load: what users get of leases, and of a script that is called each time. */
import { figure, gate } from './report.ts';
import type { Piece } from './report.ts';
import { rates } from './site.ts';
import type { Bench } from './site.ts';
import { wrk } from './wrk.ts';
import type { Loaded } from './wrk.ts';

/** Both nodes together, as allowed: one bucket of 100 and the rate. */
interface Stalled {
  readonly serverErrors: number;
  readonly admittedOfAllowed: number;
  readonly p99Millis: number;
}

const partSeconds = 3;

async function stall(bench: Bench, ports: readonly number[], path: string): Promise<Stalled> {
  const load = (port: number): Promise<Loaded> =>
    wrk({ port, path, seconds: 3 * partSeconds, connections: 8, statuses: bench.dir });
  const running = Promise.all(ports.map(load));
  await pause(partSeconds * 1000);
  bench.redis.kill('SIGSTOP');
  await pause(partSeconds * 1000).finally(() => bench.redis.kill('SIGCONT'));
  const results = await running;
  const sum = (pick: (one: Loaded) => number): number => results.reduce((total, one) => total + pick(one), 0);
  const seconds = Math.max(...results.map((one) => one.seconds));
  const admitted = sum((one) => one.requests - one.refused);
  return {
    serverErrors: sum((one) => one.serverErrors),
    admittedOfAllowed: admitted / (100 + rates.overload * seconds),
    p99Millis: Math.max(...results.map((one) => one.p99Millis)),
  };
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

/** 3 s of 9 s without Redis. */
export async function measureStall(bench: Bench): Promise<Piece> {
  const lease = await stall(bench, bench.edges, '/lease-overload');
  const script = await stall(bench, bench.peers, '/redis-hasty');
  const row = (name: string, one: Stalled): readonly string[] => [
    name,
    figure(one.serverErrors, 0),
    figure(one.admittedOfAllowed, 3),
    figure(one.p99Millis, 1),
  ];
  return {
    tables: [
      {
        title: `Redis stopped for ${partSeconds} s of ${3 * partSeconds} s, ${rates.overload}/s allowed`,
        columns: ['way', '5xx', 'admitted / allowed', 'p99 ms'],
        rows: [row('lease', lease), row('a script for each request, 20 ms', script)],
      },
    ],
    gates: [
      gate('Redis stopped: 5xx', lease.serverErrors, 0, 0),
      gate('Redis stopped: admitted / allowed', lease.admittedOfAllowed, 0.85, 1.25),
      gate('Redis stopped: p99 in ms', lease.p99Millis, 0, 150),
    ],
  };
}

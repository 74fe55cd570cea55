/**
 * `npm run bench:edge [seconds] [rounds]`: the edge's limiters beside none (nginx alone), plain (the edge without a limit),
 * nginx's limit_req alone, and a Redis call for each request; leases and Redis calls also without the rest of the edge. Two
 * nodes of one worker each on one machine, wrk on both at once, ways interleaved; medians and ratios count, absolute numbers
 * are the machine's. CPU is that of nginx and Redis together. Exit code 1 when a gate is missed.
 */
import { execa } from 'execa';
import { measurePushes } from './pushes.ts';
import { rates, startBench } from './site.ts';
import type { Bench, Regime } from './site.ts';

const seconds = Number(process.argv[2] ?? 3);
const rounds = Number(process.argv[3] ?? 3);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface Run {
  readonly perSecond: number;
  /** Microseconds of CPU of nginx and Redis for each request. */
  readonly cpu: number;
  readonly admitted: number;
  readonly seconds: number;
  readonly calls: number;
}

interface Way {
  readonly name: string;
  readonly ports: (bench: Bench) => readonly number[];
  readonly path: string;
}

/** Ways that refuse nobody. */
const unlimited = ['none', 'plain', 'steer'];

const ways = (regime: Regime): readonly Way[] => [
  { name: 'none', ports: (bench) => bench.peers, path: '/none' },
  { name: 'plain', ports: (bench) => bench.edges, path: '/plain' },
  { name: 'limit_req', ports: (bench) => bench.peers, path: `/limit_req-${regime}` },
  { name: 'local', ports: (bench) => bench.edges, path: `/local-${regime}` },
  { name: 'redis', ports: (bench) => bench.peers, path: `/redis-${regime}` },
  { name: 'lease', ports: (bench) => bench.edges, path: `/lease-${regime}` },
  { name: 'redis-alone', ports: (bench) => bench.peers, path: `/redis-alone-${regime}` },
  { name: 'lease-alone', ports: (bench) => bench.peers, path: `/lease-alone-${regime}` },
  { name: 'steer', ports: (bench) => bench.edges, path: '/steer' },
];

async function wrk(
  port: number,
  path: string,
): Promise<{ requests: number; refused: number; seconds: number }> {
  const { stdout } = await execa('wrk', [
    '-t1',
    '-c16',
    `-d${seconds}s`,
    '-H',
    'Host: www.example.test',
    `http://127.0.0.1:${port}${path}`,
  ]);
  const total = /(\d+) requests in ([\d.]+)s/.exec(stdout);
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(stdout);
  if (!total) throw new Error(`wrk said something else:\n${stdout}`);
  return { requests: Number(total[1]), refused: Number(refused?.[1] ?? 0), seconds: Number(total[2]) };
}

async function run(bench: Bench, way: Way): Promise<Run> {
  const before = await bench.calls();
  const cpuBefore = bench.cpu();
  const results = await Promise.all(way.ports(bench).map((port) => wrk(port, way.path)));
  const used = bench.cpu() - cpuBefore;
  const requests = results.reduce((total, one) => total + one.requests, 0);
  const free = unlimited.includes(way.name);
  const refused = results.reduce((total, one) => total + one.refused, 0);
  if (free && refused > 0) throw new Error(`${way.path} answered something else than 200 ${refused} times`);
  const took = Math.max(...results.map((one) => one.seconds));
  const asked = way.name.startsWith('redis') ? requests : (await bench.calls()) - before;
  return {
    perSecond: requests / took,
    cpu: (used * 1000) / requests,
    admitted: requests - refused,
    seconds: took,
    calls: asked / requests,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function measure(bench: Bench, regime: Regime): Promise<ReadonlyMap<string, Run>> {
  const all = new Map<string, Run[]>(ways(regime).map((way) => [way.name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ways(regime)) all.get(way.name)?.push(await run(bench, way));
  }
  return new Map(
    Array.from(all, ([name, runs]) => {
      const of = (pick: (one: Run) => number): number => median(runs.map(pick));
      return [
        name,
        {
          perSecond: of((one) => one.perSecond),
          cpu: of((one) => one.cpu),
          admitted: of((one) => one.admitted),
          seconds: of((one) => one.seconds),
          calls: of((one) => one.calls),
        },
      ];
    }),
  );
}

function report(regime: Regime, results: ReadonlyMap<string, Run>): void {
  const none = results.get('none')?.perSecond ?? Number.NaN;
  say(
    `\n${regime}: ${rates[regime]}/s allowed\n${'way'.padEnd(12)} ${'req/s'.padStart(8)} ${'of none'.padStart(8)} ${'CPU µs'.padStart(8)} ${'Redis calls/request'.padStart(20)} ${'admitted/ideal'.padStart(15)}`,
  );
  for (const [name, one] of results) {
    const limited = regime === 'overload' && !unlimited.includes(name);
    // A limit of one node holds on both nodes.
    const ideal =
      (name.startsWith('lease') || name.startsWith('redis') ? 1 : 2) * (100 + rates.overload * one.seconds);
    const share = limited ? (one.admitted / ideal).toFixed(3) : '-';
    say(
      `${name.padEnd(12)} ${one.perSecond.toFixed(0).padStart(8)} ${(one.perSecond / none).toFixed(2).padStart(8)} ${one.cpu.toFixed(1).padStart(8)} ${one.calls.toFixed(4).padStart(20)} ${share.padStart(15)}`,
    );
  }
}

function gate(name: string, value: number, low: number, high = Number.POSITIVE_INFINITY): boolean {
  const good = value >= low && value <= high;
  const wanted = high === Number.POSITIVE_INFINITY ? `>= ${low}` : `${low} to ${high}`;
  say(`${good ? 'ok  ' : 'MISS'} ${name}: ${value.toFixed(3)} (${wanted})`);
  return good;
}

function gates(accept: ReadonlyMap<string, Run>, overload: ReadonlyMap<string, Run>): boolean {
  const speed = (name: string): number => accept.get(name)?.perSecond ?? Number.NaN;
  const cpu = (name: string): number => accept.get(name)?.cpu ?? Number.NaN;
  const ideal = (name: string, nodes: number): number => {
    const one = overload.get(name);
    return one ? one.admitted / (nodes * (100 + rates.overload * one.seconds)) : Number.NaN;
  };
  say('');
  return [
    gate('local limiter / the edge without one, req/s', speed('local') / speed('plain'), 0.8),
    gate(
      'lease / Redis for each request, limiters alone, req/s',
      speed('lease-alone') / speed('redis-alone'),
      2.5,
    ),
    gate('CPU of a steered request / nginx alone', cpu('steer') / cpu('none'), 0, 1.6),
    gate(
      'lease: Redis calls per request under overload',
      overload.get('lease')?.calls ?? Number.NaN,
      0,
      0.02,
    ),
    gate('admitted by the local limiter / ideal', ideal('local', 2), 0.93, 1.02),
    gate('admitted by leases / ideal', ideal('lease', 1), 0.93, 1.02),
  ].every(Boolean);
}

const node = (name: string, up: boolean): object => ({
  host: `${name}.edge.test`,
  accepting: true,
  weight: 100,
  uplinks: { cmi: { carrier: 'cmi', score: 90, families: { '4': { up } } } },
});
const state = (self: string, seq = 1, up = true): string =>
  JSON.stringify({
    schema: 1,
    epoch: 1,
    seq,
    generatedAt: '2026-11-30T00:00:00Z',
    ttlMillis: 1e9,
    self,
    nodesActive: 2,
    nodes: { hk1: node('hk1', up), hk2: node('hk2', true) },
  });

/** The half of them that redirect stay below the damping of one client. */
const pushCount = 800;
async function pushes(measured: Bench): Promise<boolean> {
  const word = (seq: number, up: boolean): string => state('hk1', seq, up);
  const [port = 0] = measured.edges;
  const { millis, wrong } = await measurePushes(measured.admin, port, '/steer', pushCount, word);
  const at = (share: number): number => millis[Math.floor(millis.length * share)] ?? Number.NaN;
  say(`\npush → decision: p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms`);
  return [
    gate('push → decision, p99 in ms', at(0.99), 0, 20),
    gate('decisions by an older word', wrong, 0, 0),
  ].every(Boolean);
}

const bench = await startBench((self) => state(self));
try {
  const accept = await measure(bench, 'accept');
  report('accept', accept);
  const overload = await measure(bench, 'overload');
  report('overload', overload);
  const pushed = await pushes(bench);
  process.exitCode = gates(accept, overload) && pushed ? 0 : 1;
} finally {
  await bench.close();
}

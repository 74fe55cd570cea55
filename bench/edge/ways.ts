/**
 * The edge's ways of limiting beside none (nginx alone), plain (the edge without a limit), nginx's limit_req alone, and a
 * Redis call for each request; leases and Redis calls also without the rest of the edge. Two nodes of one worker each, wrk
 * on both at once, ways interleaved. CPU is that of nginx and Redis together.
 */
import { figure, gate, median } from './report.ts';
import type { Piece, Table } from './report.ts';
import { rates } from './site.ts';
import type { Bench, Regime } from './site.ts';
import { wrk } from './wrk.ts';

interface Run {
  readonly perSecond: number;
  /** Microseconds of CPU of nginx and Redis for each request. */
  readonly cpu: number;
  readonly admitted: number;
  readonly seconds: number;
  /** Redis calls for each request. */
  readonly calls: number;
}

interface Way {
  readonly name: string;
  readonly ports: (bench: Bench) => readonly number[];
  readonly path: string;
}

export interface Effort {
  readonly seconds: number;
  readonly rounds: number;
}

/** Runs of each way, in the order of the rounds. */
type Runs = ReadonlyMap<string, readonly Run[]>;

/** Ways that refuse nobody. */
const unlimited = ['none', 'plain', 'steer'];
const connections = 16;

const free: readonly Way[] = [
  { name: 'none', ports: (bench) => bench.peers, path: '/none' },
  { name: 'plain', ports: (bench) => bench.edges, path: '/plain' },
  { name: 'steer', ports: (bench) => bench.edges, path: '/steer' },
];

const ways = (regime: Regime): readonly Way[] => [
  ...free,
  { name: 'limit_req', ports: (bench) => bench.peers, path: `/limit_req-${regime}` },
  { name: 'local', ports: (bench) => bench.edges, path: `/local-${regime}` },
  { name: 'redis', ports: (bench) => bench.peers, path: `/redis-${regime}` },
  { name: 'lease', ports: (bench) => bench.edges, path: `/lease-${regime}` },
  { name: 'redis-alone', ports: (bench) => bench.peers, path: `/redis-alone-${regime}` },
  { name: 'lease-alone', ports: (bench) => bench.peers, path: `/lease-alone-${regime}` },
];

async function load(bench: Bench, way: Way, seconds: number): Promise<Run> {
  const before = await bench.calls();
  const cpuBefore = bench.cpu();
  const loads = way.ports(bench).map((port) => wrk({ port, path: way.path, seconds, connections }));
  const results = await Promise.all(loads);
  const used = bench.cpu() - cpuBefore;
  const requests = results.reduce((total, one) => total + one.requests, 0);
  const refused = results.reduce((total, one) => total + one.refused, 0);
  if (unlimited.includes(way.name) && refused > 0)
    throw new Error(`${way.path} answered something else than 200 ${refused} times`);
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

async function takeTurns(bench: Bench, list: readonly Way[], effort: Effort): Promise<Runs> {
  const all = new Map<string, Run[]>(list.map((way) => [way.name, []]));
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const way of list) all.get(way.name)?.push(await load(bench, way, effort.seconds));
  }
  return all;
}

/** Median over the rounds of what one way is to another in the same round. */
function ratio(runs: Runs, one: string, other: string, pick: (run: Run) => number): number {
  const others = runs.get(other) ?? [];
  const ours = runs.get(one) ?? [];
  return median(ours.map((run, round) => pick(run) / pick(others[round] ?? run)));
}

function middle(runs: Runs, name: string, pick: (run: Run) => number): number {
  return median((runs.get(name) ?? []).map(pick));
}

/** Admitted of what one bucket of 100 and the rate admit in that time; a limit of one node holds on both. */
function share(name: string): (run: Run) => number {
  const buckets = name.startsWith('lease') || name.startsWith('redis') ? 1 : 2;
  return (run) => run.admitted / (buckets * (100 + rates.overload * run.seconds));
}

const perSecond = (one: Run): number => one.perSecond;
const cpu = (one: Run): number => one.cpu;
const calls = (one: Run): number => one.calls;

function tableOf(title: string, runs: Runs, limited: boolean): Table {
  const rows = [...runs.keys()].map((name) => [
    name,
    figure(middle(runs, name, perSecond), 0),
    figure(ratio(runs, name, 'none', perSecond), 2),
    figure(middle(runs, name, cpu), 1),
    figure(ratio(runs, name, 'none', cpu), 2),
    figure(middle(runs, name, calls), 4),
    limited && !unlimited.includes(name) ? figure(middle(runs, name, share(name)), 3) : '–',
  ]);
  const columns = [
    'way',
    'req/s',
    'of none',
    'CPU µs',
    'of none',
    'Redis calls a request',
    'admitted / ideal',
  ];
  return { title, columns, rows };
}

/** CPU of a request that is steered, beside nginx alone. */
export async function measureCpu(bench: Bench, effort: Effort): Promise<Piece> {
  const runs = await takeTurns(bench, free, effort);
  return {
    tables: [tableOf('Without limits, a small file', runs, false)],
    gates: [gate('CPU of a steered request / nginx alone', ratio(runs, 'steer', 'none', cpu), 0, 1.6)],
  };
}

/** Nobody is refused, and then nearly everybody. */
export async function measureWays(bench: Bench, effort: Effort): Promise<Piece> {
  const accept = await takeTurns(bench, ways('accept'), effort);
  const overload = await takeTurns(bench, ways('overload'), effort);
  return {
    tables: [
      tableOf(`Everybody is admitted: ${rates.accept}/s allowed`, accept, false),
      tableOf(`Nearly everybody is refused: ${rates.overload}/s allowed`, overload, true),
    ],
    gates: [
      gate('local limiter / the edge without one, req/s', ratio(accept, 'local', 'plain', perSecond), 0.8),
      gate(
        'lease / Redis for each request, req/s',
        ratio(accept, 'lease-alone', 'redis-alone', perSecond),
        2.5,
      ),
      gate('lease: Redis calls a request under overload', middle(overload, 'lease', calls), 0, 0.02),
      gate(
        'admitted by two nodes of local limits / ideal',
        middle(overload, 'local', share('local')),
        0.93,
        1.02,
      ),
      gate('admitted by leases of two nodes / ideal', middle(overload, 'lease', share('lease')), 0.93, 1.02),
    ],
  };
}

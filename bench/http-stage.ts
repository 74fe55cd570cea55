/** One stretch of time under one kind of client: what the daemon's own metrics say of it, and fping on the same path. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { carriers, targets } from '../lab/network/addresses.ts';
import { inside } from '../lab/network/inside.ts';
import type { Lab } from '../lab/node/lab.ts';
import { nodeFiles, nodeListen } from '../lab/node/config.ts';
import { readStatus } from '../lab/node/program.ts';
import { exchange } from '../src/cli/daemon-transport.ts';

export interface Stage {
  readonly name: string;
  /** The command that plays the clients; null: nobody asks. */
  readonly attack: ((port: number, seconds: number) => readonly string[]) | null;
}

export interface StageResult {
  readonly name: string;
  /** Answered, a second. */
  readonly requests: number;
  readonly ticks: number;
  /** Ticks that began more than 50 ms late. */
  readonly later: number;
  /** The bucket that holds 99 % of them. */
  readonly lateP99Text: string;
  readonly probes: number;
  readonly lost: number;
  readonly notRun: number;
  /** Median round trip of one target by the first carrier. */
  readonly oursMillis: number;
  readonly fpingMillis: number;
  /** Resident, of the daemon. */
  readonly memoryBytes: number;
}

const settleMillis = 2000;

export async function runStage(lab: Lab, { name, attack }: Stage, seconds: number): Promise<StageResult> {
  const namespace = lab.network.namespace('node');
  const port = Number(nodeListen.split(':').at(-1));
  const player = attack === null ? null : play(namespace, attack(port, seconds));
  try {
    await sleep(settleMillis);
    const before = await scrape(lab);
    const fping = await fpingMedian(namespace, seconds);
    const after = await scrape(lab);
    return { name, ...between(before, after), fpingMillis: fping, oursMillis: await ourMedian(lab) };
  } finally {
    if (player !== null) await end(player);
    await sleep(settleMillis);
  }
}

type Series = ReadonlyMap<string, number>;

function between(before: Series, after: Series): Omit<StageResult, 'name' | 'fpingMillis' | 'oursMillis'> {
  const grown = (prefix: string): number => sumOf(after, prefix) - sumOf(before, prefix);
  const late = 'causeway_tick_late_seconds';
  const ticks = grown(`${late}_count`);
  const within = (bound: string): number => grown(`${late}_bucket{le="${bound}"}`);
  const bounds = ['0.001', '0.005', '0.01', '0.02', '0.05', '0.1', '0.2', '0.5', '1', '5', '+Inf'];
  const p99 = bounds.find((bound) => within(bound) >= 0.99 * ticks) ?? '+Inf';
  const seconds = sumOf(after, 'scraped_seconds') - sumOf(before, 'scraped_seconds');
  return {
    requests: grown('causeway_http_requests_total') / seconds,
    ticks,
    later: ticks - within('0.05'),
    lateP99Text: p99 === '+Inf' ? 'more than 5 s' : `${Number(p99) * 1000} ms`,
    probes: grown('causeway_probes_sent_total'),
    lost: grown('causeway_probes_lost_total'),
    notRun: grown('causeway_probes_not_run_total'),
    memoryBytes: sumOf(after, 'process_resident_memory_bytes'),
  };
}

/** Of all series whose name, or name and labels, begin so. */
function sumOf(series: Series, prefix: string): number {
  let sum = 0;
  for (const [name, value] of series) if (name === prefix || name.startsWith(`${prefix}{`)) sum += value;
  return sum;
}

/** Over the control socket, which the clients of the port cannot fill. */
async function scrape(lab: Lab): Promise<Series> {
  const path = nodeFiles(lab.network).control;
  const limits = { millis: 30_000, bytes: 16 * 1024 * 1024, tooLarge: 'metrics of more than 16 MB' };
  const asked = { method: 'GET', path: '/metrics', body: null } as const;
  const { text } = await exchange({ kind: 'socket', path }, asked, limits);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map((line): [string, number] => [
    line.slice(0, line.lastIndexOf(' ')),
    Number(line.slice(line.lastIndexOf(' '))),
  ]);
  return new Map([...series, ['scraped_seconds', performance.now() / 1000]]);
}

/** Median of fping's steady mode through the first carrier, while the daemon probes the same target. */
async function fpingMedian(namespace: string, seconds: number): Promise<number> {
  const [target] = targets;
  const [carrier] = carriers;
  if (target === undefined || carrier === undefined) throw new Error('no target in the lab');
  const count = String(Math.round(seconds * 5));
  const argv = ['fping', '-C', count, '-p', '200', '-q', '-I', carrier.name, target.address[4]];
  const child = spawn('ip', inside(namespace, argv), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await new Promise((resolve) => child.once('exit', resolve));
  const times = [...(said.split(' : ')[1] ?? '').matchAll(/[\d.]+/g)].map(([time]) => Number(time));
  return median(times);
}

/** Of the same target through the same carrier, in the last minute. */
async function ourMedian(lab: Lab): Promise<number> {
  const status = await readStatus(lab.network);
  const [target] = targets;
  const family = status?.uplinks[0]?.families['4'];
  const found = family?.targets.find(({ address }) => address === target?.address[4]);
  return found?.rttP50Millis ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function play(namespace: string, argv: readonly string[]): ChildProcess {
  return spawn('ip', inside(namespace, argv), { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await gone;
}

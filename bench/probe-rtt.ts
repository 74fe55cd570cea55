/**
 * Round trips beside fping and ping: the same path, the same targets, the same seconds, while the process that supervises
 * our prober answers HTTP as fast as it can and is asked without a pause.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { Sample } from '../src/types/outcome.ts';
import { type Running, addressesOf, ended, insideStand, measuring, quantileOf } from './probe-stand.ts';
import { device, sleep, source, startFping, tasksAt } from './probe-stand.ts';
import { report } from './report.ts';

export const help = `probe-rtt [--runs N] [--seconds N] [--write FILE.md] [--json]
  Round trips of our prober, fping and ping in the same seconds, under HTTP load; losses and not-run of a loss-free path.`;

const targets = 20;
const intervalMillis = 50;
const reach = { medianMillis: 0.1, p99Millis: 1, notRunShare: 0.005 };

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

interface Row {
  readonly ours: Times;
  readonly fping: Times;
  readonly ping: Times;
  readonly lost: number;
  readonly notRun: number;
  readonly sent: number;
}

/** Exit code 0: everything is within reach. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '5' },
      // 100,000 probes in five runs.
      seconds: { type: 'string', default: '80' },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
      inside: { type: 'boolean', default: false },
    },
  });
  if (!values.inside) return insideStand(process.argv[1] ?? '', ['probe-rtt', ...args], targets);
  const load = await startLoad();
  const measured = await measuring(tasksAt(targets, intervalMillis), 'icmp-socket');
  const rows: Row[] = [];
  try {
    for (let turn = 0; turn < Number(values.runs); turn += 1)
      rows.push(await oneRun(measured, Number(values.seconds)));
  } finally {
    await measured.prober.stop();
    load.stop();
  }
  const result = resultOf(rows);
  const text = `${result.text}\n\nHTTP requests answered meanwhile by the supervising process: ${load.answered()}`;
  report(args, { name: 'probe-rtt', text, json: { rows, kept: result.kept }, isMarkdown: true });
  return result.kept ? 0 : 1;
}

async function oneRun(measured: Running, seconds: number): Promise<Row> {
  measured.samples.length = 0;
  const fping = startFping(addressesOf(targets), intervalMillis);
  const first = addressesOf(1)[0] ?? '';
  const ping = spawn('ping', ['-n', '-i', '0.05', '-I', device, '-I', source, first], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const times = { fping: linesOf(fping, / ([\d.]+) ms/), ping: linesOf(ping, /time=([\d.]+) ms/) };
  await sleep(seconds * 1000);
  await Promise.all([ended(fping), ended(ping)]);
  // What was sent in these seconds has its outcome a time-out later.
  await sleep(1500);
  const own = measured.samples.splice(0);
  return {
    ours: timesOf(own.flatMap(rttOf)),
    fping: timesOf(times.fping),
    ping: timesOf(times.ping),
    lost: own.filter(({ outcome }) => outcome.kind === 'lost').length,
    notRun: own.filter(({ outcome }) => outcome.kind === 'not-run').length,
    sent: own.length,
  };
}

function rttOf({ outcome }: Sample): readonly number[] {
  return outcome.kind === 'answered' ? [outcome.rttMillis] : [];
}

function linesOf(child: ReturnType<typeof spawn>, pattern: RegExp): readonly number[] {
  const found: number[] = [];
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const time = pattern.exec(line)?.[1];
      if (time !== undefined) found.push(Number(time));
    });
  return found;
}

function timesOf(times: readonly number[]): Times {
  return { p50: quantileOf(times, 0.5), p99: quantileOf(times, 0.99), count: times.length };
}

function resultOf(rows: readonly Row[]): { readonly text: string; readonly kept: boolean } {
  const middle = (of: (row: Row) => number) => quantileOf(rows.map(of), 0.5);
  const medianDifference = middle(({ ours, fping }) => ours.p50 - fping.p50);
  const p99Difference = middle(({ ours, fping }) => ours.p99 - fping.p99);
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const [sent, lost, notRun] = [
    sum(({ sent: all }) => all),
    sum((row) => row.lost),
    sum((row) => row.notRun),
  ];
  const times = ({ p50, p99, count }: Times) => `${p50.toFixed(3)} / ${p99.toFixed(3)} (${count})`;
  const lines = [
    '| run | ours, ms p50 / p99 (probes) | fping | ping | lost | not-run |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(
      (row, index) =>
        `| ${index + 1} | ${times(row.ours)} | ${times(row.fping)} | ${times(row.ping)} | ${row.lost} | ${row.notRun} |`,
    ),
    '',
    `Median of the runs' differences to fping: p50 ${medianDifference.toFixed(3)} ms (reach ≤ ${reach.medianMillis}), p99 ${p99Difference.toFixed(3)} ms (reach ≤ ${reach.p99Millis}).`,
    `False losses: ${lost} of ${sent} (reach 0); not-run ${((100 * notRun) / sent).toFixed(2)} % (reach ≤ ${100 * reach.notRunShare} %).`,
  ];
  const kept =
    Math.abs(medianDifference) <= reach.medianMillis &&
    p99Difference <= reach.p99Millis &&
    lost === 0 &&
    notRun <= reach.notRunShare * sent;
  return { text: lines.join('\n'), kept };
}

interface Load {
  answered(): number;
  stop(): void;
}

/** This process answers JSON of the size of a status document; another one asks on eight connections. */
async function startLoad(): Promise<Load> {
  const body = JSON.stringify(Array.from({ length: 2000 }, (_, index) => ({ index, health: 'healthy' })));
  let answered = 0;
  const server = createServer((_, response) => {
    answered += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(JSON.parse(body)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;
  const asker = spawn(process.execPath, ['-e', askerScript(port)], { stdio: 'ignore' });
  return {
    answered: () => answered,
    stop: () => {
      asker.kill('SIGKILL');
      server.closeAllConnections();
      server.close();
    },
  };
}

function askerScript(port: number): string {
  return `const http = require('http'); const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
const ask = () => http.get({ port: ${port}, agent }, (r) => r.resume().on('end', ask)).on('error', () => setTimeout(ask, 100));
for (let i = 0; i < 8; i += 1) ask();`;
}

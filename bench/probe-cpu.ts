/**
 * CPU and memory of the prober beside fping, on the same targets at the same rates, in turn; and what foreign ICMP costs.
 * CPU is user and system time of all threads of the process that sends; the kernel's work for the packets is in it on both
 * sides. On a node a prober runs for months, and V8 has long compiled what it will compile; one that was just started
 * would be charged for the compiler. So each prober is warmed up once and then takes one plan after the other.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { ProbeEngine, ProbeTask } from '../src/types/outcome.ts';
import { type Running, addressesOf, cpuMicrosOf, ended, insideStand, measuring } from './probe-stand.ts';
import { quantileOf, sleep, startFping, tasksAt } from './probe-stand.ts';
import { report } from './report.ts';

export const help = `probe-cpu [--rounds N] [--seconds N] [--warm-up SECONDS] [--net-ping] [--write FILE.md] [--json]
  CPU per probe and memory at 100 to 5,000 probes a second beside fping; CPU while others ping as fast as they can.
  --warm-up   how long 5,000 probes a second are sent before anything is measured (60)
  --net-ping  the optional engine too, where it is installed`;

/**
 * Probes a second, to how many targets, and what fping's CPU may be multiplied by; null: reported alone. The first two are
 * nodes of usual size at the default pace: 20 and 30 targets, each five times a second.
 */
const rates = [
  { perSecond: 100, targets: 20, reach: null },
  { perSecond: 150, targets: 30, reach: 2.7 },
  { perSecond: 1000, targets: 100, reach: 1.5 },
  { perSecond: 5000, targets: 100, reach: 1 },
] as const;
const mostTargets = 100;
const foreignReach = 0.05;
/** 300,000 probes in a minute: at 150 a second they would take half an hour. */
const warmUp: Rate = { perSecond: 5000, targets: mostTargets };
/** After each change of the plan: sockets are opened, and the compiler does again what the other rate makes it do. */
const settleMillis = 10_000;
const fpingSettleMillis = 2000;

interface Use {
  readonly microsPerProbe: number;
  readonly coreShare: number;
  readonly megabytes: number;
}

/** Exit code 0: everything is within reach. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      'warm-up': { type: 'string', default: '60' },
      'net-ping': { type: 'boolean', default: false },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
      inside: { type: 'boolean', default: false },
    },
  });
  if (!values.inside) return insideStand(process.argv[1] ?? '', ['probe-cpu', ...args], mostTargets);
  const seconds = Number(values.seconds);
  const ours = await warmedUp('icmp-socket', Number(values['warm-up']));
  const netPing = values['net-ping'] ? await warmedUp('net-ping', Number(values['warm-up'])) : null;
  try {
    const all: Row[] = [];
    for (const rate of rates)
      all.push({ rate, uses: await inTurn(ours, netPing, rate, seconds, Number(values.rounds)) });
    return tell(args, all, await underFlood(ours, seconds));
  } finally {
    await ours.prober.stop();
    await netPing?.prober.stop();
  }
}

/** How fast, and to how many targets. */
interface Rate {
  readonly perSecond: number;
  readonly targets: number;
}

interface Row {
  readonly rate: (typeof rates)[number];
  readonly uses: Awaited<ReturnType<typeof inTurn>>;
}

/** Gives the exit code. */
function tell(args: readonly string[], all: readonly Row[], foreign: Foreign): number {
  const lines: string[] = [];
  const figures: Record<string, unknown> = {};
  let kept = foreign.extraShare <= foreignReach;
  for (const { rate, uses } of all) {
    const { perSecond, reach } = rate;
    const ratio = middle(uses.ours, 'microsPerProbe') / middle(uses.fping, 'microsPerProbe');
    const isKept = reach === null || ratio <= reach;
    kept &&= isKept;
    const verdict = reach === null ? '' : `≤ ${reach}${isKept ? '' : ' MISSED'}`;
    const other = uses.netPing.length === 0 ? '–' : useText(uses.netPing);
    lines.push(
      `| ${perSecond}/s | ${useText(uses.ours)} | ${useText(uses.fping)} | ${other} | ${ratio.toFixed(2)} | ${verdict} |`,
    );
    figures[String(perSecond)] = { ...uses, ratio };
  }
  const text = [
    '| rate | ours: µs a probe, share of a core, memory | fping | net-ping | ours / fping | reach |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
    `Foreign echo replies, ${Math.round(foreign.perSecond).toLocaleString('en')} a second: ${(100 * foreign.extraShare).toFixed(1)} % of a core more (reach ≤ ${100 * foreignReach} %).`,
  ].join('\n');
  report(args, { name: 'probe-cpu', text, json: { figures, foreign, kept }, isMarkdown: true });
  return kept ? 0 : 1;
}

/** It stays without a plan. */
async function warmedUp(engine: ProbeEngine, seconds: number): Promise<Running> {
  const measured = await measuring(tasksOf(warmUp), engine);
  await sleep(seconds * 1000);
  measured.prober.setTasks([]);
  measured.samples.length = 0;
  return measured;
}

function tasksOf({ perSecond, targets }: Rate): readonly ProbeTask[] {
  return tasksAt(targets, (1000 * targets) / perSecond);
}

async function inTurn(ours: Running, netPing: Running | null, rate: Rate, seconds: number, rounds: number) {
  const uses: Record<'ours' | 'fping' | 'netPing', Use[]> = { ours: [], fping: [], netPing: [] };
  for (let round = 0; round < rounds; round += 1) {
    uses.ours.push(await useOf(ours, rate, seconds));
    uses.fping.push(await useOfFping(rate, seconds));
    if (netPing !== null) uses.netPing.push(await useOf(netPing, rate, seconds));
  }
  return uses;
}

async function useOf(measured: Running, rate: Rate, seconds: number): Promise<Use> {
  const { prober, samples } = measured;
  prober.setTasks(tasksOf(rate));
  await sleep(settleMillis);
  const before = cpuMicrosOf(measured.state().pid);
  samples.length = 0;
  await sleep(seconds * 1000);
  const micros = cpuMicrosOf(measured.state().pid) - before;
  const use = { ...perProbe(micros, samples.length, seconds), megabytes: measured.state().rssBytes / 1e6 };
  prober.setTasks([]);
  return use;
}

async function useOfFping({ perSecond, targets }: Rate, seconds: number): Promise<Use> {
  const fping = startFping(addressesOf(targets), (1000 * targets) / perSecond);
  let lines = 0;
  fping.stdout?.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines += 1;
  });
  try {
    await sleep(fpingSettleMillis);
    const pid = fping.pid ?? 0;
    const before = { cpu: cpuMicrosOf(pid), lines };
    await sleep(seconds * 1000);
    const micros = cpuMicrosOf(pid) - before.cpu;
    return { ...perProbe(micros, lines - before.lines, seconds), megabytes: 0 };
  } finally {
    await ended(fping);
  }
}

function perProbe(micros: number, probes: number, seconds: number): Omit<Use, 'megabytes'> {
  return { microsPerProbe: micros / Math.max(1, probes), coreShare: micros / (seconds * 1e6) };
}

interface Foreign {
  readonly perSecond: number;
  readonly extraShare: number;
}

/** Somebody else's echoes by the same interface: their replies come in here, and are none of ours. */
async function underFlood(ours: Running, seconds: number): Promise<Foreign> {
  const usual = { perSecond: 150, targets: 30 };
  const quiet = await useOf(ours, usual, seconds);
  const flood = spawn('ping', ['-f', '-q', '-s', '16', addressesOf(1)[0] ?? ''], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let told = '';
  flood.stdout.on('data', (chunk: Buffer) => {
    told += chunk.toString('utf8');
  });
  const began = performance.now();
  const loud = await useOf(ours, usual, seconds);
  const gone = new Promise((resolve) => flood.once('close', resolve));
  flood.kill('SIGINT');
  await gone;
  const received = Number(/(\d+) received/.exec(told)?.[1] ?? 0);
  const perSecond = received / ((performance.now() - began) / 1000);
  return { perSecond, extraShare: loud.coreShare - quiet.coreShare };
}

function middle(uses: readonly Use[], of: keyof Use): number {
  return quantileOf(
    uses.map((use) => use[of]),
    0.5,
  );
}

function useText(uses: readonly Use[]): string {
  const memory = middle(uses, 'megabytes');
  const share = `${(100 * middle(uses, 'coreShare')).toFixed(1)} %`;
  return `${middle(uses, 'microsPerProbe').toFixed(0)}, ${share}${memory > 0 ? `, ${memory.toFixed(0)} MB` : ''}`;
}

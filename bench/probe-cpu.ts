/**
 * CPU and memory of the prober beside fping, on the same targets at the same rates, in turn; and what foreign ICMP costs.
 * CPU is user and system time of the process that sends; the kernel's work for the packets is in it on both sides.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { ProbeEngine } from '../src/types/outcome.ts';
import { addressesOf, cpuMicrosOf, ended, insideStand, measuring, quantileOf } from './probe-stand.ts';
import { sleep, startFping, tasksAt } from './probe-stand.ts';
import { report } from './report.ts';

export const help = `probe-cpu [--rounds N] [--seconds N] [--net-ping] [--write FILE.md] [--json]
  CPU per probe and memory at 100 to 5,000 probes a second beside fping; CPU while others ping as fast as they can.
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
      'net-ping': { type: 'boolean', default: false },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
      inside: { type: 'boolean', default: false },
    },
  });
  if (!values.inside) return insideStand(process.argv[1] ?? '', ['probe-cpu', ...args], mostTargets);
  const seconds = Number(values.seconds);
  const lines: string[] = [];
  const figures: Record<string, unknown> = {};
  let kept = true;
  for (const { perSecond, targets, reach } of rates) {
    const uses = await inTurn({ perSecond, targets }, seconds, Number(values.rounds), values['net-ping']);
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
  const foreign = await underFlood(seconds);
  kept &&= foreign.extraShare <= foreignReach;
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

/** How fast, and to how many targets. */
interface Rate {
  readonly perSecond: number;
  readonly targets: number;
}

async function inTurn(rate: Rate, seconds: number, rounds: number, withNetPing: boolean) {
  const ours: Use[] = [];
  const fping: Use[] = [];
  const netPing: Use[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await useOf('icmp-socket', rate, seconds));
    fping.push(await useOfFping(rate, seconds));
    if (withNetPing) netPing.push(await useOf('net-ping', rate, seconds));
  }
  return { ours, fping, netPing };
}

async function useOf(engine: ProbeEngine, { perSecond, targets }: Rate, seconds: number): Promise<Use> {
  const measured = await measuring(tasksAt(targets, (1000 * targets) / perSecond), engine);
  try {
    // Compilers warm up, sockets are opened.
    await sleep(2000);
    const before = { cpu: cpuMicrosOf(measured.state().pid), samples: measured.samples.length };
    await sleep(seconds * 1000);
    const probes = measured.samples.length - before.samples;
    const micros = cpuMicrosOf(measured.state().pid) - before.cpu;
    return { ...perProbe(micros, probes, seconds), megabytes: measured.state().rssBytes / 1e6 };
  } finally {
    await measured.prober.stop();
  }
}

async function useOfFping({ perSecond, targets }: Rate, seconds: number): Promise<Use> {
  const fping = startFping(addressesOf(targets), (1000 * targets) / perSecond);
  let lines = 0;
  fping.stdout?.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines += 1;
  });
  try {
    await sleep(2000);
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

/** Somebody else's echoes by the same interface: their replies come in here, and are none of ours. */
async function underFlood(
  seconds: number,
): Promise<{ readonly perSecond: number; readonly extraShare: number }> {
  const usual = { perSecond: 150, targets: 30 };
  const quiet = await useOf('icmp-socket', usual, seconds);
  const flood = spawn('ping', ['-f', '-q', '-s', '16', addressesOf(1)[0] ?? ''], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let told = '';
  flood.stdout.on('data', (chunk: Buffer) => {
    told += chunk.toString('utf8');
  });
  const began = performance.now();
  const loud = await useOf('icmp-socket', usual, seconds);
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

/**
 * What the benchmarks of probing run on: a node and a target in network namespaces of their own, joined by a router, and
 * the benchmark itself once more inside the node, so that all contestants send by the same interface.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ProberState, startProber, type ProberHandle } from '../src/daemon/prober.ts';
import type { ProbeEngine, ProbeTask, Sample } from '../src/types/outcome.ts';
import { millis } from '../src/types/units.ts';

export const device = 'up0';
export const source = '198.18.250.2';

/** The target's addresses. */
export function addressesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `198.19.250.${index + 1}`);
}

function ip(line: string): void {
  execFileSync('ip', line.split(' '), { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Runs `node PROGRAM ARGUMENTS --inside` in the node's namespace; its exit code. Root is needed. */
export async function insideStand(
  program: string,
  args: readonly string[],
  targets: number,
): Promise<number> {
  const id = `cwb${process.pid}`;
  const [node, router, target] = [`${id}n`, `${id}r`, `${id}t`];
  try {
    for (const name of [node, router, target]) {
      ip(`netns add ${name}`);
      ip(`-n ${name} link set lo up`);
    }
    join(node, device, `${source}/30`, router, 'n0', '198.18.250.1/30');
    join(target, 'up0', '198.18.251.2/30', router, 't0', '198.18.251.1/30');
    ip(`netns exec ${router} sysctl -qw net.ipv4.ip_forward=1`);
    execFileSync('ip', ['netns', 'exec', node, 'sysctl', '-qw', 'net.ipv4.ping_group_range=0 2147483647']);
    ip(`-n ${node} route add default via 198.18.250.1`);
    ip(`-n ${target} route add default via 198.18.251.1`);
    ip(`-n ${router} route add 198.19.250.0/24 via 198.18.251.2`);
    for (const address of addressesOf(targets)) ip(`-n ${target} addr add ${address}/32 dev lo`);
    const child = spawn('ip', ['netns', 'exec', node, process.execPath, program, ...args, '--inside'], {
      stdio: 'inherit',
    });
    return await new Promise((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    for (const name of [node, router, target]) {
      try {
        ip(`netns del ${name}`);
      } catch {
        // It was never made.
      }
    }
  }
}

function join(
  left: string,
  leftName: string,
  leftAddress: string,
  right: string,
  rightName: string,
  rightAddress: string,
): void {
  ip(`-n ${left} link add ${leftName} type veth peer name ${rightName} netns ${right}`);
  ip(`-n ${left} addr add ${leftAddress} dev ${leftName}`);
  ip(`-n ${right} addr add ${rightAddress} dev ${rightName}`);
  ip(`-n ${left} link set ${leftName} up`);
  ip(`-n ${right} link set ${rightName} up`);
}

export function tasksAt(targets: number, intervalMillis: number): readonly ProbeTask[] {
  return addressesOf(targets).map((address, index) => ({
    id: index + 1,
    uplink: 'cmi',
    interface: device,
    source,
    family: 4,
    address,
    target: `t-${index + 1}`,
    region: 'ID',
    class: 'target',
    kind: 'icmp',
    port: 0,
    intervalMillis: millis(intervalMillis),
    timeoutMillis: millis(1000),
  }));
}

export interface Running {
  readonly prober: ProberHandle;
  /** All since the start, or since they were last emptied. */
  readonly samples: Sample[];
  /** Of the prober process. */
  state(): Extract<ProberState, { readonly kind: 'running' }>;
}

/** Starts the real prober under its real supervisor, and waits until it measures. Throws where it cannot. */
export async function measuring(tasks: readonly ProbeTask[], engine: ProbeEngine): Promise<Running> {
  const samples: Sample[] = [];
  const latest: { state: ProberState } = { state: { kind: 'starting' } };
  const prober = startProber({
    entry: fileURLToPath(new URL('../probes/prober.js', import.meta.url)),
    tasks,
    engine,
    onSamples: (message) => void samples.push(...message.samples),
    onState: (next) => {
      latest.state = next;
    },
  });
  const running = (): Extract<ProberState, { readonly kind: 'running' }> => {
    const { state } = latest;
    if (state.kind !== 'running') throw new Error(`the prober is ${JSON.stringify(state)}`);
    return state;
  };
  const end = performance.now() + 30_000;
  while (samples.length < tasks.length || latest.state.kind !== 'running') {
    if (performance.now() > end || latest.state.kind === 'unable') {
      await prober.stop();
      running();
    }
    await sleep(50);
  }
  return { prober, samples, state: running };
}

export function sleep(sleepMillis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, sleepMillis);
  });
}

/**
 * User and system time of all threads of a process so far, in microseconds: nanoseconds on a CPU by the kernel's
 * sched-stats. /proc/PID/stat counts in ticks of 10 ms, a tenth of what fping takes in ten seconds at 150/s.
 */
export function cpuMicrosOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanosOf = (thread: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return threads.reduce((sum, thread) => sum + nanosOf(thread), 0) / 1000;
}

/** fping's steady mode on the same targets; `-p` is the time between two pings of one target. */
export function startFping(addresses: readonly string[], intervalMillis: number): ChildProcess {
  const pace = ['-l', '-D', '-p', String(Math.round(intervalMillis)), '-t', '1000', '-i', '0.1'];
  return spawn('fping', [...pace, '-I', device, '-S', source, ...addresses], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Ends a process that was started here. */
export async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await gone;
}

/** The value below which that share of them lies. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

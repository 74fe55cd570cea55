/** How the resident memory of a node's daemon and prober moves: sampled from /proc, never asked of the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Network } from '../network/network.ts';
import { readPidFile } from '../network/process.ts';
import { daemonPidFile } from '../node/program.ts';

export interface MemorySample {
  /** Daemon and its children together. */
  readonly residentKilobytes: number;
}

/** A sample each half second, after a warm-up in which the heap finds its size. */
export async function memoryOf(
  network: Network,
  { warmUpMillis, forMillis }: { readonly warmUpMillis: number; readonly forMillis: number },
): Promise<readonly MemorySample[]> {
  const ref = readPidFile(daemonPidFile(network));
  if (ref === null) throw new Error('the daemon does not run');
  await pause(warmUpMillis);
  const samples: MemorySample[] = [];
  const end = performance.now() + forMillis;
  while (performance.now() < end) {
    samples.push({ residentKilobytes: residentOf(ref.pid) });
    await pause(500);
  }
  return samples;
}

/** For a program that is to be measured: a heap that is collected early and often, so that only what is kept shows. */
export const smallHeap = { NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size=96' };

/** Kilobytes more, from the lowest of the first to the lowest of the last third: a heap breathes between collections. */
export function riseOf(samples: readonly MemorySample[]): number {
  const third = Math.floor(samples.length / 3);
  return lowest(samples.slice(-third)) - lowest(samples.slice(0, third));
}

function lowest(samples: readonly MemorySample[]): number {
  return Math.min(...samples.map(({ residentKilobytes }) => residentKilobytes));
}

function residentOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + residentOfOne(one), 0);
}

function residentOfOne(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): readonly number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.flatMap((task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
}

/** The supervisor and prober in a namespace, seen from a test. */
import { inside } from '../../../lab/network/inside.ts';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProberState } from '../../../src/daemon/prober.ts';
import type { ProbeEngine, ProbeTask, ProberMessage, Sample } from '../../../src/types/outcome.ts';
import { millis } from '../../../src/types/units.ts';
import { sourceA, sourceB, targetAddress } from './prober-world.ts';

type Samples = Extract<ProberMessage, { readonly kind: 'samples' }>;
type Line =
  | { readonly kind: 'samples'; readonly message: Samples }
  | { readonly kind: 'state'; readonly state: ProberState };

export interface ProberRun {
  command(command: Record<string, unknown>): void;
  readonly samples: readonly Sample[];
  readonly messages: readonly Samples[];
  readonly states: readonly ProberState[];
  /** The newest samples of one task, from the count `from` of all samples on. */
  of(task: number, from?: number): readonly Sample[];
  close(): Promise<void>;
}

export function startRun(namespace: string, dist: string, engine: ProbeEngine = 'icmp-socket'): ProberRun {
  const driver = fileURLToPath(new URL('prober-driver.mjs', import.meta.url));
  const child = spawn('ip', inside(namespace, [process.execPath, driver, dist, engine]), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const samples: Sample[] = [];
  const messages: Samples[] = [];
  const states: ProberState[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    if (line.kind !== 'samples') states.push(line.state);
    else {
      messages.push(line.message);
      samples.push(...line.message.samples);
    }
  });
  return {
    command: (command) => void child.stdin.write(`${JSON.stringify(command)}\n`),
    samples,
    messages,
    states,
    of: (task, from = 0) => samples.slice(from).filter((sample) => sample.task === task),
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      const force = setTimeout(() => child.kill('SIGKILL'), 5000);
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await gone;
      clearTimeout(force);
    },
  };
}

/** The eight streams of both uplinks: A 1–4, B 5–8; each ICMP v4, ICMP v6, TCP v4, TCP v6. */
export function allTasks(intervalMillis = 100, timeoutMillis = 1000, port = 443): readonly ProbeTask[] {
  const tasks: ProbeTask[] = [];
  for (const [uplink, device, sources] of [
    ['a', 'upa', sourceA],
    ['b', 'upb', sourceB],
  ] as const) {
    for (const kind of ['icmp', 'tcp'] as const) {
      for (const family of [4, 6] as const) {
        tasks.push({
          id: tasks.length + 1,
          uplink,
          interface: device,
          source: sources[family],
          family,
          address: targetAddress[family],
          target: 'jkt-1',
          region: 'ID',
          class: 'target',
          kind,
          port: kind === 'tcp' ? port : 0,
          intervalMillis: millis(intervalMillis),
          timeoutMillis: millis(timeoutMillis),
        });
      }
    }
  }
  return tasks;
}

export const idsOfA = [1, 2, 3, 4];
export const idsOfB = [5, 6, 7, 8];

/** Looks every 25 ms until it is true; fails with `what` after the deadline. */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMillis = 60_000,
): Promise<void> {
  const end = performance.now() + withinMillis;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${withinMillis} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
}

export function outcomesOf(samples: readonly Sample[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of samples) {
    const key = outcome.kind === 'not-run' ? `not-run ${outcome.why}` : outcome.kind;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

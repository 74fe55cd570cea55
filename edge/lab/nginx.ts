/** An nginx of the edge in the foreground, for the lab, the benchmark and the tests. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { loadEdge } from '../conf/load.ts';
import { describeProblem } from '../conf/problem.ts';
import { judge, writeEdge } from '../render/write.ts';
import type { WriteOptions } from '../render/write.ts';

/** Renders an edge.yaml; throws an Error with everything that is wrong in it. */
export async function renderOrThrow(file: string, options: WriteOptions): Promise<void> {
  const loaded = await loadEdge(file);
  if (loaded.kind === 'wrong') throw new Error(loaded.problems.map(describeProblem).join('\n'));
  await writeEdge(loaded.value, options);
}

/** Starts nginx on rendered files; throws an Error with nginx's own words when it refuses them. */
export async function startNginx(out: string): Promise<ChildProcess> {
  const conf = join(out, 'nginx.conf');
  const verdict = await judge(conf);
  if (verdict !== null) throw new Error(verdict);
  // A group of its own: Ctrl-C in a terminal is for the one who started it, who ends it in order.
  return spawn('nginx', ['-c', conf, '-g', 'daemon off;'], { stdio: 'ignore', detached: true });
}

/** Two processes of the lowest priority that share the jobs: a benchmark of hours must not be in anybody's way. */
import { fork, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Job, type JobResult, runJob } from './jobs.ts';
import type { KeptResults } from './kept.ts';

interface Done {
  readonly index: number;
  readonly result: JobResult;
}

/** Results in the order of the jobs, of which those that are kept are not done again. `progress` hears of each other. */
export async function runJobs(
  jobs: readonly Job[],
  processes: number,
  kept: KeptResults | null,
  progress: (done: number) => void,
): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  for (const [index, job] of jobs.entries()) {
    const known = kept?.of(job);
    if (known !== undefined) results[index] = known;
  }
  const left = jobs.flatMap((job, index) => (results[index] === undefined ? [{ index, job }] : []));
  let next = 0;
  let done = jobs.length - left.length;
  const work = (child: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (): void => {
        const task = left[next];
        if (task === undefined) {
          child.disconnect();
          return;
        }
        child.send(task);
        next += 1;
      };
      child.on('message', (message) => {
        // JSON of our own worker over a channel that nobody else holds.
        const { index, result } = message as Done;
        results[index] = result;
        const job = jobs[index];
        if (job !== undefined) kept?.add(job, result);
        done += 1;
        progress(done);
        give();
      });
      child.once('error', reject);
      child.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a worker ended with ${String(code)}`)),
      );
      give();
    });
  const entry = fileURLToPath(import.meta.url);
  await Promise.all(Array.from({ length: processes }, () => work(fork(entry, ['--arena-worker']))));
  return results;
}

if (process.argv[2] === '--arena-worker') {
  setPriority(19);
  process.on('message', (message) => {
    const { index, job } = message as { readonly index: number; readonly job: Job };
    process.send?.({ index, result: runJob(job) } satisfies Done);
  });
}

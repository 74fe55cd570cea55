/** Two processes of the lowest priority that share the jobs: a benchmark of hours must not be in anybody's way. */
import { fork, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Job, type JobResult, runJob } from './jobs.ts';

interface Done {
  readonly index: number;
  readonly result: JobResult;
}

/** Results in the order of the jobs. `progress` hears of each that is done. */
export async function runJobs(
  jobs: readonly Job[],
  processes: number,
  progress: (done: number) => void,
): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  let next = 0;
  let done = 0;
  const work = (child: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (): void => {
        if (next >= jobs.length) {
          child.disconnect();
          return;
        }
        child.send({ index: next, job: jobs[next] });
        next += 1;
      };
      child.on('message', (message) => {
        // JSON of our own worker over a channel that nobody else holds.
        const { index, result } = message as Done;
        results[index] = result;
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

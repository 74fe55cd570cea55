/** Starts the process that looks into new databases, and bounds it in time and memory. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JudgeBounds, Judgement } from './judge.ts';

export interface Paths {
  readonly asn: string;
  readonly country: string;
}

export interface JudgeJob {
  readonly present: Paths;
  readonly fresh: Paths;
  readonly rules: string;
  readonly networks: string;
  readonly bounds: JudgeBounds;
  readonly nowMillis: number;
}

export type JudgeAnswer =
  | ({ readonly kind: 'judged' } & Judgement)
  /** A file of the job could not be used, or looking into it ended the process. */
  | { readonly kind: 'unreadable'; readonly why: string };

const patienceMillis = 300_000;
const memoryMegabytes = 1500;

/** Never rejects. `signal` ends it early. */
export function runJudge(job: JudgeJob, signal: AbortSignal): Promise<JudgeAnswer> {
  return new Promise((resolve) => {
    const child = fork(childEntry(), [], {
      execArgv: [`--max-old-space-size=${memoryMegabytes}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const end = (answer: JudgeAnswer): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', aborted);
      child.kill('SIGKILL');
      resolve(answer);
    };
    const aborted = (): void => end({ kind: 'unreadable', why: 'we were told to stop' });
    const late = setTimeout(
      () =>
        end({ kind: 'unreadable', why: `looking into the files took more than ${patienceMillis / 1000} s` }),
      patienceMillis,
    );
    signal.addEventListener('abort', aborted);
    // Our own child speaks our own type.
    child.once('message', (answer) => end(answer as JudgeAnswer));
    child.once('error', (error) =>
      end({ kind: 'unreadable', why: `the check could not be run: ${error.message}` }),
    );
    child.once('exit', (code, by) =>
      end({ kind: 'unreadable', why: `looking into the files ended the process (${by ?? code})` }),
    );
    child.send(job, (error) => {
      if (error !== null) end({ kind: 'unreadable', why: `the check could not be run: ${error.message}` });
    });
  });
}

/** The built file, also when we run from the sources. */
function childEntry(): string {
  const own = fileURLToPath(new URL('judge-child.js', import.meta.url));
  return own.includes('/dist/') ? own : own.replace(/\/geodns\/data\/([^/]+)$/, '/dist/geodns/data/$1');
}

/**
 * Results on the disk, so that a run of hours can be interrupted and taken up again: a line each, below one that says
 * which program they are of.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job, JobResult } from './jobs.ts';

export interface KeptResults {
  /** Undefined: it was not done yet. */
  of(job: Job): JobResult | undefined;
  add(job: Job, result: JobResult): void;
}

interface Line {
  readonly job: Job;
  readonly result: JobResult;
}

/** Throws where the file holds results of another program: those of two must not be mixed. */
export function openKept(file: string): KeptResults {
  const program = programMark();
  if (!existsSync(file)) writeFileSync(file, `${program}\n`);
  const [head, ...lines] = readFileSync(file, 'utf8').split('\n');
  if (head !== program)
    throw new Error(
      `${file} has results of another build of the detector or the arena: remove it to begin anew`,
    );
  const known = new Map<string, JobResult>();
  // Only a whole line ends with a line feed: the last part is empty, or was torn by a kill.
  for (const line of lines.slice(0, -1)) {
    // Our own lines, under our own mark.
    const { job, result } = JSON.parse(line) as Line;
    known.set(JSON.stringify(job), result);
  }
  if (lines.at(-1) !== '') writeFileSync(file, `${[program, ...lines.slice(0, -1)].join('\n')}\n`);
  return {
    of: (job) => known.get(JSON.stringify(job)),
    add: (job, result) => appendFileSync(file, `${JSON.stringify({ job, result } satisfies Line)}\n`),
  };
}

/** Stands for the compiled detector and arena. */
function programMark(): string {
  const root = join(import.meta.dirname, '..', '..');
  const hash = createHash('sha256');
  for (const folder of ['src/core', 'bench/arena'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted())
      if (name.endsWith('.js')) hash.update(readFileSync(join(root, folder, name)));
  return `arena ${hash.digest('hex')}`;
}

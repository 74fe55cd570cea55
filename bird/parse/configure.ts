/** What a reply to one of the `configure` commands means. Decided by the code alone: the words differ between versions. */
import type { Reply } from '../codec.ts';

/**
 * - `done`: taken, and nothing goes on any more (0003); of `configure check`: the file is right (0020)
 * - `in-progress`: taken, and sessions or tables are still changing (0004), or it waits for the one before (0005)
 * - `superseded`: a configuration that waited was dropped (0017)
 * - `confirmed`: the pending undo was called off (0018)
 * - `nothing`: there was nothing to confirm or to undo (0019)
 * - `shutting-down`: BIRD ends (0006)
 * - `unknown`: a code that no version is known to give here
 */
export type ConfigureOutcome =
  | 'done'
  | 'in-progress'
  | 'superseded'
  | 'confirmed'
  | 'nothing'
  | 'shutting-down'
  | 'unknown';

const outcomes: Readonly<Record<string, ConfigureOutcome>> = {
  '0003': 'done',
  '0004': 'in-progress',
  '0005': 'in-progress',
  '0006': 'shutting-down',
  '0017': 'superseded',
  '0018': 'confirmed',
  '0019': 'nothing',
  '0020': 'done',
};

/** Of `configure …`, by its last line; of `configure status`, whose last line is 0000, by its first. */
export function configureOutcome(reply: Reply): ConfigureOutcome {
  const code = reply.code === '0000' ? (reply.lines[0]?.code ?? '') : reply.code;
  return outcomes[code] ?? 'unknown';
}

/** Where BIRD refused a file: `8002 /etc/bird/bird.conf:127:8 syntax error, …`; nulls where it names no place. */
export interface ConfigureRefusal {
  readonly path: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly text: string;
}

/** null: the reply is no refusal of a file. */
export function configureRefusal(reply: Reply): ConfigureRefusal | null {
  const text = reply.lines.at(-1)?.text ?? '';
  if (reply.code !== '8002') return null;
  const match = /^(.+?):(\d+):(\d+):? (.*)$/.exec(text);
  if (match === null) return { path: null, line: null, column: null, text };
  return { path: match[1] ?? null, line: Number(match[2]), column: Number(match[3]), text: match[4] ?? '' };
}

/** Replies to `show route … count`: one row for each table (1007), and their sum (0014) where there are several. */
import type { Reply } from '../codec.ts';

export interface TableCount {
  readonly table: string;
  /** Routes that the question is about, such as those that an export filter lets pass. */
  readonly matching: number;
  readonly routes: number;
  readonly networks: number;
}

/** null where it is no whole reply, or a row of it cannot be read: a table that is left out would look empty. */
export function parseRouteCount(reply: Reply): readonly TableCount[] | null {
  if (reply.code !== '0000' && reply.code !== '0014') return null;
  const rows = reply.lines.slice(0, -1).map(({ code, text }) => (code === '1007' ? rowOf(text) : null));
  const counts = rows.filter((each) => each !== null);
  if (counts.length === 0 || counts.length < rows.length) return null;
  if (reply.code === '0000') return counts;
  const sum = counts.reduce((total, { matching }) => total + matching, 0);
  return /^Total: (\d+) of /.exec(reply.lines.at(-1)?.text ?? '')?.[1] === String(sum) ? counts : null;
}

function rowOf(text: string): TableCount | null {
  const match = /^(\d+) of (\d+) routes for (\d+) networks in table (\S+)$/.exec(text);
  if (match === null) return null;
  return {
    table: match[4] ?? '',
    matching: Number(match[1]),
    routes: Number(match[2]),
    networks: Number(match[3]),
  };
}

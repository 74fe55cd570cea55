/** Tells the edge about uplinks and origins: PUT on its admin socket, and the same bytes as the file it reads at boot. */
import { request } from 'node:http';
import { writeAtomic } from '../src/store/atomic-file.ts';
import type { EdgeSnapshot } from '../src/types/wire/node-to-edge.ts';
import { staleAnswer } from '../src/types/wire/node-to-geodns.ts';
import type { StaleAnswer } from '../src/types/wire/node-to-geodns.ts';

export type PushResult =
  | { readonly kind: 'taken' }
  /** The edge holds something newer: go above this. */
  | { readonly kind: 'older'; readonly newest: StaleAnswer }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** More than any answer of the admin socket but the metrics, of which there are a few hundred lines. */
const answerBytes = 4 * 1024 * 1024;

/** Sends one snapshot, as bytes that are JSON; a value for whatever happens. */
export async function pushBytes(socket: string, bytes: string, timeoutMillis = 1000): Promise<PushResult> {
  const answer = await ask(socket, 'PUT', '/state', bytes, timeoutMillis);
  if (answer.kind === 'unreachable') return answer;
  if (answer.status === 200) return { kind: 'taken' };
  const newest = answer.status === 409 ? newestIn(answer.body) : null;
  if (newest !== null) return { kind: 'older', newest };
  return { kind: 'refused', status: answer.status, why: answer.body.trim().slice(0, 500) };
}

/** Sends one snapshot; a value for whatever happens. */
export function pushSnapshot(
  socket: string,
  snapshot: EdgeSnapshot,
  timeoutMillis = 1000,
): Promise<PushResult> {
  return pushBytes(socket, JSON.stringify(snapshot), timeoutMillis);
}

/** Writes the boot file in one step, readable for nginx's account: there is no secret in it. */
export async function writeBootFile(path: string, bytes: string): Promise<void> {
  await writeAtomic(path, bytes, 0o644);
}

/** null: what came is not the answer of an edge. */
function newestIn(body: string): StaleAnswer | null {
  try {
    return staleAnswer.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** One request on a Unix socket; the whole of it takes `timeoutMillis` at most. */
export function ask(
  socketPath: string,
  method: string,
  path: string,
  body: string,
  timeoutMillis: number,
): Promise<Answer> {
  return new Promise((resolve) => {
    const outgoing = request({ socketPath, method, path }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > answerBytes) outgoing.destroy(new Error('the answer does not end'));
      });
      incoming.on('error', lost);
      incoming.on('end', () => settle({ kind: 'answered', status: incoming.statusCode ?? 0, body: text }));
    });
    const deadline = setTimeout(
      () => outgoing.destroy(new Error(`no answer in ${timeoutMillis} ms`)),
      timeoutMillis,
    );
    const settle = (answer: Answer): void => {
      clearTimeout(deadline);
      resolve(answer);
    };
    function lost(error: Error): void {
      settle({ kind: 'unreachable', why: error.message });
    }
    outgoing.on('error', lost);
    outgoing.end(body);
  });
}

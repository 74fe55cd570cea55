/** Tells the edge about uplinks and origins: PUT on its admin socket, and the same bytes as the file it reads at boot. */
import { request } from 'node:http';
import type { EdgeSnapshot } from '../src/types/wire/node-to-edge.ts';
import { staleAnswer } from '../src/types/wire/node-to-geodns.ts';
import type { StaleAnswer } from '../src/types/wire/node-to-geodns.ts';
import { replace } from './render/write.ts';

export type PushResult =
  | { readonly kind: 'taken' }
  /** The edge holds something newer: go above this. */
  | { readonly kind: 'older'; readonly newest: StaleAnswer }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** Sends one snapshot; a value for whatever happens. */
export async function pushSnapshot(
  socket: string,
  snapshot: EdgeSnapshot,
  timeoutMillis = 1000,
): Promise<PushResult> {
  const answer = await ask(socket, 'PUT', '/state', JSON.stringify(snapshot), timeoutMillis);
  if (answer.kind === 'unreachable') return answer;
  if (answer.status === 200) return { kind: 'taken' };
  if (answer.status === 409) {
    const newest = staleAnswer.safeParse(JSON.parse(answer.body));
    if (newest.success) return { kind: 'older', newest: newest.data };
  }
  return { kind: 'refused', status: answer.status, why: answer.body.trim() };
}

/** Writes the boot file in one step. */
export async function writeBootFile(path: string, snapshot: EdgeSnapshot): Promise<void> {
  await replace(path, JSON.stringify(snapshot));
}

type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** One request on a Unix socket. */
export function ask(
  socketPath: string,
  method: string,
  path: string,
  body: string,
  timeoutMillis: number,
): Promise<Answer> {
  return new Promise((resolve) => {
    const lost = (error: Error): void => resolve({ kind: 'unreachable', why: error.message });
    const outgoing = request({ socketPath, method, path, timeout: timeoutMillis }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => (text += chunk));
      incoming.on('error', lost);
      incoming.on('end', () => resolve({ kind: 'answered', status: incoming.statusCode ?? 0, body: text }));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${timeoutMillis} ms`)));
    outgoing.on('error', lost);
    outgoing.end(body);
  });
}

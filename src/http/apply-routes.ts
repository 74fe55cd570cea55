/**
 * `POST /v1/apply`, over the control socket alone: steps as lines of JSON while they happen, the result as the last one.
 * The client may go away; what was begun goes to its end.
 */
import {
  type ApplyLine,
  applyLine,
  type ApplyProgress,
  applyRequest,
  type ApplyRequest,
  type ApplyResult,
} from '../types/wire/apply.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { refuse } from './refuse.ts';

/** Runs an apply, and tells its steps. Never rejects for what an apply can meet. */
export type RunApply = (
  request: ApplyRequest,
  say: (progress: ApplyProgress) => void,
) => Promise<ApplyResult>;

/** A connection that is silent for half a minute is closed. */
const aliveMillis = 10_000;

const words = described({
  summary: 'Apply the config to BIRD, or say what that would change',
  description: 'Over the control socket alone. Lines of JSON while it happens; the last one has the result.',
  tag: 'commands',
  body: applyRequest,
  answer: { kind: 'json', schema: applyLine, says: 'One of the lines (application/x-ndjson)' },
  problems: ['socket-only', 'too-large', 'unsupported-media-type'],
});

export function applyRoutes(apply: RunApply): AddRoutes {
  return (server, access) => {
    server.post('/v1/apply', { bodyLimit: 1024, schema: words }, async (request, reply) => {
      const socketOnly = 'an apply goes over the control socket alone: `causeway apply` on the node';
      if (!access.isTrusted(request)) return refuse(reply, 403, socketOnly, 'socket-only');
      const parsed = applyRequest.safeParse(request.body);
      if (!parsed.success)
        return refuse(reply, 400, 'the body: { dryRun, yesReset, yesWithdraw }, each true or false');
      reply.hijack();
      const { raw } = reply;
      raw.on('error', () => undefined);
      raw.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
      const write = (line: ApplyLine): void => {
        if (!raw.destroyed) raw.write(`${JSON.stringify(line)}\n`);
      };
      const alive = setInterval(() => write({ kind: 'alive' }), aliveMillis);
      try {
        const result = await apply(parsed.data, (progress) => write({ kind: 'progress', ...progress }));
        write({ kind: 'result', result });
      } catch (error) {
        request.log.error({ err: error }, 'apply failed');
      } finally {
        clearInterval(alive);
        raw.end();
      }
      return reply;
    });
  };
}

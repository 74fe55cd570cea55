/** `GET /v1/record`: a recording that begins now, for as long as the client reads it. For `causeway record`. */
import type { RecordingSource } from '../types/recording.ts';
import type { AddRoutes } from './access.ts';
import { openEnded } from './open-ended.ts';
import { problem, problemType } from './problem.ts';

const gatherMillis = 2000;
/** A client that lets this much wait is cut off; what it has is whole up to there. */
const mostWaitingBytes = 8 * 1024 * 1024;
const mostClients = 4;

/** The route. */
export function recordRoutes(source: RecordingSource): AddRoutes {
  return (server) => {
    let clients = 0;
    server.get('/v1/record', (_request, reply) => {
      if (clients >= mostClients) {
        const detail = `${mostClients} recordings are being taken already`;
        return reply.code(503).type(problemType).send(problem(503, detail));
      }
      clients += 1;
      const raw = openEnded(reply, 'application/octet-stream');
      let begun = false;
      const stop = source.record({
        gatherMillis,
        put(bytes, begins) {
          // A second head would need a file of its own: the config was changed, or the machine could not keep up.
          if (raw.destroyed || (begins && begun) || raw.writableLength > mostWaitingBytes) {
            raw.end();
            return 'over';
          }
          begun = true;
          raw.write(bytes);
          return 'on';
        },
      });
      raw.once('close', () => {
        clients -= 1;
        void stop();
      });
      return reply;
    });
  };
}

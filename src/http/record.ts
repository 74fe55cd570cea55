/** `GET /v1/record`: a recording that begins now, for as long as the client reads it. For `causeway record`. */
import type { RecordingSource } from '../types/recording.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { openEnded, refuseQueued } from './open-ended.ts';
import { refuseBusy } from './refuse.ts';

const gatherMillis = 2000;
/** A client that lets this much wait is cut off; what it has is whole up to there. */
const mostWaitingBytes = 8 * 1024 * 1024;
const mostClients = 4;
const mediaType = 'application/octet-stream';

const words = described({
  summary: 'A recording that begins now, for as long as it is read',
  description: 'For `causeway record`; the format is in docs/history.md.',
  tag: 'history',
  answer: { kind: 'other', mediaType, says: 'A stream that does not end' },
  problems: ['busy'],
});

/** The route. */
export function recordRoutes(source: RecordingSource): AddRoutes {
  return (server) => {
    let clients = 0;
    const options = { schema: words, exposeHeadRoute: false, config: { produces: mediaType } };
    server.get('/v1/record', options, (_request, reply) => {
      if (clients >= mostClients)
        return refuseBusy(reply, `${mostClients} recordings are being taken already`);
      const queued = refuseQueued(reply);
      if (queued !== null) return queued;
      clients += 1;
      const raw = openEnded(reply, mediaType);
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

/** The route of the metrics. */
import type { AddRoutes } from '../access.ts';
import { described } from '../described.ts';
import type { Slot } from '../kept-answers.ts';
import type { Metrics } from './metrics.ts';

const words = described({
  summary: 'Metrics for Prometheus',
  description:
    'Text format 0.0.4; gauges are of the last tick, as in the status document. Listed in docs/metrics.md.',
  tag: 'program',
  answer: { kind: 'other', mediaType: 'text/plain', says: 'Metrics' },
});

export function metricsRoutes({ text, contentType }: Metrics): AddRoutes {
  return (server, _access, snapshots) => {
    const slot: Slot<Promise<string>> = { held: null };
    const options = { schema: words, config: { produces: 'text/plain' } };
    server.get('/metrics', options, async (_request, reply) => {
      const answer = snapshots.value(slot, () => text(snapshots.document()));
      return reply.type(contentType).send(await answer);
    });
  };
}

/** `GET /healthz` and `GET /v1/status`: a snapshot is read and sent; nothing is decided or awaited here. */
import type { FastifyInstance } from 'fastify';
import type { StatusDocument } from '../types/wire/status.ts';

/** The tick runs five times a second; one that is this late is stuck, and the node acts on nothing. */
export const stuckMillis = 5000;

/** Adds both routes. `status` is called for each request and must be cheap. */
export function statusRoutes(server: FastifyInstance, status: () => StatusDocument): void {
  server.get('/healthz', (_request, reply) => {
    const { node, mode, tickAgeMillis } = status();
    const ok = tickAgeMillis < stuckMillis;
    return reply.code(ok ? 200 : 503).send({ ok, node, mode, tickAgeMillis });
  });
  server.get('/v1/status', (_request, reply) => reply.send(status()));
}

/** What a path answers to methods that it has no route for: 204 with `Allow` to OPTIONS, else 405. */
import type { FastifyInstance } from 'fastify';
import { refuse } from './refuse.ts';

const refusable = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Notes the routes that are added from now on. The returned function adds the answers for all the other methods. */
export function answerOtherMethods(server: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const one of typeof method === 'string' ? [method] : method) methods.add(one);
    known.set(url, methods);
  });
  return () => {
    // Adding a route notes it too.
    for (const [url, methods] of new Map(known)) {
      const allow = [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
      const others = refusable.filter((one) => !methods.has(one));
      server.route({
        url,
        method: others,
        exposeHeadRoute: false,
        schema: { hide: true },
        config: { produces: null },
        // Its body does not matter any more.
        async onRequest(request, reply) {
          reply.header('allow', allow);
          if (request.method === 'OPTIONS') return reply.code(204).send();
          return refuse(reply, 405, `${request.method} is not among the methods of this path: ${allow}`);
        },
        handler: (_request, reply) => reply,
      });
    }
  };
}

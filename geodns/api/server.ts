/** The HTTP API: who calls is checked first, then the route's plugin acts. Listening is left to the caller. */
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Sync } from '../powerdns/sync.ts';
import type { GeoDnsService } from '../service/service.ts';
import type { Verification } from '../service/verify.ts';
import { operatorRoutes } from './operator-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { Problem, problemBody } from './problem.ts';
import { readRoutes } from './read-routes.ts';
import type { Caller, Tokens } from './tokens.ts';

export interface ApiParts {
  readonly service: GeoDnsService;
  readonly sync: Pick<Sync, 'settled' | 'state'>;
  readonly tokens: Tokens;
  readonly verification: () => Verification | null;
  /** For what nobody expected. */
  readonly logError: (error: unknown, message: string) => void;
}

/** Gives the caller of a request, or throws a Problem: `write` names the node that is written about, or `admin`. */
export type Guard = (request: FastifyRequest, write?: { readonly node: string | null } | 'admin') => Caller;

export function buildApi(parts: ApiParts): FastifyInstance {
  const app = fastify({
    bodyLimit: 262_144,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.setErrorHandler((error, _request, reply) => {
    const problem = asProblem(error, parts.logError);
    return reply.status(problem.status).type('application/problem+json').send(problemBody(problem));
  });
  app.setNotFoundHandler(() => {
    throw new Problem(404, 'bad-query', 'no such route; see docs/geodns.md');
  });
  // Old scripts post without a body and without a type, or as forms.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.get('/healthz', () => ({ ok: true }));
  const guard = guardOf(parts.tokens);
  nodeRoutes(app, parts, guard);
  operatorRoutes(app, parts, guard);
  readRoutes(app, parts, guard);
  return app;
}

function guardOf(tokens: Tokens): Guard {
  return (request, write) => {
    const bearer = /^Bearer (\S{8,512})$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined)
      throw new Problem(401, 'token-missing', 'send the header Authorization: Bearer TOKEN');
    const caller = tokens.callerOf(bearer);
    if (caller === null) throw new Problem(401, 'token-refused', 'this token is not in the tokens file');
    if (write === undefined || caller.role === 'admin') return caller;
    if (write !== 'admin' && caller.role === 'node' && (write.node === null || write.node === caller.node))
      return caller;
    throw new Problem(403, 'token-refused', `${caller.name} (${caller.role}) may not do this`);
  };
}

function asProblem(error: unknown, logError: ApiParts['logError']): Problem {
  if (error instanceof Problem) return error;
  const status = statusOf(error);
  if (status >= 400 && status < 500)
    return new Problem(status, 'bad-message', error instanceof Error ? error.message : 'bad request');
  logError(error, 'a request failed');
  const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === 'ENOSPC' || code === 'EIO' || code === 'EROFS' || code === 'EDQUOT')
    return new Problem(
      503,
      'not-durable',
      'the journal cannot be written, so nothing was changed; free the disk and send it again',
    );
  return new Problem(500, 'internal', 'something unforeseen went wrong; the log has it');
}

function statusOf(error: unknown): number {
  const status: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'statusCode') : undefined;
  return typeof status === 'number' ? status : 500;
}

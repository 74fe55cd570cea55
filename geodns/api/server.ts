/** The HTTP API: who calls is checked first, then the route's plugin acts. Listening is left to the caller. */
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { limits, judgeHeads } from '../../src/http/limits.ts';
import { answerOtherMethods } from '../../src/http/methods.ts';
import { gatherOpenapi, openapiRoutes } from '../../src/http/openapi.ts';
import { problemType } from '../../src/http/problem.ts';
import { securityHeaders } from '../../src/http/server.ts';
import { geodnsPage } from '../page/routes.ts';
import type { DataParts } from '../data/parts.ts';
import type { Sync } from '../powerdns/sync.ts';
import type { RulesDesk } from '../service/rules-desk.ts';
import type { GeoDnsService } from '../service/service.ts';
import type { Users } from '../service/users.ts';
import type { Verification } from '../service/verify.ts';
import { answerRoutes } from './answer-routes.ts';
import { described, json, openapiWords } from './described.ts';
import { eventRoutes } from './event-routes.ts';
import { geoipRoutes } from './geoip-routes.ts';
import { makeServer, type TlsPair } from './listener.ts';
import { RequestCounts } from './metrics.ts';
import { operatorRoutes } from './operator-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { Problem, type ProblemCode, problemBody, problemCodes } from './problem.ts';
import { readRoutes } from './read-routes.ts';
import { rulesRoutes } from './rules-routes.ts';
import { SiteLag } from './site-lag.ts';
import { statisticsRoutes } from './statistics-routes.ts';
import { steeringRoutes } from './steering-routes.ts';
import type { Caller, Tokens } from './tokens.ts';

export interface ApiParts {
  readonly service: GeoDnsService;
  readonly sync: Pick<Sync, 'settled' | 'state'>;
  readonly tokens: Tokens;
  readonly verification: () => Verification | null;
  readonly desk: RulesDesk;
  readonly users: Users;
  /** Absent: nothing is measured or refreshed here. */
  readonly data?: DataParts;
  /** null: plain HTTP, for loopback or behind a proxy. */
  readonly tls: TlsPair | null;
  readonly version: string;
  /** For what nobody expected. */
  readonly logError: (error: unknown, message: string) => void;
}

/** Gives the caller of a request, or throws a Problem: `write` names the node that is written about, or `admin`. */
export type Guard = (request: FastifyRequest, write?: { readonly node: string | null } | 'admin') => Caller;

/** What the rules of a large network need. */
const bodyBytes = 262_144;

export async function buildApi(parts: ApiParts): Promise<FastifyInstance> {
  const app = create(parts);
  const counts = new RequestCounts();
  app.addHook('onResponse', (request, reply, done) => {
    counts.add(request.method, request.routeOptions.url ?? null, reply.statusCode);
    done();
  });
  judgeHeads(app, () => false);
  await gatherOpenapi(app, parts.version, openapiWords);
  const refuseOthers = answerOtherMethods(app);
  const alive = described({ summary: 'Alive', tag: 'program', answer: json('Always') });
  app.get('/healthz', { schema: alive }, () => ({ ok: true }));
  const guard = guardOf(parts.tokens);
  const lag = new SiteLag(parts.service);
  nodeRoutes(app, { ...parts, counts }, guard);
  operatorRoutes(app, parts, guard);
  rulesRoutes(app, parts, guard);
  readRoutes(app, parts, guard, { counts, lag });
  answerRoutes(app, parts, guard);
  eventRoutes(app, parts.service, guard, counts);
  if (parts.data !== undefined) {
    steeringRoutes(app, parts, parts.data, guard);
    statisticsRoutes(app, parts, parts.data, guard);
    geoipRoutes(app, parts, parts.data, guard);
  }
  geodnsPage(app);
  openapiRoutes(app);
  refuseOthers();
  return app;
}

function create({ tls, logError }: ApiParts): FastifyInstance {
  const app: FastifyInstance = fastify({
    bodyLimit: bodyBytes,
    forceCloseConnections: true,
    trustProxy: false,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.paramBytes },
    serverFactory: (handler) => makeServer(handler, tls),
    // Before routing (a broken URL): the reply has no hooks and no types yet.
    frameworkErrors: (error, _request, reply) => {
      reply.hijack();
      const problem = new Problem(error.statusCode ?? 400, 'bad-request', error.message);
      reply.raw.writeHead(problem.status, { ...securityHeaders, 'content-type': problemType });
      reply.raw.end(JSON.stringify(problemBody(problem)));
    },
  });
  app.setErrorHandler((error, _request, reply) => {
    const problem = asProblem(error, logError);
    return reply.status(problem.status).type(problemType).send(problemBody(problem));
  });
  app.setNotFoundHandler(() => {
    throw new Problem(404, 'unknown-route', 'no such route; GET /docs lists all');
  });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
  // Old scripts post without a body and without a type, or as forms.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
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
    return new Problem(status, codeOf(status), error instanceof Error ? error.message : 'bad request');
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

/** The first code of the status; what the framework refuses by itself has no other. */
function codeOf(status: number): ProblemCode {
  const codes = Object.entries(problemCodes);
  const found = codes.find(([, one]) => one.status === status)?.[0];
  return isCode(found) ? found : 'bad-request';
}

function isCode(word: string | undefined): word is ProblemCode {
  return word !== undefined && word in problemCodes;
}

function statusOf(error: unknown): number {
  const status: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'statusCode') : undefined;
  return typeof status === 'number' ? status : 500;
}

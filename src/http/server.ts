/**
 * The daemon's HTTP server: on a host and port, and on whatever other listener hands it connections (the control socket).
 * It reads snapshots and hands commands on; it never decides. What clients do is done in turns (turns.ts), so that a slow
 * or hostile one does not delay the tick.
 */
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { StatusDocument } from '../types/wire/status.ts';
import { accessOf, type AddRoutes, type TokenAnswer } from './access.ts';
import { isLoopback } from './host-header.ts';
import type { Stamp } from './kept-answers.ts';
import { judgeHeads, limits } from './limits.ts';
import { MeteredSocket, type StreamSocket } from './metered-socket.ts';
import { answerOtherMethods } from './methods.ts';
import { gatherOpenapi, openapiRoutes } from './openapi.ts';
import { problem, problemAnswers, problemType } from './problem.ts';
import { rawProblem } from './raw-problem.ts';
import { snapshotsOf } from './snapshots.ts';
import { statusRoutes } from './status.ts';
import { openTurns, type Turns } from './turns.ts';

/** Listens somewhere, hands each accepted stream socket to `accept`, and stops when it is closed. */
export type Listener = (accept: (socket: object) => void) => Promise<{ close(): Promise<void> }>;

export interface HttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Further ways in, such as `(accept) => listenControl({ path, accept })` of src/host; who comes in by one may command. */
  readonly listeners?: readonly Listener[];
  /** The snapshot of now. */
  readonly status: () => StatusDocument;
  /** What changes with each tick: until it does, answers are sent again. Left out: each is made anew. */
  readonly stamp?: Stamp;
  /** What clients do is done in these; given by who wants them held at times. */
  readonly turns?: Turns;
  /** Further routes, each group in a file of its own. */
  readonly routes?: readonly AddRoutes[];
  /** Judges the token of a command over the port; without it none may command there. */
  readonly checkToken?: (token: string) => Promise<TokenAnswer>;
  /** Is told of each request that was answered: method, path as in the routes (null: of none) and status. */
  readonly answered?: (method: string, route: string | null, status: number) => void;
  /** Of the program, for the description of the routes. */
  readonly version?: string;
  readonly logger?: FastifyBaseLogger;
}

export interface HttpServer {
  close(): Promise<void>;
  /** `http://127.0.0.1:9180`, with the port that was really taken. */
  readonly url: string;
}

/** Everything is same-origin and nothing is embedded, scripted or kept. There is no CORS on purpose. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Starts all listeners, or none: the error of the first that fails (`EADDRINUSE`, `EACCES`, …) is thrown after the others are closed. */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const server = create(options.logger);
  const trusted = new WeakSet<object>();
  const admit = meterConnections(server, trusted, options.turns ?? openTurns());
  await addRoutes(server, trusted, options);
  const extra: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(extra.map((listener) => listener.close()));
    await server.close();
  };
  try {
    const url = await server.listen({ host: options.host, port: options.port });
    for (const listener of options.listeners ?? []) extra.push(await listener(admit));
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addRoutes(
  server: FastifyInstance,
  trusted: WeakSet<object>,
  options: HttpOptions,
): Promise<void> {
  const { host, status, stamp, routes = [], checkToken, answered, version = '0' } = options;
  const access = accessOf(trusted, checkToken ?? (async () => ({ kind: 'none' })));
  const snapshots = snapshotsOf(status, stamp);
  problemAnswers(server, (error) => server.log.error({ err: error }, 'http request failed'));
  judgeHeads(server, (request) => isLoopback(host) && !access.isTrusted(request));
  if (answered !== undefined)
    server.addHook('onResponse', (request, reply, done) => {
      answered(request.method, request.routeOptions.url ?? null, reply.statusCode);
      done();
    });
  await gatherOpenapi(server, version);
  const refuseOthers = answerOtherMethods(server);
  for (const add of [statusRoutes, ...routes]) add(server, access, snapshots);
  openapiRoutes(server);
  refuseOthers();
}

/** Puts each connection into its turns. The returned function takes one that may command. */
function meterConnections(
  server: FastifyInstance,
  trusted: WeakSet<object>,
  turns: Turns,
): (socket: object) => void {
  const http = server.server;
  const serve = http.listeners('connection');
  const meter = (socket: StreamSocket): MeteredSocket => {
    const metered = new MeteredSocket(socket, turns);
    for (const one of serve) one.call(http, metered);
    return metered;
  };
  http.removeAllListeners('connection');
  http.on('connection', meter);
  // What a listener accepts is a stream socket.
  return (socket) => void trusted.add(meter(socket as StreamSocket));
}

function create(logger: FastifyBaseLogger | undefined): FastifyInstance {
  const server: FastifyInstance = fastify({
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMillis,
    connectionTimeout: limits.quietMillis,
    keepAliveTimeout: limits.quietMillis,
    forceCloseConnections: true,
    trustProxy: false,
    routerOptions: { maxParamLength: limits.paramBytes },
    http: {
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: limits.checkMillis,
      // Judged with the other heads, so that the answer is a problem.
      requireHostHeader: false,
    },
    // Before routing (a broken URL): the reply has no hooks and no types yet.
    frameworkErrors: (error, _request, reply) => {
      const status = error.statusCode ?? 400;
      reply.hijack();
      reply.raw.writeHead(status, { ...securityHeaders, 'content-type': problemType });
      reply.raw.end(JSON.stringify(problem(status, error.message)));
    },
    clientErrorHandler: (error, socket) => {
      if (socket.writable && !socket.destroyed) socket.write(rawProblem(error.code, securityHeaders));
      socket.destroySoon();
    },
  });
  const http = server.server;
  http.headersTimeout = limits.headersMillis;
  http.maxConnections = limits.connections;
  // One more than is allowed, so that too many are seen; Node would leave the rest out in silence.
  http.maxHeadersCount = 2 * limits.headerFields;
  http.on('checkExpectation', (_request, response) => {
    response.writeHead(417, { ...securityHeaders, 'content-type': problemType, connection: 'close' });
    response.end(JSON.stringify(problem(417, 'of Expect only 100-continue is known here')));
  });
  // The wire schemas describe; bodies are judged by them in the routes, and answers are made by them.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => (value) => JSON.stringify(value));
  server.removeContentTypeParser('text/plain');
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
  return server;
}

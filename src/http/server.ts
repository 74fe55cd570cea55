/**
 * The daemon's HTTP server: on a host and port, and on whatever other listener hands it connections (the control socket).
 * It reads snapshots and hands commands on; it never decides.
 */
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { StatusDocument } from '../types/wire/status.ts';
import { accessOf, type AddRoutes, type TokenAnswer } from './access.ts';
import { problem, problemAnswers, problemType } from './problem.ts';
import { statusRoutes } from './status.ts';

/** Listens somewhere, hands each accepted stream socket to `accept`, and stops when it is closed. */
export type Listener = (accept: (socket: object) => void) => Promise<{ close(): Promise<void> }>;

export interface HttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Further ways in, such as `(accept) => listenControl({ path, accept })` of src/host; who comes in by one may command. */
  readonly listeners?: readonly Listener[];
  /** The snapshot of now; called for each request. */
  readonly status: () => StatusDocument;
  /** Further routes, each group in a file of its own. */
  readonly routes?: readonly AddRoutes[];
  /** Judges the token of a command over the port; without it none may command there. */
  readonly checkToken?: (token: string) => Promise<TokenAnswer>;
  readonly logger?: FastifyBaseLogger;
}

export interface HttpServer {
  close(): Promise<void>;
  /** `http://127.0.0.1:9180`, with the port that was really taken. */
  readonly url: string;
}

/** A client that is slower or bigger than this is cut off. */
const limits = {
  bodyBytes: 64 * 1024,
  headerBytes: 8 * 1024,
  requestMillis: 10_000,
  headersMillis: 5000,
  keepAliveMillis: 30_000,
  checkMillis: 1000,
  connections: 256,
} as const;

/** Everything is same-origin and nothing is embedded, scripted or kept. There is no CORS on purpose. */
const securityHeaders: Readonly<Record<string, string>> = {
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
  problemAnswers(server, (error) => server.log.error({ err: error }, 'http request failed'));
  statusRoutes(server, options.status);
  const trusted = new WeakSet<object>();
  const access = accessOf(trusted, options.checkToken ?? (async () => ({ kind: 'none' })));
  for (const add of options.routes ?? []) add(server, access);
  const extra: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(extra.map((listener) => listener.close()));
    await server.close();
  };
  try {
    const url = await server.listen({ host: options.host, port: options.port });
    for (const listener of options.listeners ?? []) {
      const accept = (socket: object): void => {
        trusted.add(socket);
        server.server.emit('connection', socket);
      };
      extra.push(await listener(accept));
    }
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function create(logger: FastifyBaseLogger | undefined): FastifyInstance {
  const server: FastifyInstance = fastify({
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMillis,
    connectionTimeout: limits.keepAliveMillis,
    keepAliveTimeout: limits.keepAliveMillis,
    forceCloseConnections: true,
    trustProxy: false,
    http: { maxHeaderSize: limits.headerBytes, connectionsCheckingInterval: limits.checkMillis },
    // Before routing (a broken URL): the reply has no hooks and no types yet.
    frameworkErrors: (error, _request, reply) => {
      const status = error.statusCode ?? 400;
      reply.hijack();
      reply.raw.writeHead(status, { ...securityHeaders, 'content-type': problemType });
      reply.raw.end(JSON.stringify(problem(status, error.message)));
    },
    clientErrorHandler: (error, socket) => {
      if (socket.writable && !socket.destroyed) socket.write(rawProblem(error.code));
      socket.destroy();
    },
  });
  server.server.headersTimeout = limits.headersMillis;
  server.server.maxConnections = limits.connections;
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers(securityHeaders);
  });
  return server;
}

/** The answer to something that is not a request: Node has no reply object then. */
function rawProblem(code: string): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const answer = problem(status, 'this is not an HTTP request that the daemon reads');
  const body = JSON.stringify(answer);
  const head = Object.entries({
    ...securityHeaders,
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  const lines = head.map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${answer.title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

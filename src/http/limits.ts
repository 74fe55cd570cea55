/** What a client may take: who is slower or bigger is refused or cut off. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOwnName } from './host-header.ts';
import { accepts } from './negotiate.ts';
import { refuse } from './refuse.ts';

export const limits = {
  bodyBytes: 64 * 1024,
  /** Request line and headers together. */
  headerBytes: 8 * 1024,
  headerFields: 64,
  urlBytes: 2048,
  paramBytes: 128,
  requestMillis: 10_000,
  headersMillis: 5000,
  /** A connection on which nothing happens. */
  quietMillis: 30_000,
  checkMillis: 1000,
  /** Of the port; the control socket has its own. */
  connections: 128,
} as const;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The media type of the answer; absent: JSON; null: whatever is accepted. */
    readonly produces?: string | null;
  }
}

/**
 * Judges each request by its head: before anything is read of its body or done for it. `checksHost` says whether the
 * header `Host` must be an address or localhost.
 */
export function judgeHeads(server: FastifyInstance, checksHost: (request: FastifyRequest) => boolean): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!refuseHead(request, reply, checksHost)) done();
  });
}

function refuseHead(
  request: FastifyRequest,
  reply: FastifyReply,
  checksHost: (request: FastifyRequest) => boolean,
): boolean {
  const { url, method, headers, raw } = request;
  const no = (status: number, detail: string): true => {
    // What else comes on this connection is not worth reading.
    reply.header('connection', 'close');
    void refuse(reply, status, detail);
    return true;
  };
  if (url.length > limits.urlBytes) return no(414, `a path of more than ${limits.urlBytes} characters`);
  if (raw.rawHeaders.length / 2 > limits.headerFields)
    return no(431, `more than ${limits.headerFields} header fields`);
  if (headers.host === undefined && raw.httpVersion !== '1.0')
    return no(400, 'HTTP/1.1 wants the header Host');
  if (checksHost(request) && headers.host !== undefined && !isOwnName(headers.host))
    return no(421, 'this port answers to addresses and localhost alone, not to the name in the header Host');
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (hasBody && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS'))
    return no(400, `a ${method} has no body here`);
  const { produces = 'application/json' } = request.routeOptions.config;
  if (produces === null || accepts(headers.accept, produces)) return false;
  void refuse(reply, 406, `this route answers ${produces}`);
  return true;
}

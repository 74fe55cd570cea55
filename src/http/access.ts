/**
 * Who may command: whoever came in by a listener that authorises by itself (the control socket's permissions), and
 * whoever brings the token over the port.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem, problemType } from './problem.ts';

/** What came of a token: as src/adapters/token-file.ts says it. */
export type TokenAnswer =
  | { readonly kind: 'fits' | 'differs' | 'none' }
  | { readonly kind: 'unreadable'; readonly text: string };

export interface Access {
  /** Whether the request came in over a listener that authorises by itself. */
  isTrusted(request: FastifyRequest): boolean;
  /** An `onRequest` hook for routes that command: it answers 401, 403 or 503 and goes no further. */
  commanding(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}

/** Adds routes to the server. */
export type AddRoutes = (server: FastifyInstance, access: Access) => void;

export function accessOf(
  trusted: WeakSet<object>,
  checkToken: (token: string) => Promise<TokenAnswer>,
): Access {
  const isTrusted = (request: FastifyRequest): boolean => trusted.has(request.raw.socket);
  return {
    isTrusted,
    async commanding(request, reply) {
      if (isTrusted(request)) return undefined;
      const [, token] = /^Bearer ([^\s]{1,1024})$/.exec(request.headers.authorization ?? '') ?? [];
      const answer = await checkToken(token ?? '');
      const refuse = (status: number, detail: string): FastifyReply =>
        reply.code(status).type(problemType).send(problem(status, detail));
      switch (answer.kind) {
        case 'fits':
          return undefined;
        case 'differs': {
          reply.header('www-authenticate', 'Bearer');
          return refuse(
            401,
            'commands over this port need `Authorization: Bearer` with the token of http.token_file',
          );
        }
        case 'none':
          return refuse(403, 'commands go over the control socket: the config names no http.token_file');
        case 'unreadable':
          request.log.error({ text: answer.text }, 'the token file cannot be read');
          return refuse(503, 'http.token_file cannot be read: the log of the daemon says why');
      }
    },
  };
}

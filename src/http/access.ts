/**
 * Who may command: whoever came in by a listener that authorises by itself (the control socket's permissions), and
 * whoever brings the token over the port.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemCode } from '../types/wire/problem.ts';
import { oneByOne } from './one-by-one.ts';
import { refuse, refuseBusy } from './refuse.ts';
import type { Snapshots } from './snapshots.ts';

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
export type AddRoutes = (server: FastifyInstance, access: Access, snapshots: Snapshots) => void;

/** Each check reads the token's file: guesses come one after the other, and do not keep the disk busy. */
const checksWaiting = 32;

export function accessOf(
  trusted: WeakSet<object>,
  checkToken: (token: string) => Promise<TokenAnswer>,
): Access {
  const isTrusted = (request: FastifyRequest): boolean => trusted.has(request.raw.socket);
  const turns = oneByOne(checksWaiting);
  return {
    isTrusted,
    async commanding(request, reply) {
      if (isTrusted(request)) return undefined;
      const [, token] = /^Bearer ([^\s]{1,1024})$/.exec(request.headers.authorization ?? '') ?? [];
      const check = turns.run(() => checkToken(token ?? ''));
      if (check === null) return refuseBusy(reply, 'too many tokens are being checked');
      const no = (status: number, detail: string, code: ProblemCode): FastifyReply => {
        // What it sends besides is not worth reading.
        reply.header('connection', 'close');
        return refuse(reply, status, detail, code);
      };
      const answer = await check;
      switch (answer.kind) {
        case 'fits':
          return undefined;
        case 'differs': {
          reply.header('www-authenticate', 'Bearer');
          const text =
            'commands over this port need `Authorization: Bearer` with the token of http.token_file';
          return no(401, text, 'unauthorized');
        }
        case 'none':
          return no(
            403,
            'commands go over the control socket: the config names no http.token_file',
            'no-token',
          );
        case 'unreadable':
          request.log.error({ text: answer.text }, 'the token file cannot be read');
          return no(
            503,
            'http.token_file cannot be read: the log of the daemon says why',
            'token-unreadable',
          );
      }
    },
  };
}

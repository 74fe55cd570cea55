/** Errors as problem+json (RFC 9457), without a word of the inside of the program. */
import type { FastifyInstance } from 'fastify';

export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

export const problemType = 'application/problem+json';

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** `status` is an HTTP status; `detail` one sentence on what to do next. */
export function problem(status: number, detail: string): Problem {
  return { type: 'about:blank', title: titles[status] ?? 'Error', status, detail };
}

/** Makes every error of the server a problem: unknown routes, refused input, and faults of our own, which are logged. */
export function problemAnswers(server: FastifyInstance, onFault: (error: Error) => void): void {
  server.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .type(problemType)
      .send(problem(404, `no ${request.method} route here; GET /v1/status is one`)),
  );
  server.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) onFault(error);
    const detail = status >= 500 ? 'the daemon failed to answer; its log says why' : error.message;
    return reply.code(status).type(problemType).send(problem(status, detail));
  });
}

/** Errors as problem+json (RFC 9457), without a word of the inside of the program. */
import type { FastifyInstance } from 'fastify';
import { type Problem, type ProblemCode, problemCodes } from '../types/wire/problem.ts';

export const problemType = 'application/problem+json';

/** `status` is an HTTP status; `detail` one sentence on what to do next; `code` where the status says too little. */
export function problem(status: number, detail: string, code: ProblemCode = codeFor(status)): Problem {
  return { type: 'about:blank', title: titles[status] ?? 'Error', status, code, detail };
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The first code of a status is the one that stands where nothing more is known. */
function codeFor(status: number): ProblemCode {
  const found = Object.entries(problemCodes).find(([, one]) => one.status === status)?.[0];
  return isCode(found) ? found : status >= 500 ? 'internal' : 'bad-request';
}

function isCode(word: string | undefined): word is ProblemCode {
  return word !== undefined && word in problemCodes;
}

/** Makes every error of the server a problem: unknown routes, refused input, and faults of our own, which are logged. */
export function problemAnswers(server: FastifyInstance, onFault: (error: Error) => void): void {
  server.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .type(problemType)
      .send(problem(404, `no ${request.method} route here; GET /v1/status is one, GET /docs lists all`)),
  );
  server.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) onFault(error);
    const detail = status >= 500 ? 'the daemon failed to answer; its log says why' : error.message;
    return reply.code(status).type(problemType).send(problem(status, detail));
  });
}

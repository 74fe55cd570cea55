/** An answer that refuses, as problem+json. */
import type { FastifyReply } from 'fastify';
import type { ProblemCode } from '../types/wire/problem.ts';
import { problem, problemType } from './problem.ts';

/** Sends a problem; give back what it gives back. */
export function refuse(
  reply: FastifyReply,
  status: number,
  detail: string,
  code?: ProblemCode,
): FastifyReply {
  return reply
    .code(status)
    .type(problemType)
    .send(problem(status, detail, code));
}

/** 503 for now: come back. */
export function refuseBusy(reply: FastifyReply, detail: string): FastifyReply {
  reply.header('retry-after', '1');
  return refuse(reply, 503, detail, 'busy');
}

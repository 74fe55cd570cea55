/** Descriptions of the routes: they become OpenAPI, and nothing is validated or serialized by them. */
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { describedBy, type Refusals, type RouteWords } from '../../src/http/described.ts';
import type { OpenapiWords } from '../../src/http/openapi.ts';
import { type ProblemCode, problemCodes } from './problem.ts';

export type Tag = 'nodes' | 'answers' | 'operators' | 'data' | 'program';

export const openapiWords: OpenapiWords = {
  title: 'Causeway GeoDNS',
  description:
    'What nodes tell, what users are answered, and what operators say. Every call but those of monitors and the page itself needs a bearer token. Errors are problem+json (RFC 9457). Unknown fields are to be ignored.',
  tags: [
    { name: 'nodes', description: 'What nodes tell of their uplinks' },
    { name: 'answers', description: 'Who is answered with what, and why; what happened' },
    { name: 'operators', description: 'Overrides, rules and revisions' },
    { name: 'data', description: 'Databases, measurements and statistics' },
    { name: 'program', description: 'About this interface, and for other programs' },
  ],
};

const refusals: Refusals<ProblemCode> = {
  codes: problemCodes,
  anywhere: ['bad-query', 'not-acceptable', 'timeout', 'uri-too-long', 'headers-too-large', 'internal'],
  ofCommands: ['token-missing', 'token-refused'],
};

/** Of a fastify route's `schema`. `isCommand`: it needs a token. */
export function described(words: RouteWords<ProblemCode, Tag>): FastifySchema {
  return describedBy(words, refusals);
}

/** An answer that is described in words alone: its form is that of docs/geodns.md. */
export function json(says: string): RouteWords['answer'] {
  return { kind: 'json', schema: z.looseObject({}), says };
}

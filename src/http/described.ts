/** A route's description, from the wire schemas: it becomes OpenAPI, and nothing is validated or serialized by it. */
import type { FastifySchema } from 'fastify';
import { type JsonSchema, jsonSchemaOf, type WireSchema } from '../types/wire/json-schema.ts';
import { type ProblemCode, problemCodes, problemDocument } from '../types/wire/problem.ts';
import { problemType } from './problem.ts';

export type RouteTag = 'status' | 'history' | 'commands' | 'program';

/** What comes back with 200. */
export type RouteAnswer =
  | { readonly kind: 'json'; readonly schema: WireSchema; readonly says: string }
  | { readonly kind: 'other'; readonly mediaType: string; readonly says: string };

export interface RouteWords {
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  readonly tag: RouteTag;
  readonly params?: WireSchema;
  readonly query?: WireSchema;
  readonly headers?: WireSchema;
  readonly body?: WireSchema;
  readonly answer: RouteAnswer;
  /** What JSON comes with another status, such as the 503 of a check that fails. */
  readonly also?: Readonly<Record<number, { readonly schema: WireSchema; readonly says: string }>>;
  /** Beside those that any route may answer. */
  readonly problems?: readonly ProblemCode[];
  /** Whether it commands: then it needs the token or the control socket. */
  readonly isCommand?: boolean;
}

/** Any request may meet these. */
const anywhere: readonly ProblemCode[] = [
  'bad-request',
  'not-acceptable',
  'timeout',
  'uri-too-long',
  'misdirected',
  'headers-too-large',
  'internal',
];
const ofCommands: readonly ProblemCode[] = [
  'unauthorized',
  'no-token',
  'conflict',
  'too-large',
  'unsupported-media-type',
  'token-unreadable',
  'busy',
];

/** Of a fastify route's `schema`. */
export function described(words: RouteWords): FastifySchema {
  const { summary, description, tag, params, query, headers, body, isCommand = false } = words;
  return {
    summary,
    tags: [tag],
    ...(description === undefined ? {} : { description }),
    ...(params === undefined ? {} : { params: jsonSchemaOf(params, 'input') }),
    ...(query === undefined ? {} : { querystring: jsonSchemaOf(query, 'input') }),
    ...(headers === undefined ? {} : { headers: jsonSchemaOf(headers, 'input') }),
    ...(body === undefined ? {} : { body: jsonSchemaOf(body, 'input') }),
    ...(isCommand ? { security: [{ token: [] }] } : {}),
    response: responsesOf(words),
  };
}

function responsesOf({ answer, also = {}, problems = [], isCommand = false }: RouteWords): JsonSchema {
  const codes = [...anywhere, ...(isCommand ? ofCommands : []), ...problems];
  const refusals = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = problemCodes[code];
    if (also[status] === undefined) refusals.set(status, [...(refusals.get(status) ?? []), code]);
  }
  const good =
    answer.kind === 'json'
      ? content(answer.says, 'application/json', jsonSchemaOf(answer.schema, 'output'))
      : content(answer.says, answer.mediaType, { type: 'string' });
  return {
    200: good,
    ...Object.fromEntries(
      Object.entries(also).map(([status, { schema, says }]) => [
        status,
        content(says, 'application/json', jsonSchemaOf(schema, 'output')),
      ]),
    ),
    ...Object.fromEntries([...refusals].map(([status, of]) => [status, refusal(of)])),
  };
}

function refusal(codes: readonly ProblemCode[]): JsonSchema {
  const says = codes.map((code) => `\`${code}\`: ${problemCodes[code].meaning}`).join('; ');
  return content(says, problemType, jsonSchemaOf(problemDocument, 'output'));
}

function content(description: string, mediaType: string, schema: JsonSchema): JsonSchema {
  return { description, content: { [mediaType]: { schema } } };
}

/** A route's description, from the wire schemas: it becomes OpenAPI, and nothing is validated or serialized by it. */
import type { FastifySchema } from 'fastify';
import { type JsonSchema, jsonSchemaOf, type WireSchema } from '../types/wire/json-schema.ts';
import { type ProblemCode, problemCodes, problemDocument } from '../types/wire/problem.ts';
import { problemType } from './problem.ts';

export type RouteTag = 'status' | 'history' | 'commands' | 'program';

/** The codes that a program may refuse with. */
export interface Refusals<Code extends string> {
  readonly codes: Readonly<Record<Code, { readonly status: number; readonly meaning: string }>>;
  /** Any request may meet these. */
  readonly anywhere: readonly Code[];
  /** And those that command, these. */
  readonly ofCommands: readonly Code[];
}

/** What comes back with 200. */
export type RouteAnswer =
  | { readonly kind: 'json'; readonly schema: WireSchema; readonly says: string }
  | { readonly kind: 'other'; readonly mediaType: string; readonly says: string };

export interface RouteWords<Code extends string = ProblemCode, Tag extends string = RouteTag> {
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly params?: WireSchema;
  readonly query?: WireSchema;
  readonly headers?: WireSchema;
  readonly body?: WireSchema;
  readonly answer: RouteAnswer;
  /** What JSON comes with another status, such as the 503 of a check that fails. */
  readonly also?: Readonly<Record<number, { readonly schema: WireSchema; readonly says: string }>>;
  /** Beside those that any route may answer. */
  readonly problems?: readonly Code[];
  /** Whether it needs a token (or another way in that authorises). */
  readonly isCommand?: boolean;
}

const ofTheDaemon: Refusals<ProblemCode> = {
  codes: problemCodes,
  anywhere: [
    'bad-request',
    'not-acceptable',
    'timeout',
    'uri-too-long',
    'misdirected',
    'headers-too-large',
    'internal',
  ],
  ofCommands: [
    'unauthorized',
    'no-token',
    'conflict',
    'too-large',
    'unsupported-media-type',
    'token-unreadable',
    'busy',
  ],
};

/** Of a fastify route's `schema`. */
export function described(words: RouteWords): FastifySchema {
  return describedBy(words, ofTheDaemon);
}

/** The same for a program with problems of its own. */
export function describedBy<Code extends string, Tag extends string>(
  words: RouteWords<Code, Tag>,
  refusals: Refusals<Code>,
): FastifySchema {
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
    response: responsesOf(words, refusals),
  };
}

function responsesOf<Code extends string, Tag extends string>(
  { answer, also = {}, problems = [], isCommand = false }: RouteWords<Code, Tag>,
  { codes, anywhere, ofCommands }: Refusals<Code>,
): JsonSchema {
  const refusals = new Map<number, Code[]>();
  for (const code of [...anywhere, ...(isCommand ? ofCommands : []), ...problems]) {
    const { status } = codes[code];
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
    ...Object.fromEntries([...refusals].map(([status, of]) => [status, refusal(of, codes)])),
  };
}

function refusal<Code extends string>(these: readonly Code[], codes: Refusals<Code>['codes']): JsonSchema {
  const says = these.map((code) => `\`${code}\`: ${codes[code].meaning}`).join('; ');
  return content(says, problemType, jsonSchemaOf(problemDocument, 'output'));
}

function content(description: string, mediaType: string, schema: JsonSchema): JsonSchema {
  return { description, content: { [mediaType]: { schema } } };
}

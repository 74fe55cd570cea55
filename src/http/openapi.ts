/** OpenAPI 3.1 of all routes: `GET /docs/json`; and the same to read, `GET /docs`. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { described } from './described.ts';
import { docsPage, docsStyle } from './docs-page.ts';
import { keepAnswers } from './kept-answers.ts';
import { sendKept } from './negotiate.ts';

const contentSecurityPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Of a program's routes as a whole. */
export interface OpenapiWords {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

const ofTheDaemon: OpenapiWords = {
  title: 'Causeway',
  description:
    'The daemon of one node. Reads are open where the port is reachable; commands need the token, or come over the control socket. Errors are problem+json (RFC 9457). Unknown fields are to be ignored.',
  tags: [
    { name: 'status', description: 'What the node measures, wishes and does' },
    { name: 'history', description: 'What happened, by whom and why' },
    { name: 'commands', description: 'What operators say' },
    { name: 'program', description: 'About this interface, and for other programs' },
  ],
};

/** Gathers the routes that are added after it. */
export async function gatherOpenapi(
  server: FastifyInstance,
  version: string,
  { title, description, tags }: OpenapiWords = ofTheDaemon,
): Promise<void> {
  await server.register(swagger, {
    // The wire schemas say `const` where there is one value.
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        version,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [...tags],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
  });
}

/** The routes, made on the first question: the description does not change while the daemon runs. */
export function openapiRoutes(server: FastifyInstance): void {
  const kept = keepAnswers(() => ['the same']);
  let json: string | null = null;
  const document = (): string => (json ??= JSON.stringify(server.swagger()));
  server.get(
    '/docs/json',
    {
      schema: described({
        summary: 'This description, as OpenAPI 3.1',
        tag: 'program',
        answer: { kind: 'other', mediaType: 'application/json', says: 'OpenAPI 3.1' },
      }),
    },
    (request, reply) => sendKept(request, reply, kept.text('json', document)),
  );
  server.get(
    '/docs',
    {
      config: { produces: 'text/html' },
      schema: described({
        summary: 'This description, to read',
        tag: 'program',
        answer: {
          kind: 'other',
          mediaType: 'text/html',
          says: 'HTML without scripts and without anything from elsewhere',
        },
      }),
    },
    (request, reply) => {
      reply.header('content-security-policy', contentSecurityPolicy);
      const page = kept.text('page', () => docsPage(server.swagger()));
      return sendKept(request, reply, page, 'text/html; charset=utf-8');
    },
  );
  server.get(
    '/docs/style.css',
    { config: { produces: 'text/css' }, schema: { hide: true } },
    (request, reply) =>
      sendKept(
        request,
        reply,
        kept.text('style', () => docsStyle),
        'text/css; charset=utf-8',
      ),
  );
}

/** `GET /`, the operator page, and `GET /page/:file`, what it is made of. Open like every read; commands need the token. */
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { AddRoutes } from '../access.ts';
import { described } from '../described.ts';
import { hasAlready } from '../negotiate.ts';
import { refuse } from '../refuse.ts';
import { type Asset, readAssets } from './assets.ts';

/**
 * Nothing from elsewhere, nothing inline, and no text that becomes HTML or a script (Trusted Types); style properties
 * that the chart library sets by script need no exception.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageWords = described({
  summary: 'The operator page',
  description: 'For a browser; it asks the routes below for everything, and commands with the token.',
  tag: 'program',
  answer: { kind: 'other', mediaType: 'text/html', says: 'The page' },
  problems: ['unknown-route'],
});

/** The routes. `assets` by file name; absent: what the build put beside this module. */
export function pageRoutes(assets: ReadonlyMap<string, Asset> = readAssets()): AddRoutes {
  return (server) => addPage(server, assets, pageWords);
}

/** The same for any program's page: `index.html` of the assets at `/`, all of them below `/page/`. */
export function addPage(
  server: FastifyInstance,
  assets: ReadonlyMap<string, Asset>,
  schema: FastifySchema,
): void {
  server.get('/', { schema, config: { produces: 'text/html' } }, (request, reply) =>
    answer(request, reply, assets.get('index.html')),
  );
  server.get<{ Params: { '*': string } }>(
    '/page/*',
    { schema: { hide: true }, config: { produces: null } },
    (request, reply) => answer(request, reply, assets.get(request.params['*'])),
  );
}

function answer(request: FastifyRequest, reply: FastifyReply, asset: Asset | undefined): FastifyReply {
  if (asset === undefined)
    return refuse(reply, 404, 'no such file of the page here; `npm run build` makes them');
  reply.headers({
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy,
    etag: asset.etag,
    vary: 'accept-encoding',
  });
  if (hasAlready(request.headers['if-none-match'], asset.etag)) return reply.code(304).send();
  reply.type(asset.contentType);
  return takesGzip(request)
    ? reply.header('content-encoding', 'gzip').send(asset.gzipped)
    : reply.send(asset.bytes);
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return /(^|[,\s])gzip\s*($|[,;](?!\s*q=0(\.0+)?\s*($|,)))/.test(headers['accept-encoding'] ?? '');
}

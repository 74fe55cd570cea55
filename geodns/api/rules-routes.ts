/** Rules: look at them, see what others would do, put them in force, and bring back what was in force before. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Changed } from '../service/rules-desk.ts';
import type { Preview } from '../service/rules-preview.ts';
import type { Revision, RulesTexts } from '../service/revisions.ts';
import type { GeoDnsPreview, GeoDnsRevisions } from '../../src/types/wire/geodns-answers.ts';
import { described, json } from './described.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';

const numberPath = z.object({ number: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) });
const reasonQuery = z.object({
  reason: z.string().max(500).default('').describe('Why, for those who look later'),
});
const yamlTypes = 'application/yaml';

const ruleText = {
  kind: 'other',
  mediaType: yamlTypes,
  says: 'The text of rules.yaml; the ETag is the number of its revision',
} as const;
const changeProblems = [
  'rules-refused',
  'outdated',
  'precondition-required',
  'files-edited',
  'files-unwritable',
  'not-durable',
  'unsupported-media-type',
  'too-large',
] as const;

export function rulesRoutes(app: FastifyInstance, parts: ApiParts, guard: Guard): void {
  const { desk } = parts;

  const textWords = described({ summary: 'The rules', tag: 'operators', answer: ruleText, isCommand: true });
  app.get('/v1/rules', { schema: textWords, config: { produces: null } }, (request, reply) => {
    guard(request);
    const current = currentOf(parts);
    return reply.header('etag', etagOf(current.number)).type('text/yaml').send(current.texts.rules);
  });

  const validateWords = described({
    summary: 'What these rules would do',
    description:
      'The body is the text of rules.yaml. Nothing is changed. `moved` says which share of users would be answered otherwise, of each policy and family, counted by statistics where there are any, else by the size of the networks of the database (`by`).',
    tag: 'operators',
    answer: json('Problems with their places, or who would move'),
    problems: ['unsupported-media-type', 'too-large'],
    isCommand: true,
  });
  app.post('/v1/rules/validate', { schema: validateWords }, (request) => {
    guard(request, 'admin');
    return previewed(parts, { rules: textOf(request), networks: networksNow(parts) });
  });

  const applyWords = described({
    summary: 'Put these rules in force',
    description:
      'The body is the text of rules.yaml; `If-Match` the number of the revision that it was made from (the ETag of `/v1/rules`). Written down as a revision, then into the rules file, then published.',
    tag: 'operators',
    query: reasonQuery,
    answer: json('The revision in force'),
    problems: changeProblems,
    isCommand: true,
  });
  app.post('/v1/rules/apply', { schema: applyWords }, async (request, reply) => {
    const caller = guard(request, 'admin');
    const { reason } = readMessage(reasonQuery, request.query, 'bad-query');
    const texts = { rules: textOf(request), networks: networksNow(parts) };
    const changed = await desk.apply(texts, matchOf(request), caller.name, reason);
    return answer(reply, changed);
  });
  revisionRoutes(app, parts, guard);
}

function revisionRoutes(app: FastifyInstance, parts: ApiParts, guard: Guard): void {
  const { desk } = parts;
  const listWords = described({
    summary: 'What was in force when, by whom and why',
    tag: 'operators',
    answer: json('The newest first; the last fifty are kept'),
    isCommand: true,
  });
  app.get('/v1/revisions', { schema: listWords }, (request): GeoDnsRevisions => {
    guard(request);
    return { current: desk.current()?.number ?? null, revisions: desk.list() };
  });

  const oneWords = described({
    summary: 'One revision with its texts, and what bringing it back would do',
    description: 'With `?preview=1` also who would move, as `/v1/rules/validate` says it.',
    tag: 'operators',
    params: numberPath,
    query: z.object({ preview: z.enum(['0', '1']).default('0') }),
    answer: json('The revision'),
    problems: ['unknown-revision'],
    isCommand: true,
  });
  app.get('/v1/revisions/:number', { schema: oneWords }, (request) => {
    guard(request);
    const revision = revisionOf(parts, request);
    const { preview } = readMessage(
      z.object({ preview: z.enum(['0', '1']).default('0') }),
      request.query,
      'bad-query',
    );
    const { before: _, ...shown } = revision;
    if (preview === '0') return shown;
    return previewed(parts, revision.texts).then((body) => ({ ...shown, preview: body }));
  });

  const backWords = described({
    summary: 'Bring a revision back',
    description:
      'Both its rules and its networks, as a new revision. `If-Match` is the number of the one in force.',
    tag: 'operators',
    params: numberPath,
    query: reasonQuery,
    answer: json('The revision in force'),
    problems: ['unknown-revision', ...changeProblems],
    isCommand: true,
  });
  app.post('/v1/revisions/:number/rollback', { schema: backWords }, async (request, reply) => {
    const caller = guard(request, 'admin');
    const { number, texts } = revisionOf(parts, request);
    const { reason } = readMessage(reasonQuery, request.query, 'bad-query');
    const why = reason === '' ? `back to ${number}` : reason;
    return answer(reply, await desk.apply(texts, matchOf(request), caller.name, why, number));
  });
}

function revisionOf({ desk }: ApiParts, request: FastifyRequest): Revision {
  const { number } = readMessage(numberPath, request.params, 'bad-query');
  const revision = desk.get(number);
  if (revision === null)
    throw new Problem(404, 'unknown-revision', `no revision ${number}; GET /v1/revisions lists those kept`);
  return revision;
}

function currentOf({ desk }: ApiParts): Revision {
  const current = desk.current();
  if (current === null) throw new Problem(503, 'busy', 'no rules are in force yet');
  return current;
}

function networksNow(parts: ApiParts): RulesTexts['networks'] {
  return currentOf(parts).texts.networks;
}

function textOf({ body }: FastifyRequest): string {
  if (typeof body === 'string') return body;
  throw new Problem(
    415,
    'unsupported-media-type',
    'send the text of rules.yaml with Content-Type: application/yaml',
  );
}

const etagOf = (number: number): string => `"${number}"`;

/** RFC 9110 §13.1.1; a change that does not say what it is made from could undo another one unseen. */
function matchOf({ headers }: FastifyRequest): number {
  const found = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(headers['if-match'] ?? '')?.[1];
  if (found === undefined)
    throw new Problem(
      428,
      'precondition-required',
      'send If-Match with the number of the revision in force (the ETag of GET /v1/rules)',
    );
  return Number(found);
}

async function previewed({ desk }: ApiParts, texts: RulesTexts): Promise<GeoDnsPreview> {
  return previewBody(await desk.preview(texts));
}

function previewBody(preview: Preview): GeoDnsPreview {
  if (preview.kind === 'refused') {
    const { problems, places } = preview;
    return { ok: false, problems, places };
  }
  const { moved, rrsets, degraded } = preview;
  return { ok: true, problems: [], moved, rrsets, degraded };
}

function answer(reply: FastifyReply, changed: Changed): Readonly<Record<string, unknown>> {
  switch (changed.kind) {
    case 'in-force':
    case 'unchanged':
      reply.header('etag', etagOf(changed.revision.number));
      return { changed: changed.kind === 'in-force', revision: changed.revision };
    case 'refused':
      throw new Problem(422, 'rules-refused', changed.problems[0] ?? 'refused', {
        problems: changed.problems,
      });
    case 'outdated':
      throw new Problem(
        412,
        'outdated',
        `revision ${changed.current.number} by ${changed.current.author} is in force; look at it, then send again`,
        { current: changed.current },
      );
    case 'edited':
      throw new Problem(
        409,
        'files-edited',
        `${changed.path} was edited and not put in force; reload the service (SIGHUP) or take the edit back`,
      );
    case 'unwritable':
      throw new Problem(
        409,
        'files-unwritable',
        `${changed.path} cannot be written (${changed.code}); nothing was changed. The service must be able to replace the file: docs/geodns.md`,
      );
    default:
      return changed satisfies never;
  }
}

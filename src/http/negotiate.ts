/** What a client accepts (RFC 9110 §12.5.1), and what it has already (§13.1.2). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeptAnswer } from './kept-answers.ts';

/** Media ranges beyond this are not read: nobody sends so many. */
const rangesAtMost = 32;

/** Whether a media type such as `application/json` is accepted. No header accepts everything. */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === '') return true;
  const [kind = ''] = mediaType.split('/');
  let best = { sharpness: -1, quality: 0 };
  for (const range of header.split(',', rangesAtMost)) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const sharpness = name === mediaType ? 2 : name === `${kind}/*` ? 1 : name === '*/*' ? 0 : -1;
    if (sharpness > best.sharpness) best = { sharpness, quality: qualityOf(parameters) };
  }
  return best.quality > 0;
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (given === undefined) return 1;
  const quality = Number(given);
  return quality >= 0 && quality <= 1 ? quality : 1;
}

/** Whether an `If-None-Match` names this tag; weak comparison. */
export function hasAlready(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const plain = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => plain(tag) === plain(etag));
}

/** Sends JSON that was made already, or 304 to a client that has it. */
export function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag }: KeptAnswer,
  mediaType = 'application/json; charset=utf-8',
): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (hasAlready(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(mediaType).send(bytes);
}

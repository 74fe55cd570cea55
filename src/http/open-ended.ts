/** An answer without an end, written piece by piece. */
import type { FastifyReply } from 'fastify';

/** Takes the reply out of the framework's hands, with the headers that were set on it, and begins to answer. */
export function openEnded(reply: FastifyReply, contentType: string): FastifyReply['raw'] {
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  reply.hijack();
  const { raw } = reply;
  // A client that went away is told by `close`; what is written to it meanwhile is no fault.
  raw.on('error', () => raw.destroy());
  raw.writeHead(200, {
    ...Object.fromEntries(headers),
    'content-type': contentType,
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  return raw;
}

/** An answer without an end, written piece by piece. */
import type { FastifyReply } from 'fastify';
import { refuse } from './refuse.ts';

/**
 * Refuses an answer without an end that would stand behind another one on its connection (pipelined): it would be gathered
 * in memory, and its end would never be told. null: it may begin.
 */
export function refuseQueued(reply: FastifyReply): FastifyReply | null {
  if (reply.raw.socket !== null) return null;
  reply.header('connection', 'close');
  return refuse(reply, 400, 'a stream wants a connection of its own: nothing may be asked before it');
}

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

/** What operators say of targets: overrides with an end. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toldState } from '../../src/types/wire/enums.ts';
import { described, json } from './described.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';

const part = z.string().regex(/^(?:\*|[a-z][a-z0-9-]{0,62})$/, 'must be a name, or * for all');
const overridePath = z.object({ node: part, uplink: part });
const overrideBody = z.object({
  state: z.union([toldState, z.literal('auto')]),
  family: z.union([z.literal(4), z.literal(6)]).optional(),
  /** ISO 8601; at most 30 days ahead, since what nobody ends is forgotten. */
  until: z.iso.datetime().optional(),
  reason: z.string().min(1).max(500),
});
const longestMillis = 30 * 86_400_000;

export function operatorRoutes(app: FastifyInstance, parts: ApiParts, guard: Guard): void {
  const schema = described({
    summary: 'Say what a target shall be until a time, or end that',
    description: '`*` for either part; at most 30 days; `auto` ends the override of this glob and family.',
    tag: 'operators',
    params: overridePath,
    body: overrideBody,
    answer: json('The serial of the zone'),
    problems: ['bad-message', 'not-durable'],
    isCommand: true,
  });
  app.put('/v1/overrides/:node/:uplink', { schema }, (request) => setOverride(parts, guard, request));
}

/** `auto` ends the override of exactly this glob and family. */
async function setOverride(
  { service }: ApiParts,
  guard: Guard,
  request: FastifyRequest,
): Promise<{ readonly revision: number }> {
  const caller = guard(request, 'admin');
  const { node, uplink } = readMessage(overridePath, request.params, 'bad-query');
  const { state, until, reason, family = null } = readMessage(overrideBody, request.body);
  const glob = `${node}/${uplink}`;
  if (state === 'auto') await service.release(glob, family, caller.name);
  else {
    const untilMillis = endOf(until, service.parts.nowMillis());
    await service.override({ glob, family, state, untilMillis, author: caller.name, reason });
  }
  return { revision: service.zone()?.revision ?? 0 };
}

function endOf(until: string | undefined, nowMillis: number): number {
  const end = until === undefined ? Number.NaN : Date.parse(until);
  if (!(end > nowMillis && end <= nowMillis + longestMillis))
    throw new Problem(
      400,
      'bad-message',
      'until: must be a time from now to 30 days ahead, such as 2026-11-30T12:00:00Z',
    );
  return end;
}

/** Measured steering: beacons in, proposals and what acts out, operators' words about it, and the freeze. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Address, parseAddress, parseClient } from '../address.ts';
import type { DataParts, Rum } from '../data/parts.ts';
import { beaconBatch } from '../steering/beacon.ts';
import type { SteeredRule } from '../steering/entry.ts';
import type { From } from '../steering/intake.ts';
import { described, json } from './described.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';
import type { Caller } from './tokens.ts';

const dayMillis = 86_400_000;

const rulePath = z.object({
  policy: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/),
  rule: z.coerce.number().int().min(0).max(100_000).describe('Number of the rule; 0 is the default'),
});
const steerBody = z.object({
  do: z.enum(['accept', 'revert']),
  reason: z.string().min(1).max(500),
  until: z.iso.datetime().optional().describe('Of revert: the controller leaves the rule alone until then'),
});
const freezeBody = z.object({ frozen: z.boolean(), reason: z.string().min(1).max(500) });

export function steeringRoutes(app: FastifyInstance, parts: ApiParts, data: DataParts, guard: Guard): void {
  rumRoute(app, parts, data, guard);
  app.get('/v1/steering', { schema: words.steering }, (request) => {
    guard(request);
    return steeringOf(parts, data);
  });
  app.post('/v1/steering/:policy/:rule', { schema: words.steer }, (request) =>
    steer(parts, data, guard(request, 'admin'), request),
  );
  app.put('/v1/freeze', { schema: words.freeze }, (request) =>
    freeze(parts, guard(request, 'admin'), request.body),
  );
}

async function steer(
  { service }: ApiParts,
  { steerer }: DataParts,
  caller: Caller,
  request: FastifyRequest,
): Promise<unknown> {
  const { policy, rule } = readMessage(rulePath, request.params, 'bad-query');
  const body = readMessage(steerBody, request.body);
  const now = service.parts.nowMillis();
  const end = body.until === undefined ? now + dayMillis : Date.parse(body.until);
  const entry =
    body.do === 'accept'
      ? await steerer.accept(policy, rule, caller.name)
      : await steerer.revert(policy, rule, caller.name, end, body.reason);
  if (entry === null)
    throw new Problem(404, 'nothing-to-do', `there is nothing to ${body.do} for rule ${rule} of ${policy}`);
  return { revision: service.zone()?.revision ?? 0, entry: shown(entry, now) };
}

async function freeze(parts: ApiParts, caller: Caller, body: unknown): Promise<unknown> {
  const { frozen, reason } = readMessage(freezeBody, body);
  const author = caller.name;
  await parts.service.enact(({ nowMillis: atMillis }) => {
    const stands = frozen ? { author, reason, atMillis } : null;
    return [{ kind: 'freeze', freeze: stands, author, atMillis }];
  }, 'freeze');
  return frozenBy(parts);
}

function rumRoute(app: FastifyInstance, { service }: ApiParts, { rum }: DataParts, guard: Guard): void {
  app.post('/v1/rum', { schema: words.rum, bodyLimit: 16_384 }, (request, reply) => {
    if (rum === null)
      throw new Problem(404, 'not-configured', 'no beacons are taken here: there is no rum in geodns.yaml');
    const from = fromOf(request, rum, guard);
    const batch = readMessage(beaconBatch, bodyOf(request.body));
    const fates = rum.intake.take(batch, from, service.parts.nowMillis());
    if (fates.every((fate) => fate === 'limited'))
      throw new Problem(429, 'too-many', 'enough beacons from this network for this minute');
    if (from.kind === 'browser') return reply.status(204).send();
    const count = (wanted: string): number => fates.filter((fate) => fate === wanted).length;
    return reply.status(202).send(Object.fromEntries([...new Set(fates)].map((fate) => [fate, count(fate)])));
  });
}

/** A beacon of `navigator.sendBeacon` comes as text/plain, since anything else would cost a question before it. */
function bodyOf(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    throw new Problem(400, 'bad-message', 'the body is not JSON');
  }
}

function fromOf(request: FastifyRequest, rum: Rum, guard: Guard): From {
  if (!rum.isOpen || request.headers.authorization !== undefined) {
    const caller = guard(request);
    if (caller.role === 'reader')
      throw new Problem(403, 'token-refused', `${caller.name} (reader) may not tell beacons`);
    return { kind: 'edge', name: caller.name };
  }
  const address = clientAddress(request, rum.proxies);
  if (address === null)
    throw new Problem(400, 'bad-message', 'the address that this comes from cannot be told');
  return { kind: 'browser', address };
}

/** The rightmost address that is not a trusted proxy's; what stands left of it is the client's own invention. */
function clientAddress(request: FastifyRequest, proxies: readonly Address[]): Address | null {
  const forwarded = request.headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').reverse();
  const trusted = (address: Address): boolean =>
    proxies.some(({ family, value }) => family === address.family && value === address.value);
  let here = parseAddress(request.socket.remoteAddress ?? '');
  for (const hop of hops) {
    if (here === undefined || !trusted(here)) break;
    here = parseClient(hop);
  }
  return here === undefined || trusted(here) ? null : here;
}

function steeringOf(parts: ApiParts, data: DataParts): unknown {
  const { service } = parts;
  const { state, nowMillis } = service.view();
  const { mode, distrust, stepShare, totalShare } = data.steerer.limits;
  return {
    mode,
    ...frozenBy(parts),
    limits: { distrust, stepShare, totalShare },
    proposals: data.steerer.proposals(),
    acting: [...state.steering.values()].map((entry) => shown(entry, nowMillis)),
    beacons: data.rum === null ? null : Object.fromEntries(data.rum.intake.totals),
  };
}

function shown(entry: SteeredRule, nowMillis: number): unknown {
  const { asked: _asked, atMillis, untilMillis, blockedUntilMillis, left: _left, ...rest } = entry;
  const time = (millis: number): string | null => (millis === 0 ? null : new Date(millis).toISOString());
  const isActing = untilMillis > nowMillis && entry.order.join() !== entry.base.join();
  return {
    ...rest,
    isActing,
    at: time(atMillis),
    until: time(untilMillis),
    blockedUntil: time(blockedUntilMillis),
  };
}

function frozenBy({ service }: ApiParts): Readonly<Record<string, unknown>> {
  const { freeze: stands } = service.parts.store.state();
  return { isFrozen: service.isFrozen(), freeze: stands, frozenNodes: service.frozenNodes() };
}

const words = {
  rum: described({
    summary: 'What users measured to each carrier',
    description:
      'From browsers without a token, where `rum.open` says so: judged by their own address, of which nothing is kept. From edges with one: believed.',
    tag: 'data',
    body: beaconBatch,
    answer: json('To edges: how many were counted, and what became of the others; to browsers 204'),
    problems: ['bad-message', 'not-configured', 'too-many', 'token-missing', 'token-refused', 'too-large'],
  }),
  steering: described({
    summary: 'What measured steering would do or has done, and on what evidence',
    tag: 'data',
    answer: json('Proposals with what holds them, and the rules whose order is another than written'),
    isCommand: true,
  }),
  steer: described({
    summary: 'Accept a proposal, or take back what was steered',
    tag: 'data',
    params: rulePath,
    body: steerBody,
    answer: json('The rule as it is now'),
    problems: ['bad-message', 'nothing-to-do', 'not-durable'],
    isCommand: true,
  }),
  freeze: described({
    summary: 'Freeze or thaw what changes by itself: measured steering and the weekly databases',
    description:
      'Reports of nodes go on to count. Nodes that are frozen, alone or with the fleet, freeze it too.',
    tag: 'operators',
    body: freezeBody,
    answer: json('Whether it is frozen, and by whom'),
    problems: ['bad-message', 'not-durable'],
    isCommand: true,
  }),
};

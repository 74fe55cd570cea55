/** What nodes tell: one uplink, the heartbeat, and the compatible calls of old scripts. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { epoch, seq, wireName } from '../../src/types/wire/common.ts';
import { toldState, type ToldState } from '../../src/types/wire/enums.ts';
import { nodeState, uplinkState } from '../../src/types/wire/node-to-geodns.ts';
import { plainReport, reportOf, reportOfUplink } from '../service/messages.ts';
import type { Heard } from '../service/service.ts';
import type { Report } from '../decision/state.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import { described, json } from './described.ts';
import type { RequestCounts } from './metrics.ts';
import type { ApiParts, Guard } from './server.ts';

const uplinkPath = z.object({ node: wireName, uplink: wireName });
const carrierPath = z.object({ node: wireName, carrier: wireName });
const waitQuery = z.object({ wait: z.enum(['0', '1']).default('1') });
const carrierBody = z.object({ state: toldState, epoch, seq, reason: z.string().max(500).default('') });
const oldQuery = z.object({ node: wireName.optional(), wait: z.enum(['0', '1']).default('1') });

const told = json('202: accepted; 200: nothing new. `applied`: all sites have it');
const refused = [
  'bad-message',
  'unknown-target',
  'stale',
  'order-required',
  'not-durable',
  'fenced',
] as const;
const words = {
  uplink: described({
    summary: 'What a node says of one uplink',
    tag: 'nodes',
    params: uplinkPath,
    query: waitQuery,
    body: uplinkState,
    answer: told,
    problems: refused,
    isCommand: true,
  }),
  state: described({
    summary: 'The heartbeat: all uplinks of a node under one order',
    tag: 'nodes',
    query: waitQuery,
    body: nodeState,
    answer: told,
    problems: refused,
    isCommand: true,
  }),
  carrier: described({
    summary: 'One word about all uplinks of a carrier at a node',
    tag: 'nodes',
    params: carrierPath,
    query: waitQuery,
    body: carrierBody,
    answer: told,
    problems: refused,
    isCommand: true,
  }),
  old: described({
    summary: 'For old scripts: without order, forgotten after two minutes unless repeated',
    tag: 'nodes',
    query: oldQuery,
    answer: told,
    problems: refused,
    isCommand: true,
  }),
};

const convergeMillis = 2000;
/** A removal without order is forgotten after this, unless it is repeated. */
const oldRemovalMillis = 120_000;

/** With what counts the reports. */
export type NodeParts = ApiParts & { readonly counts: RequestCounts };

export function nodeRoutes(app: FastifyInstance, parts: NodeParts, guard: Guard): void {
  app.put('/v1/nodes/:node/uplinks/:uplink', { schema: words.uplink }, async (request, reply) => {
    const { node, uplink } = readMessage(uplinkPath, request.params, 'bad-query');
    guard(request, { node });
    const report = reportOfUplink(readMessage(uplinkState, request.body));
    return answer(
      parts,
      reply,
      waits(request.query),
      await parts.service.hear(node, new Map([[uplink, report]])),
    );
  });

  app.put('/v1/nodes/:node/state', { schema: words.state }, async (request, reply) => {
    const { node } = readMessage(z.object({ node: wireName }), request.params, 'bad-query');
    guard(request, { node });
    const message = readMessage(nodeState, request.body);
    if (message.node !== node)
      throw new Problem(400, 'bad-message', `the body speaks of ${message.node}, the path of ${node}`);
    const order = { epoch: message.epoch, seq: message.seq };
    const reports = Object.entries(message.uplinks).map(([uplink, body]): [string, Report] => [
      uplink,
      reportOf(body, order),
    ]);
    const heard = await parts.service.hear(node, new Map(reports));
    // An old heartbeat that comes late says nothing of a freeze either.
    if (heard.some(isTaken)) parts.service.noteFrozen(node, message.frozen === true);
    return answer(parts, reply, waits(request.query), heard);
  });

  app.put('/v1/nodes/:node/carriers/:carrier', { schema: words.carrier }, async (request, reply) => {
    const { node, carrier } = readMessage(carrierPath, request.params, 'bad-query');
    guard(request, { node });
    const body = readMessage(carrierBody, request.body);
    const order = { epoch: body.epoch, seq: body.seq };
    const report = plainReport(carrier, body.state, body.reason, order, null);
    return answer(parts, reply, waits(request.query), await hearCarrier(parts, node, carrier, report));
  });
  oldRoutes(app, parts, guard);
}

function oldRoutes(app: FastifyInstance, parts: NodeParts, guard: Guard): void {
  for (const [path, state] of [
    ['/remove/:carrier', 'down'],
    ['/restore/:carrier', 'up'],
  ] as const) {
    app.post(path, { schema: words.old }, async (request, reply) => {
      const { carrier } = readMessage(z.object({ carrier: wireName }), request.params, 'bad-query');
      const query = readMessage(oldQuery, request.query, 'bad-query');
      const caller = guard(request, { node: query.node ?? null });
      const node = query.node ?? caller.node;
      if (node === null)
        throw new Problem(
          400,
          'bad-query',
          'say which node: ?node=hk1 (a token of a node says it by itself)',
        );
      const report = oldReport(carrier, state, parts.service.parts.nowMillis());
      return answer(parts, reply, query.wait === '1', await hearCarrier(parts, node, carrier, report));
    });
  }
}

function oldReport(carrier: string, state: ToldState, nowMillis: number): Report {
  const expires = state === 'up' ? null : nowMillis + oldRemovalMillis;
  return plainReport(
    carrier,
    state,
    `compatible call: ${state === 'up' ? 'restore' : 'remove'}`,
    null,
    expires,
  );
}

function hearCarrier(
  parts: ApiParts,
  node: string,
  carrier: string,
  report: Report,
): Promise<readonly Heard[]> {
  const targets = parts.service.targetsOfCarrier(carrier, node);
  if (targets.length === 0)
    throw new Problem(
      404,
      'unknown-target',
      `the rules have no target of carrier ${carrier} on node ${node}`,
    );
  return parts.service.hear(node, new Map(targets.map(({ uplink }) => [uplink, report])));
}

function waits(query: unknown): boolean {
  return readMessage(waitQuery, query, 'bad-query').wait === '1';
}

/** 202: at least one was accepted; 200: nothing new; 409 and 404 when that is true of all. */
async function answer(
  parts: NodeParts,
  reply: FastifyReply,
  wait: boolean,
  heard: readonly Heard[],
): Promise<Readonly<Record<string, unknown>>> {
  parts.counts.heard(heard);
  if (!heard.some(isTaken)) refuse(heard);
  const revision = parts.service.zone()?.revision ?? 0;
  const applied = wait ? await parts.sync.settled(revision, convergeMillis) : false;
  // A node with several URLs goes on to the service that does write.
  const { kind, error } = parts.sync.state();
  if (kind === 'fenced') throw new Problem(503, 'fenced', error ?? 'another service writes the zone');
  const view = parts.service.view();
  reply.status(heard.some((one) => one.answer === 'accepted') ? 202 : 200);
  return {
    revision,
    applied,
    targets: Object.fromEntries(heard.map((one) => [one.target, one.answer])),
    held: [...view.held],
    failOpen: (parts.service.zone()?.degraded ?? []).some(
      ({ level }) => level === 'fail-open' || level === 'all-down',
    ),
  };
}

function isTaken({ answer: kind }: Heard): boolean {
  return kind === 'accepted' || kind === 'replay';
}

function refuse(heard: readonly Heard[]): never {
  const stale = heard.find((one) => one.current !== null);
  if (stale === undefined)
    throw new Problem(
      404,
      'unknown-target',
      `the rules have no target ${heard.map((one) => one.target).join(', ') || 'in this message'}`,
    );
  throw new Problem(
    409,
    stale.answer === 'order-required' ? 'order-required' : 'stale',
    stale.answer === 'order-required'
      ? `${stale.target} is told in order by its node; calls without epoch and seq no longer count`
      : `${stale.target} holds something newer; send above its epoch and seq`,
    stale.current ?? {},
  );
}

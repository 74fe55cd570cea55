/** What people, edges and monitors read. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { formatAddress, parseClient } from '../address.ts';
import { availabilityOf, type View } from '../decision/availability.ts';
import { isCountry } from '../rules/places.ts';
import { families } from '../../src/types/units.ts';
import type { LoggedEvent } from '../service/event-log.ts';
import type { GeoDnsService } from '../service/service.ts';
import { metricsText } from './metrics.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';

const decideQuery = z.object({
  ip: z.string().max(100),
  name: z.string().max(253),
  type: z.enum(['A', 'AAAA']).default('A'),
});
const eventsQuery = z.object({ since: z.coerce.number().int().min(0).default(0) });

export function readRoutes(app: FastifyInstance, parts: ApiParts, guard: Guard): void {
  const { service, sync } = parts;

  app.get('/readyz', (_request, reply) => {
    const { kind, sites, error } = sync.state();
    const ready = kind !== 'fenced' && sites.some(({ serial }) => serial !== null);
    return reply.status(ready ? 200 : 503).send({ ready, kind, error });
  });

  app.get('/metrics', (_request, reply) => {
    void reply.type('text/plain; version=0.0.4');
    return metricsText(service, sync.state(), parts.verification());
  });

  app.get('/v1/decide', (request) => {
    guard(request);
    const query = readMessage(decideQuery, request.query, 'bad-query');
    const address = parseClient(query.ip);
    if (address === undefined) throw new Problem(400, 'bad-query', `ip: "${query.ip}" is not an address`);
    const decision = service.decide(query.name, address, query.type === 'A' ? 4 : 6);
    if (decision === undefined)
      throw new Problem(404, 'unknown-name', `the rules have no name ${query.name}`);
    const { client, seen: _seen, ...rest } = decision;
    return {
      ip: formatAddress(address),
      ...client.facts,
      network: client.classification.kind === 'known' ? client.classification.network : null,
      ...rest,
    };
  });

  app.get('/v1/state', (request) => {
    guard(request);
    return stateOf(service);
  });
  app.get('/v1/sites', (request) => {
    guard(request);
    return { ...sync.state(), verification: parts.verification() };
  });
  app.get('/v1/events', (request, reply) => {
    guard(request);
    const { since } = readMessage(eventsQuery, request.query, 'bad-query');
    if (!(request.headers.accept ?? '').includes('text/event-stream')) return service.events.since(since);
    return stream(service, reply, Number(request.headers['last-event-id'] ?? since));
  });
}

function stateOf(service: GeoDnsService): Readonly<Record<string, unknown>> {
  const view = service.view();
  const { records, overrides } = view.state;
  const targets = [...view.rules.targets.values()].map((target) => {
    const record = records.get(target.name);
    return {
      target: target.name,
      carrier: target.carrier,
      told:
        record === undefined
          ? null
          : {
              families: record.families,
              order: record.order,
              reason: record.reason,
              expiresAtMillis: record.expiresAtMillis,
            },
      now: Object.fromEntries(
        families
          .filter((family) => target.addresses[family] !== undefined)
          .map((family) => [family, availabilityOf(view, target, { family, country: null, service: null })]),
      ),
    };
  });
  return {
    revision: view.state.revision,
    networks: service.parts.networks.version,
    targets,
    overrides: overrides.filter((override) => override.untilMillis > view.nowMillis),
    alarms: {
      held: [...view.held],
      silentNodes: service.silentNodes(),
      oldDatabases: service.oldDatabases(),
      unknownRegions: unknownRegions(view),
      degraded: service.zone()?.degraded ?? [],
    },
  };
}

/** Regions that nodes speak of and that are neither a country nor in the rules: what is told of them moves nobody. */
function unknownRegions({ rules, state }: View): readonly string[] {
  const told = [...state.records.values()].flatMap((record) =>
    families.flatMap((family) => Object.keys(record.families[family]?.regions ?? {})),
  );
  return [...new Set(told)].filter((region) => !rules.regions.has(region) && !isCountry(region)).sort();
}

/** Server-sent events; ends when the follower goes. */
function stream(service: GeoDnsService, reply: FastifyReply, since: number): FastifyReply {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (event: LoggedEvent): void => {
    raw.write(`id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  for (const event of service.events.since(since)) send(event);
  const end = service.events.follow(send);
  raw.on('close', end);
  return reply;
}

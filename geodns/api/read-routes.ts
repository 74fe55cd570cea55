/** What people, edges and monitors read. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { formatAddress, parseClient } from '../address.ts';
import { availabilityOf, type View } from '../decision/availability.ts';
import type { GeoDnsSites, GeoDnsState } from '../../src/types/wire/geodns-answers.ts';
import type { DataParts } from '../data/parts.ts';
import { isCountry } from '../rules/places.ts';
import { families } from '../../src/types/units.ts';
import type { GeoDnsService } from '../service/service.ts';
import { dataAlarms, dataMetricsText } from './data-metrics.ts';
import { described, json } from './described.ts';
import { metricsText, type RequestCounts } from './metrics.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';
import type { SiteLag } from './site-lag.ts';

const address = z.string().max(100).describe('An address; with a port or brackets, as headers have it');
const name = z.string().max(253);
const type = z.enum(['A', 'AAAA']);
const decideQuery = z.object({ ip: address, name, type: type.default('A') });
const mostAtOnce = 500;
const batchBody = z.object({
  questions: z
    .array(z.object({ ip: address, name, type: type.default('A') }))
    .min(1)
    .max(mostAtOnce),
});

export interface ReadTools {
  readonly counts: RequestCounts;
  readonly lag: SiteLag;
}

export function readRoutes(app: FastifyInstance, parts: ApiParts, guard: Guard, tools: ReadTools): void {
  const { service, sync } = parts;
  const schemas = wordsOfReads;

  app.get('/readyz', { schema: schemas.ready }, (_request, reply) => {
    const { kind, sites, error } = sync.state();
    const ready = kind !== 'fenced' && sites.some(({ serial }) => serial !== null);
    return reply.status(ready ? 200 : 503).send({ ready, kind, error });
  });

  app.get('/metrics', { schema: schemas.metrics, config: { produces: 'text/plain' } }, (_request, reply) => {
    void reply.type('text/plain; version=0.0.4');
    const rules = parts.desk.current()?.number ?? 0;
    const own = metricsText({
      service,
      sync: sync.state(),
      verification: parts.verification(),
      rules,
      ...tools,
    });
    return own + dataMetricsText(parts.data, service);
  });

  app.get('/v1/decide', { schema: schemas.decide }, (request) => {
    guard(request);
    const query = readMessage(decideQuery, request.query, 'bad-query');
    return decided(service, query);
  });

  app.post('/v1/decide/batch', { schema: schemas.batch }, (request) => {
    guard(request);
    const { questions } = readMessage(batchBody, request.body);
    return { decisions: questions.map((question) => decidedOr(service, question)) };
  });

  app.get('/v1/state', { schema: schemas.state }, (request) => {
    guard(request);
    return stateOf(service, parts.data);
  });
  app.get('/v1/sites', { schema: schemas.sites }, (request): GeoDnsSites => {
    guard(request);
    const state = sync.state();
    const sites = state.sites.map((site) => Object.assign({}, site, tools.lag.of(site, state.wanted)));
    return { ...state, sites, verification: parts.verification() };
  });
}

type Question = z.output<typeof decideQuery>;

/** Throws a Problem for what is no address or no name of the rules. */
function decided(service: GeoDnsService, query: Question): Readonly<Record<string, unknown>> {
  const parsed = parseClient(query.ip);
  if (parsed === undefined) throw new Problem(400, 'bad-query', `ip: "${query.ip}" is not an address`);
  const decision = service.decide(query.name, parsed, query.type === 'A' ? 4 : 6);
  if (decision === undefined) throw new Problem(404, 'unknown-name', `the rules have no name ${query.name}`);
  const { client, ...rest } = decision;
  const { classification } = client;
  return {
    ip: formatAddress(parsed),
    ...client.facts,
    network: classification.kind === 'known' ? classification.network : null,
    classification,
    serial: service.zone()?.revision ?? 0,
    ttlSeconds: service.parts.rules.ttlSeconds,
    /** Who corrects users by redirecting them must not while this is true. */
    failOpen: decision.level === 'fail-open' || decision.level === 'all-down',
    ...rest,
  };
}

/** One that cannot be decided spoils no other. */
function decidedOr(service: GeoDnsService, question: Question): Readonly<Record<string, unknown>> {
  try {
    return decided(service, question);
  } catch (error) {
    if (error instanceof Problem)
      return { ip: question.ip, error: { code: error.code, detail: error.message } };
    throw error;
  }
}

const wordsOfReads = {
  ready: described({
    summary: 'Whether the zone is published',
    tag: 'program',
    answer: json('A site has it'),
    also: { 503: { schema: z.looseObject({}), says: 'No site has it, or another writer is at work' } },
  }),
  metrics: described({
    summary: 'For Prometheus',
    tag: 'program',
    answer: { kind: 'other', mediaType: 'text/plain', says: 'Exposition format 0.0.4' },
  }),
  decide: described({
    summary: 'What a user would be answered now, and why',
    tag: 'answers',
    query: decideQuery,
    answer: json(
      'Facts of the address, the rule, the pool, the answer, each target that was looked at, and why',
    ),
    problems: ['unknown-name'],
    isCommand: true,
  }),
  batch: described({
    summary: 'The same for many users at once',
    tag: 'answers',
    body: batchBody,
    answer: json('In the order of the questions; `error` where one cannot be decided'),
    problems: ['bad-message'],
    isCommand: true,
  }),
  state: described({
    summary: 'Targets, overrides and alarms',
    tag: 'answers',
    answer: json('What nodes told, what operators said, and what follows'),
    isCommand: true,
  }),
  sites: described({
    summary: 'Which serial each site has, how far it is behind, and whether its answers are right',
    tag: 'answers',
    answer: json('Sites, the primary first'),
    isCommand: true,
  }),
};

function stateOf(service: GeoDnsService, data: DataParts | undefined): GeoDnsState {
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
      ...dataAlarms(data, view.nowMillis),
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

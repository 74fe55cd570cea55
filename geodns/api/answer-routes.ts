/** The map: rules and pools as they are loaded, and who would be answered with what. For the page and for people. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { formatSubnet } from '../address.ts';
import { AnswerTable } from '../decision/answer-table.ts';
import type { Conditions, Policy, Rules } from '../rules/model.ts';
import { eachUser } from '../service/users.ts';
import type { Family } from '../../src/types/units.ts';
import type { GeoDnsAnswers, GeoDnsMap } from '../../src/types/wire/geodns-answers.ts';
import { described, json } from './described.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';

const tableQuery = z.object({
  policy: z.string().max(31),
  family: z.enum(['4', '6']).default('4'),
});

export function answerRoutes(app: FastifyInstance, parts: ApiParts, guard: Guard): void {
  const { service } = parts;
  const mapWords = described({
    summary: 'Rules, pools and targets as they are in force',
    tag: 'answers',
    answer: json('The map'),
    isCommand: true,
  });
  app.get('/v1/map', { schema: mapWords }, (request): GeoDnsMap => {
    guard(request);
    return { ...mapOf(service.parts.rules), networks: networksOf(parts) };
  });

  const tableWords = described({
    summary: 'Who is answered with what',
    description:
      'Users of the database (or of the statistics) by access network and place, with the answers that they get now and the share of users that gets each.',
    tag: 'answers',
    query: tableQuery,
    answer: json('A cell for each access network and place that has users'),
    problems: ['unknown-name', 'busy'],
    isCommand: true,
  });
  const tables = new Tables(parts);
  app.get('/v1/answers', { schema: tableWords }, (request) => {
    guard(request);
    const query = readMessage(tableQuery, request.query, 'bad-query');
    const policy = service.parts.rules.policies.get(query.policy);
    if (policy === undefined)
      throw new Problem(404, 'unknown-name', `the rules have no policy ${query.policy}`);
    return tables.get(policy, query.family === '4' ? 4 : 6);
  });
}

/** Each table is made once for a serial, however many look. */
class Tables {
  private readonly parts: ApiParts;
  private readonly made = new Map<
    string,
    { readonly serial: number; readonly body: Promise<GeoDnsAnswers> }
  >();

  constructor(parts: ApiParts) {
    this.parts = parts;
  }

  get(policy: Policy, family: Family): Promise<GeoDnsAnswers> {
    const serial = this.parts.service.zone()?.revision ?? 0;
    const key = `${policy.name} ${family}`;
    const known = this.made.get(key);
    if (known?.serial === serial) return known.body;
    const body = this.make(policy, family, serial);
    this.made.set(key, { serial, body });
    body.catch(() => this.made.delete(key));
    if (this.made.size > 200) this.made.clear();
    return body;
  }

  private async make(policy: Policy, family: Family, serial: number): Promise<GeoDnsAnswers> {
    const { service, users } = this.parts;
    const table = new AnswerTable(service.view(), service.parts.networks, policy, family);
    const found = await users.now();
    await eachUser(found.users[family], (user) => table.add(user));
    return { policy: policy.name, family, serial, by: found.by, cells: table.result() };
  }
}

function networksOf({ service }: ApiParts): readonly { readonly name: string; readonly title: string }[] {
  return [...service.parts.networks.byName].map(([name, { title }]) => ({ name, title }));
}

function mapOf(rules: Rules): Omit<GeoDnsMap, 'networks'> {
  return {
    zone: rules.zone,
    ttlSeconds: rules.ttlSeconds,
    regions: Object.fromEntries(rules.regions),
    names: [...rules.names].map(([name, policy]) => ({ name, policy: policy.name })),
    pools: [...rules.pools.values()].map(({ name, targets, minHealthy, pick }) => ({
      name,
      targets: targets.map((target) => target.name),
      minHealthy,
      pick,
    })),
    policies: [...rules.policies.values()].map(({ name, service, rules: list, otherwise }) => ({
      name,
      service,
      rules: list.map(({ number, when, use, note }) => ({
        number,
        asks: askedBy(when),
        use: use.map((pool) => pool.name),
        note,
      })),
      default: otherwise.map((pool) => pool.name),
    })),
  };
}

/** As a person would write it: `ct, cu` and `CN` are two kinds, which are joined. */
function askedBy(when: Conditions): readonly string[] {
  const kinds: readonly (readonly string[])[] = [
    when.subnets.map(formatSubnet),
    when.networks,
    when.asns.map((asn) => `AS${asn}`),
    when.subdivisions,
    when.countries,
    when.continents,
  ];
  return kinds.filter((kind) => kind.length > 0).map((kind) => kind.join(', '));
}

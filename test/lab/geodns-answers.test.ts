/** Real PowerDNS at three sites: every answer is the one that an independent computation expects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewOf } from '../../geodns/decision/availability.ts';
import { emptyState, type State } from '../../geodns/decision/state.ts';
import { typeCodes } from '../../geodns/dns/message.ts';
import { loadNetworks } from '../../geodns/networks/load.ts';
import { pullSecondary, servedSerial, settingProblems, writePrimary } from '../../geodns/powerdns/site.ts';
import { renderZone } from '../../geodns/render/zone.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { askPatiently } from '../support/geodns-api.ts';
import { labelOf, randomClient, randomFrom, type TestClient } from '../support/geodns-clients.ts';
import { labNetworksText, labRulesText, stateWith, told, value } from '../support/geodns.ts';
import { randomRules } from '../support/geodns-random-rules.ts';
import { oracleOf } from '../support/geodns-oracle.ts';

const world = worldMmdbs();
/** With overrides of several lengths, which the shipped file does not have yet. */
const many = Array.from({ length: 300 }, (_, index) => `203.${index >> 8}.${index & 255}.0/24`).join(', ');
const networksText = labNetworksText
  .replace('  cu:\n', `  cu:\n    prefixes: [${many}]\n`)
  .replace('  ct:\n', '  ct:\n    prefixes: [60.246.128.0/17, "2001:8f8:1::/48"]\n')
  .replace('  cm:\n', '  cm:\n    prefixes: [60.246.192.0/18, 10.1.0.0/16]\n');
const networks = value(loadNetworks('networks.yaml', networksText));
/** One of the resolvers is in the office, so that a question with ECS /0 from there is the office's. */
const rulesText = labRulesText.replace(
  'subnets: [198.51.100.0/24,',
  'subnets: [198.51.100.0/24, 127.210.4.0/24,',
);
const rules = value(loadRules('rules.yaml', rulesText, networks));
const oracle = oracleOf(rulesText, networksText, world.asn, world.country);
const count = process.env['CAUSEWAY_TEST_FULL'] ? 20_000 : 2000;
const none: ReadonlySet<string> = new Set();

let stand: Stand;
let revision = 1000;
beforeAll(async () => {
  stand = await startStand(world);
});
afterAll(() => stand?.stop());

async function publish(state: State, partBytes?: number, using = rules): Promise<void> {
  revision += 1;
  const zone = renderZone(viewOf(using, state, 1e12), networks, revision, partBytes);
  const [primary, ...secondaries] = stand.sites;
  await writePrimary(primary, zone.zone, zone.rrsets);
  await Promise.all(secondaries.map((site) => pullSecondary(site, primary, zone.zone)));
  await expect
    .poll(() => Promise.all(stand.sites.map((site) => servedSerial(site, zone.zone))), {
      timeout: 15_000,
      interval: 30,
    })
    .toEqual([revision, revision, revision]);
}

/** Wrong answers in words; none when all is well. */
async function wrongAnswers(
  clients: readonly TestClient[],
  dead: ReadonlySet<string>,
  computed = oracle,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const queue = clients.flatMap((client) => {
    const expected = computed(
      labelOf(client.name),
      client.type === 'A' ? 4 : 6,
      client.client,
      client.resolver,
      dead,
    );
    return stand.sites.map((site) => ({ client, site, expected }));
  });
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { client, site } = next;
      const expected = computed(
        labelOf(client.name),
        client.type === 'A' ? 4 : 6,
        client.client,
        client.resolver,
        dead,
      );
      const reply = await askPatiently(site, client.name, client.type, {
        subnet: client.subnet,
        transport: client.transport,
        from: client.resolver,
      });
      const got = reply.answers
        .filter((record) => record.type === typeCodes[client.type])
        .map((record) => record.data ?? '');
      const right =
        expected.kind === 'all'
          ? [...got].sort().join() === [...expected.addresses].sort().join()
          : got.length === 1 && expected.addresses.includes(got[0] ?? '');
      const scope =
        client.subnet === null ? reply.ecs === null : reply.ecs?.scopeLength === client.subnet.length;
      if (!right || !scope || reply.rcode !== 0)
        wrong.push(
          `${site.name} ${JSON.stringify(client, (_key, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry))}: ${reply.rcode} ${got.join()} scope ${reply.ecs?.scopeLength}; expected ${expected.addresses.join()}`,
        );
    }
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  return wrong;
}

function clientsOf(seed: number, size: number): readonly TestClient[] {
  const random = randomFrom(seed);
  return Array.from({ length: size }, () => randomClient(random));
}

test('the settings of the stand are those that the product asks for', async () => {
  expect(await settingProblems(stand.sites[0])).toEqual([]);
});

describe('answers of all sites equal an independent computation', () => {
  test('for random users, v4 and v6, with and without client subnet, over UDP and TCP', async () => {
    await publish(emptyState);
    expect((await wrongAnswers(clientsOf(1, count), none)).slice(0, 5)).toEqual([]);
  });

  test('with a target removed, and with one removed for a country alone', async () => {
    await publish(
      stateWith({ 'hk1/cmi': told('down'), 'hk1/pccw': told('up', { regions: { ID: 'down', VN: 'down' } }) }),
    );
    const dead = new Set(['hk1/cmi', 'hk1/pccw ID', 'hk1/pccw VN']);
    expect((await wrongAnswers(clientsOf(2, count / 8), dead)).slice(0, 5)).toEqual([]);
  });

  test('with every target removed: never an empty answer', async () => {
    const all = [...rules.targets.keys()];
    await publish(stateWith(Object.fromEntries(all.map((name) => [name, told('down')]))));
    expect((await wrongAnswers(clientsOf(3, count / 16), new Set(all))).slice(0, 5)).toEqual([]);
  });

  test('with the configuration in many records', async () => {
    await publish(emptyState, 1800);
    expect((await wrongAnswers(clientsOf(4, count / 16), none)).slice(0, 5)).toEqual([]);
  });
});

test('answers of random rules with every mixture of conditions equal an independent computation', async () => {
  const rounds = process.env['CAUSEWAY_TEST_FULL'] ? 100 : 4;
  for (let round = 1; round <= rounds; round += 1) {
    const text = randomRules(randomFrom(round * 1000), networks, 25);
    await publish(emptyState, undefined, value(loadRules('rules.yaml', text, networks)));
    const computed = oracleOf(text, networksText, world.asn, world.country);
    const wrong = await wrongAnswers(clientsOf(round, 120), none, computed);
    expect({ text: wrong.length > 0 ? text : '', wrong: wrong.slice(0, 5) }).toEqual({ text: '', wrong: [] });
  }
});

test('a broken configuration record leaves the answers as they are, and the next revision repairs it', async () => {
  await publish(emptyState);
  const [primary] = stand.sites;
  const clients = clientsOf(5, 40);
  await writeBroken(primary);
  const replies = await Promise.all(
    clients.map((client) => askPatiently(primary, client.name, client.type, { subnet: client.subnet })),
  );
  expect(replies.every((reply) => reply.rcode === 0 && reply.answers.length > 0)).toBe(true);
  await publish(emptyState);
  expect(await wrongAnswers(clients, none)).toEqual([]);
});

async function writeBroken(primary: Stand['sites'][0]): Promise<void> {
  revision += 1;
  const zone = renderZone(viewOf(rules, emptyState, 1e12), networks, revision);
  const broken = zone.rrsets.map((rrset) =>
    rrset.name.startsWith('_g.') ? { ...rrset, records: ['LUA "this is (not Lua"'] } : rrset,
  );
  await writePrimary(primary, zone.zone, broken);
}

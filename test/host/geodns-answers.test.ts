/** Real PowerDNS at three sites: every answer is the one that an independent computation expects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewOf } from '../../geodns/decision/availability.ts';
import { emptyState } from '../../geodns/decision/state.ts';
import { settingProblems } from '../../geodns/powerdns/settings.ts';
import { writePrimary } from '../../geodns/powerdns/site.ts';
import { renderZone } from '../../geodns/render/zone.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import {
  clientsOf,
  networks,
  networksText,
  none,
  Publisher,
  rules,
  world,
  wrongAnswers,
} from '../support/geodns-answers.ts';
import { askPatiently } from '../support/geodns-api.ts';
import { randomFrom } from '../support/geodns-clients.ts';
import { stateWith, told, value } from '../support/geodns.ts';
import { randomRules } from '../support/geodns-random-rules.ts';
import { oracleOf } from '../support/geodns-oracle.ts';

/** All of them, on each version of PowerDNS: `test/full/geodns-answers.test.ts`. */
const count = 1600;

let stand: Stand;
let publisher: Publisher;
beforeAll(async () => {
  stand = await startStand(world);
  publisher = new Publisher(stand);
});
afterAll(() => stand?.stop());

test('the settings of the stand are those that the product asks for', async () => {
  expect(await settingProblems(stand.sites[0], 'primary')).toEqual([]);
  expect(await settingProblems(stand.sites[1], 'secondary')).toEqual([]);
});

describe('answers of all sites equal an independent computation', () => {
  test('for random users, v4 and v6, with and without client subnet, over UDP and TCP', async () => {
    await publisher.publish(emptyState);
    expect((await wrongAnswers(stand, clientsOf(1, count), none)).slice(0, 5)).toEqual([]);
  });

  test('with a target removed, and with one removed for a country alone', async () => {
    await publisher.publish(
      stateWith({ 'hk1/cmi': told('down'), 'hk1/pccw': told('up', { regions: { ID: 'down', VN: 'down' } }) }),
    );
    const dead = new Set(['hk1/cmi', 'hk1/pccw ID', 'hk1/pccw VN']);
    expect((await wrongAnswers(stand, clientsOf(2, count / 8), dead)).slice(0, 5)).toEqual([]);
  });

  test('with every target removed: never an empty answer', async () => {
    const all = [...rules.targets.keys()];
    await publisher.publish(stateWith(Object.fromEntries(all.map((name) => [name, told('down')]))));
    expect((await wrongAnswers(stand, clientsOf(3, count / 16), new Set(all))).slice(0, 5)).toEqual([]);
  });

  test('with the configuration in many records', async () => {
    await publisher.publish(emptyState, rules, 1800);
    expect((await wrongAnswers(stand, clientsOf(4, count / 16), none)).slice(0, 5)).toEqual([]);
  });
});

test('answers of random rules with every mixture of conditions equal an independent computation', async () => {
  for (let round = 1; round <= 4; round += 1) {
    const text = randomRules(randomFrom(round * 1000), networks, 25);
    await publisher.publish(emptyState, value(loadRules('rules.yaml', text, networks)));
    const computed = oracleOf(text, networksText, world.asn, world.country);
    const wrong = await wrongAnswers(stand, clientsOf(round, 120), none, computed);
    expect({ text: wrong.length > 0 ? text : '', wrong: wrong.slice(0, 5) }).toEqual({ text: '', wrong: [] });
  }
});

test.each(['_g', '_gr'])(
  'a broken %s record leaves nobody without an answer, and the next revision repairs it',
  async (label) => {
    await publisher.publish(emptyState);
    const [primary] = stand.sites;
    const clients = clientsOf(5, 40);
    await writeBroken(primary, label);
    // A thread that had tables answers by them, one that never had any by the addresses in the stub.
    const replies = await Promise.all(
      clients.map((client) => askPatiently(primary, client.name, client.type, { subnet: client.subnet })),
    );
    expect(replies.every((reply) => reply.rcode === 0 && reply.answers.length > 0)).toBe(true);
    // New tables, so that a thread that has the old ones reads the record too.
    await publisher.publish(emptyState, rules, 2000);
    expect(await wrongAnswers(stand, clients, none)).toEqual([]);
  },
);

async function writeBroken(primary: Stand['sites'][0], label: string): Promise<void> {
  const zone = renderZone(viewOf(rules, emptyState, 1e12), networks, publisher.nextRevision(), 40_000);
  const broken = zone.rrsets.map((rrset) =>
    rrset.name.startsWith(`${label}.`) ? { ...rrset, records: ['LUA "this is (not Lua"'] } : rrset,
  );
  await writePrimary(primary, zone.zone, broken);
}

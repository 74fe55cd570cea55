/** Every PowerDNS that can be had: 20,000 random users, and random rules, at three sites, against the oracle. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyState } from '../../geodns/decision/state.ts';
import { settingProblems } from '../../geodns/powerdns/settings.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { powerDnsVersions } from '../../lab/geodns/pdns-versions.ts';
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
import { randomFrom } from '../support/geodns-clients.ts';
import { stateWith, told, value } from '../support/geodns.ts';
import { oracleOf } from '../support/geodns-oracle.ts';
import { randomRules } from '../support/geodns-random-rules.ts';

const longMillis = 1_800_000;

test('there is more than one PowerDNS to test on (lab/fetch-pdns)', () => {
  expect(powerDnsVersions().map(({ version }) => version)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^4\.7\./), expect.stringMatching(/^5\./)]),
  );
});

describe.each(powerDnsVersions())('PowerDNS $version', (program) => {
  let stand: Stand;
  let publisher: Publisher;
  beforeAll(async () => {
    stand = await startStand(world, { program });
    publisher = new Publisher(stand);
  });
  afterAll(() => stand?.stop());

  test('its settings are what the product asks for', async () => {
    const found = await Promise.all(
      stand.sites.map((site, index) => settingProblems(site, index === 0 ? 'primary' : 'secondary')),
    );
    expect(found.flat()).toEqual([]);
  });

  test(
    '20,000 random users are answered as computed, at every site',
    async () => {
      await publisher.publish(emptyState);
      expect((await wrongAnswers(stand, clientsOf(101, 20_000), none)).slice(0, 5)).toEqual([]);
    },
    longMillis,
  );

  test(
    'with targets removed, for everybody and for some countries',
    async () => {
      await publisher.publish(
        stateWith({ 'hk1/cmi': told('down'), 'hk1/pccw': told('up', { regions: { ID: 'down' } }) }),
      );
      const dead = new Set(['hk1/cmi', 'hk1/pccw ID']);
      expect((await wrongAnswers(stand, clientsOf(102, 3000), dead)).slice(0, 5)).toEqual([]);
    },
    longMillis,
  );

  test(
    'with everything removed, and with the configuration in many records',
    async () => {
      const all = [...rules.targets.keys()];
      const everything = stateWith(Object.fromEntries(all.map((name) => [name, told('down')])));
      await publisher.publish(everything, rules, 1800);
      expect((await wrongAnswers(stand, clientsOf(103, 2000), new Set(all))).slice(0, 5)).toEqual([]);
    },
    longMillis,
  );

  test(
    'by random rules with every mixture of conditions',
    async () => {
      for (let round = 1; round <= 40; round += 1) {
        const text = randomRules(randomFrom(round * 1000), networks, 25);
        await publisher.publish(emptyState, value(loadRules('rules.yaml', text, networks)));
        const computed = oracleOf(text, networksText, world.asn, world.country);
        const wrong = await wrongAnswers(stand, clientsOf(round, 120), none, computed);
        expect({ text: wrong.length > 0 ? text : '', wrong: wrong.slice(0, 5) }).toEqual({
          text: '',
          wrong: [],
        });
      }
    },
    longMillis,
  );
});

describe('sites of different versions', () => {
  const versions = powerDnsVersions();
  const [oldest, newest] = [versions[0], versions.at(-1)];

  test.skipIf(oldest === newest)(
    'the newest as secondaries of the oldest answer the same',
    async () => {
      const stand = await startStand(world, {
        ...(oldest === undefined ? {} : { program: oldest }),
        ...(newest === undefined ? {} : { secondaries: newest }),
      });
      try {
        await new Publisher(stand).publish(emptyState, rules, 1800);
        expect((await wrongAnswers(stand, clientsOf(104, 2000), none)).slice(0, 5)).toEqual([]);
      } finally {
        await stand.stop();
      }
    },
    longMillis,
  );
});

/**
 * kill -9 of the service and of each PowerDNS at every step of an update, with users asking all the while: never an empty
 * or a foreign answer, and afterwards the state that was told. Steps are made visible by relays before the sites' APIs;
 * the journal has no such window, so kills at random moments are added.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../lab/network/wait.ts';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { addresses, type Caller, callerOf, uplinkMessage } from '../support/geodns-api.ts';
import { randomFrom } from '../support/geodns-clients.ts';
import { type ServiceProcess, spawnService } from '../support/geodns-process.ts';
import { type Relays, relaysBefore, type Step } from '../support/geodns-relay.ts';
import { type Watch, watchSites } from '../support/geodns-watch.ts';

const mobile = '120.196.1.0/24';
const answers = { up: '203.0.113.11 203.0.113.12 203.0.113.41', down: '203.0.113.41' } as const;
const patient = { timeoutMillis: 60_000, everyMillis: 20 };

type Victim = 'service' | 'hkg' | 'tyo';

let stand: Stand;
let relays: Relays;
let configPath: string;
let base: string;
let node: Caller;
let service: ServiceProcess;
let seq = 0;
let watch: Watch;

beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  relays = await relaysBefore(stand);
  const listen = `${stand.sites[0].dns.host}:8053`;
  base = `http://${listen}`;
  configPath = await writeServiceFiles(relays.stand, listen);
  node = callerOf(base, labTokens.hk1);
  service = await spawnService(configPath, base);
  await settled('up');
  watch = watchSites(stand.sites, mobile, Object.values(answers));
});
afterAll(async () => {
  await watch?.stop();
  await service?.kill();
  relays?.close();
  await stand?.stop();
});

const settled = (state: keyof typeof answers): Promise<unknown> =>
  waitUntil(
    `all sites to answer ${state}`,
    async () => {
      const all = await Promise.all(stand.sites.map((site) => addresses(site, mobile).catch(() => '')));
      return all.every((one) => one === answers[state]);
    },
    patient,
  );

/** As a node does: the same message until it is acknowledged. */
async function tellUntilHeard(state: keyof typeof answers): Promise<void> {
  const message = uplinkMessage(state, 7, seq);
  await waitUntil(
    'the service to acknowledge',
    async () => {
      const answer = await node('PUT', '/v1/nodes/hk1/uplinks/cmi?wait=0', message).catch(() => null);
      return answer?.status === 202 || answer?.status === 200;
    },
    patient,
  );
}

async function kill(victim: Victim): Promise<void> {
  if (victim === 'service') await service.kill();
  else await stand.sites.find(({ name }) => name === victim)?.kill();
}

async function revive(victim: Victim): Promise<void> {
  if (victim === 'service') service = await spawnService(configPath, base);
  else await stand.sites.find(({ name }) => name === victim)?.start();
}

const other = (state: keyof typeof answers): keyof typeof answers => (state === 'up' ? 'down' : 'up');
let state: keyof typeof answers = 'up';

const steps: readonly Step[] = [
  'hkg PATCH before',
  'hkg PATCH in',
  'hkg PATCH after',
  'tyo retrieve before',
  'tyo retrieve in',
  'tyo retrieve after',
];

describe.each(['service', 'hkg', 'tyo'] as const)('kill -9 of %s', (victim) => {
  test.each(steps)('at "%s" of a removal and of a return', async (step) => {
    for (let turn = 0; turn < 2; turn += 1) {
      state = other(state);
      seq += 1;
      let died = false;
      relays.onStep = async (seen) => {
        if (seen !== step || died) return;
        died = true;
        await kill(victim);
      };
      const telling = node('PUT', '/v1/nodes/hk1/uplinks/cmi', uplinkMessage(state, 7, seq)).catch(
        () => null,
      );
      await waitUntil(`the step ${step}`, () => died, patient);
      await telling;
      await kill(victim);
      relays.onStep = () => undefined;
      await revive(victim);
      await tellUntilHeard(state);
      await settled(state);
    }
    expect(watch.wrong).toEqual([]);
  });
});

test('kill -9 of any of them at random moments, sixty times', { timeout: 900_000 }, async () => {
  const random = randomFrom(8);
  const victims = ['service', 'hkg', 'tyo'] as const;
  for (let round = 0; round < 60; round += 1) {
    const victim = victims[Math.floor(random() * victims.length)] ?? 'service';
    state = other(state);
    seq += 1;
    const telling = node('PUT', '/v1/nodes/hk1/uplinks/cmi', uplinkMessage(state, 7, seq)).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, random() * 40));
    await kill(victim);
    await telling;
    await revive(victim);
    await tellUntilHeard(state);
    await settled(state);
    expect({ round, victim, wrong: watch.wrong }).toEqual({ round, victim, wrong: [] });
  }
});

test('the users asked all the while', () => {
  expect(watch.counts.answered).toBeGreaterThan(1000);
});

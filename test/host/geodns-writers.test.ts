/** Two services over one zone, hands on the zone, and nodes that fall silent: what stands, and who is told. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { patchZone } from '../../geodns/powerdns/client.ts';
import { servedSerial } from '../../geodns/powerdns/site.ts';
import { type Running, startGeoDns, ZoneTakenError } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { addresses, callerOf, uplinkMessage } from '../support/geodns-api.ts';

const mobile = '120.196.1.0/24';
const all = '203.0.113.11 203.0.113.12 203.0.113.41';
const withoutHk1 = '203.0.113.41';
const cmi = '/v1/nodes/hk1/uplinks/cmi';
const zone = 'geo.test.';
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const patient = { timeoutMillis: 60_000, everyMillis: 30 };

let stand: Stand;
let first: { config: string; base: string };
let second: { config: string; base: string };
const running: Running[] = [];

beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  first = await filesOf(8053);
  // The same but for the folder of its journal and the port.
  second = await filesOf(8054);
});
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await stand?.stop();
});

async function filesOf(port: number): Promise<{ config: string; base: string }> {
  const listen = `${stand.sites[0].dns.host}:${port}`;
  const written = await writeServiceFiles(stand, listen);
  const state = join(stand.folder, `state-${port}`);
  cpSync(join(stand.folder, 'state'), state, { recursive: true });
  const config = join(stand.folder, `geodns-${port}.yaml`);
  const text = readFileSync(written, 'utf8').replace(/^state: .*$/m, `state: ${state}`);
  writeFileSync(config, text);
  const rules = join(stand.folder, 'rules.yaml');
  writeFileSync(rules, readFileSync(rules, 'utf8').replace('stale_after: 60s', 'stale_after: 5s'));
  return { config, base: `http://${listen}` };
}

async function start(config: string, takeOver = false): Promise<Running> {
  const one = await startGeoDns(await readFiles(config), quiet, { takeOver });
  running.push(one);
  return one;
}
async function end(one: Running): Promise<void> {
  running.splice(running.indexOf(one), 1);
  await one.stop();
}
const everywhere = (text: string): Promise<unknown> =>
  waitUntil(
    `all sites to answer ${text}`,
    async () => {
      const got = await Promise.all(stand.sites.map((site) => addresses(site, mobile).catch(() => '')));
      return got.every((one) => one === text);
    },
    patient,
  );

describe('two services', () => {
  test('one with a folder of its own is refused while the zone is of another, whose answers stay', async () => {
    const one = await start(first.config);
    const node = callerOf(first.base, labTokens.hk1);
    expect((await node('PUT', cmi, uplinkMessage('down', 1, 1))).status).toBe(202);
    await everywhere(withoutHk1);
    await expect(start(second.config)).rejects.toThrow(ZoneTakenError);
    await expect(start(second.config)).rejects.toThrow(
      /another causeway-geodns \([0-9a-f]{16}\).*--take-over/,
    );
    await everywhere(withoutHk1);
    expect(one.sync.state().kind).toBe('idle');
    await end(one);
  });

  test('the one that takes over writes; the other is stopped by its next report and overwrites nothing', async () => {
    const old = await start(first.config);
    const taker = await start(second.config, true);
    const node = callerOf(second.base, labTokens.hk1);
    expect((await node('PUT', cmi, uplinkMessage('down', 2, 1))).status).toBe(202);
    await everywhere(withoutHk1);
    const toOld = callerOf(first.base, labTokens.hk1);
    expect((await toOld('PUT', `${cmi}?wait=0`, uplinkMessage('up', 1, 2))).status).toBeLessThan(500);
    await waitUntil('the old one to stop', () => old.sync.state().kind === 'fenced', patient);
    expect(old.sync.state().error).toMatch(/another (?:causeway-geodns|writer)/);
    const refused = await toOld('PUT', `${cmi}?wait=0`, uplinkMessage('up', 1, 3));
    expect(refused).toMatchObject({ status: 503, body: { code: 'fenced' } });
    await everywhere(withoutHk1);
    expect(await servedSerial(stand.sites[0], zone)).toBe(taker.service.zone()?.revision);
    await end(old);
    await end(taker);
  });

  test('that write at once end as one: the other sees whose zone it is', async () => {
    const old = await start(second.config);
    const taker = await start(first.config, true);
    await Promise.all([
      callerOf(first.base, labTokens.hk1)('PUT', `${cmi}?wait=0`, uplinkMessage('down', 3, 1)),
      callerOf(second.base, labTokens.hk1)('PUT', `${cmi}?wait=0`, uplinkMessage('up', 3, 1)),
    ]);
    await waitUntil(
      'one of them to stop',
      () => {
        for (const one of [old, taker]) one.sync.repair();
        return [old, taker].filter((one) => one.sync.state().kind === 'fenced').length === 1;
      },
      patient,
    );
    const winner = old.sync.state().kind === 'fenced' ? taker : old;
    await waitUntil(
      'the sites to have its zone',
      async () => {
        const serials = await Promise.all(stand.sites.map((site) => servedSerial(site, zone)));
        return serials.every((serial) => serial === winner.service.zone()?.revision);
      },
      patient,
    );
    await everywhere(winner === taker ? withoutHk1 : all);
    await end(old);
    await end(taker);
  });
});

describe('a hand', () => {
  test('on a record of a secondary, even with a higher serial there, is put right', async () => {
    const one = await start(first.config, true);
    await callerOf(first.base, labTokens.hk1)('PUT', cmi, uplinkMessage('up', 4, 1));
    await everywhere(all);
    const site = stand.sites[1];
    const serial = (await servedSerial(site, zone)) ?? 0;
    await patchZone(site.api, zone, [
      { name: `www.${zone}`, type: 'LUA', ttlSeconds: 30, records: [`A ";return {'192.0.2.66'}"`] },
      {
        name: zone,
        type: 'SOA',
        ttlSeconds: 30,
        records: [`ns1.geo.test. hostmaster.geo.test. ${serial + 500} 60 30 1209600 30`],
      },
    ]);
    expect(await addresses(site, mobile)).toBe('192.0.2.66');
    await waitUntil(
      'the secondary to be as the primary',
      async () => {
        one.sync.repair();
        return (await servedSerial(site, zone)) === serial && (await addresses(site, mobile)) === all;
      },
      { timeoutMillis: 60_000, everyMillis: 600 },
    );
    await end(one);
  });
});

test('a node that falls silent keeps its last state, and an alarm stands until it speaks', async () => {
  const one = await start(first.config);
  const node = callerOf(first.base, labTokens.hk1);
  const alarms = async (): Promise<unknown> =>
    (await callerOf(first.base, labTokens.ops)('GET', '/v1/state')).body['alarms'];
  await node('PUT', cmi, uplinkMessage('down', 5, 1));
  await everywhere(withoutHk1);
  await waitUntil('the alarm', async () => JSON.stringify(await alarms()).includes('"hk1"'), patient);
  await everywhere(withoutHk1);
  expect((await node('PUT', cmi, uplinkMessage('down', 5, 1))).status).toBe(200);
  expect(JSON.stringify(await alarms())).not.toContain('"hk1"');
  await everywhere(withoutHk1);
  await end(one);
});

/**
 * DNS and the edge know users alike: the same 1,000 addresses are asked of a real PowerDNS, whose answer tells the access
 * network by a pool of its own, and of a real nginx, whose redirect tells it by a node of its own. Both read one
 * networks.yaml and one ASN database.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseSubnet } from '../../geodns/address.ts';
import { viewOf } from '../../geodns/decision/availability.ts';
import { emptyState } from '../../geodns/decision/state.ts';
import { loadNetworks } from '../../geodns/networks/load.ts';
import { writePrimary } from '../../geodns/powerdns/site.ts';
import { renderZone } from '../../geodns/render/zone.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { askPatiently } from '../support/geodns-api.ts';
import { randomClient, randomFrom } from '../support/geodns-clients.ts';
import { value } from '../support/geodns.ts';
import { type Edge, get, snapshot, startEdge, until } from '../support/edge.ts';

interface RawNetworks {
  readonly version: string;
  readonly networks: Record<string, { kind?: string; carriers?: string[]; prefixes?: string[] }>;
}

const world = worldMmdbs();
/** The shipped file with overrides of several lengths, and with a carrier for each network by which a redirect shows it. */
function sharedNetworks(): RawNetworks {
  const raw: RawNetworks = parse(readFileSync('networks.yaml', 'utf8'));
  for (const [name, network] of Object.entries(raw.networks)) network.carriers = [name];
  const { ct, cm, cu } = raw.networks;
  if (ct === undefined || cm === undefined || cu === undefined) throw new Error('ct, cm and cu are needed');
  ct.prefixes = ['60.246.128.0/17', '2001:8f8:1::/48'];
  cm.prefixes = ['60.246.192.0/18', '36.97.0.0/16', '2001:8f8:1:8000::/49'];
  cu.prefixes = Array.from({ length: 200 }, (_, index) => `203.${index >> 7}.${index & 127}.0/24`);
  return raw;
}
const shared = sharedNetworks();
const names = Object.keys(shared.networks);
const networksText = stringify(shared, { aliasDuplicateObjects: false });
const networks = value(loadNetworks('networks.yaml', networksText));

const addressOf = (index: number, family: 4 | 6): string =>
  family === 4 ? `203.0.113.${index + 1}` : `2001:db8:99::${(index + 1).toString(16)}`;
const rules = value(
  loadRules(
    'rules.yaml',
    stringify({
      version: 1,
      zone: 'geo.test',
      nameservers: ['ns1.geo.test'],
      hostmaster: 'hostmaster.geo.test',
      ttl: '30s',
      targets: Object.fromEntries(
        ['none', ...names].map((name, index) => [
          `${name}/x`,
          { v4: [addressOf(index, 4)], v6: [addressOf(index, 6)] },
        ]),
      ),
      pools: Object.fromEntries(['none', ...names].map((name) => [`p-${name}`, { targets: [`${name}/x`] }])),
      policies: {
        cdn: {
          default: ['p-none'],
          rules: names.map((name) => ({ networks: [name], use: [`p-${name}`] })),
        },
      },
      names: { www: 'cdn' },
    }),
    networks,
  ),
);

let stand: Stand;
let edge: Edge;
beforeAll(async () => {
  stand = await startStand(world);
  const zone = renderZone(viewOf(rules, emptyState, 1e12), networks, 1000);
  await writePrimary(stand.sites[0], zone.zone, zone.rrsets);
  edge = await startEdge(
    {
      steering: { redirects: '1000/1min' },
    },
    { prepare: (dir) => prepare(dir) },
  );
  const nodes = names.map((name) => [`n-${name}`, { carriers: { [name]: true } }] as const);
  await edge.put(snapshot({ hk1: { carriers: {} }, ...Object.fromEntries(nodes) }));
});
afterAll(async () => {
  await edge?.stop();
  await stand?.stop();
});

function prepare(dir: string): void {
  writeFileSync(join(dir, 'networks.yaml'), networksText);
  writeFileSync(join(dir, 'asn.mmdb'), world.asn);
}

/** What DNS takes a client for; `none`: unknown. */
async function byDns(client: string, family: 4 | 6): Promise<string> {
  const subnet = parseSubnet(`${client}/${family === 4 ? 32 : 128}`) ?? null;
  const type = family === 4 ? 'A' : 'AAAA';
  const reply = await askPatiently(stand.sites[0], 'www.geo.test.', type, { subnet });
  const [answer] = reply.answers.map(({ data }) => data ?? '');
  const index = ['none', ...names].findIndex((_, at) => addressOf(at, family) === answer);
  return ['none', ...names][index] ?? `${answer}?`;
}

/** What the edge takes it for; `none`: unknown, or a cloud, which is never redirected. */
async function byEdge(client: string): Promise<string> {
  const { status, headers } = await get(edge.port, { client });
  if (status !== 302) return status === 200 ? 'none' : `${status}?`;
  return /\/\/n-([a-z0-9]+)\./.exec(headers.location ?? '')?.[1] ?? `${headers.location}?`;
}

test('DNS and the edge take 1,000 addresses for users of the same networks', async () => {
  const random = randomFrom(20_261_130);
  const clients = new Set<string>();
  while (clients.size < 1000) {
    const { client, subnet } = randomClient(random);
    if (subnet === null || client.startsWith('127.') || client.startsWith('0.')) continue;
    clients.add(client);
  }
  const apart: string[] = [];
  const found = new Map<string, number>();
  const queue = [...clients];
  const hosting = names.filter((name) => shared.networks[name]?.kind === 'hosting');
  const worker = async (): Promise<void> => {
    for (let client = queue.pop(); client !== undefined; client = queue.pop()) {
      const dns = await byDns(client, client.includes(':') ? 6 : 4);
      const told = await byEdge(client);
      found.set(dns, (found.get(dns) ?? 0) + 1);
      const same = dns === told || (hosting.includes(dns) && told === 'none');
      if (!same) apart.push(`${client}: DNS ${dns}, edge ${told}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  expect(apart).toEqual([]);
  // Each kind of answer has come, so that equal is not equally blind.
  for (const name of ['none', 'ct', 'cu', 'cm', 'cloud'])
    expect([name, (found.get(name) ?? 0) > 5]).toEqual([name, true]);
  const clouds = found.get('cloud') ?? 0;
  await until('the edge has counted the clouds', async () =>
    (await edge.metric('edge_steer_total{network="cloud",action="serve",reason="hosting"}')) === clouds
      ? true
      : undefined,
  );
});

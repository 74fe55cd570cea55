/** Zones published to a stand without the service, and its answers compared with the oracle. */
import { viewOf } from '../../geodns/decision/availability.ts';
import type { State } from '../../geodns/decision/state.ts';
import { typeCodes } from '../../geodns/dns/message.ts';
import { loadNetworks, type Networks } from '../../geodns/networks/load.ts';
import { pullSecondary, servedSerial, writePrimary } from '../../geodns/powerdns/site.ts';
import { renderZone } from '../../geodns/render/zone.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import type { Stand, StandSite } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askPatiently } from './geodns-api.ts';
import { labelOf, randomClient, randomFrom, type TestClient } from './geodns-clients.ts';
import { labNetworksText, labRulesText, value } from './geodns.ts';
import { type Expected, type Oracle, oracleOf } from './geodns-oracle.ts';

export const world = worldMmdbs();
/** With overrides of several lengths, which the shipped file does not have yet. */
const many = Array.from({ length: 300 }, (_, index) => `203.${index >> 8}.${index & 255}.0/24`).join(', ');
export const networksText = labNetworksText
  .replace('  cu:\n', `  cu:\n    prefixes: [${many}]\n`)
  .replace('  ct:\n', '  ct:\n    prefixes: [60.246.128.0/17, "2001:8f8:1::/48"]\n')
  .replace('  cm:\n', '  cm:\n    prefixes: [60.246.192.0/18, 10.1.0.0/16]\n');
export const networks = value(loadNetworks('networks.yaml', networksText));
/**
 * One of the resolvers is in the office, so that a question with ECS /0 from there is the office's; and South China
 * Telecom has other answers than the rest of Telecom.
 */
export const rulesText = labRulesText
  .replace('subnets: [198.51.100.0/24,', 'subnets: [198.51.100.0/24, 127.210.4.0/24,')
  .replace('[CN-GD, CN-GX], use: [hk-pccw,', '[CN-GD, CN-GX], use: [hk-hkbn,');
export const rules = value(loadRules('rules.yaml', rulesText, networks));
export const oracle = oracleOf(rulesText, networksText, world.asn, world.country);
export const none: ReadonlySet<string> = new Set();

export class Publisher {
  private revision = 1000;
  private readonly stand: Stand;
  private readonly known: Networks;

  constructor(stand: Stand, known: Networks = networks) {
    this.stand = stand;
    this.known = known;
  }

  nextRevision(): number {
    this.revision += 1;
    return this.revision;
  }

  /** Resolves when all sites serve it. */
  async publish(state: State, using = rules, partBytes?: number): Promise<void> {
    const revision = this.nextRevision();
    const zone = renderZone(viewOf(using, state, 1e12), this.known, revision, partBytes);
    const [primary, ...secondaries] = this.stand.sites;
    await writePrimary(primary, zone.zone, zone.rrsets);
    await Promise.all(secondaries.map((site) => pullSecondary(site, primary, zone.zone)));
    await waitUntil(
      `all sites to serve revision ${revision}`,
      async () => {
        const serials = await Promise.all(this.stand.sites.map((site) => servedSerial(site, zone.zone)));
        return serials.every((serial) => serial === revision);
      },
      { timeoutMillis: 60_000 },
    );
  }
}

export function clientsOf(seed: number, size: number): readonly TestClient[] {
  const random = randomFrom(seed);
  return Array.from({ length: size }, () => randomClient(random));
}

/** Asks every site for every client; wrong answers in words, none when all is well. */
export async function wrongAnswers(
  stand: Stand,
  clients: readonly TestClient[],
  dead: ReadonlySet<string>,
  computed: Oracle = oracle,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const queue = [...clients];
  const worker = async (): Promise<void> => {
    for (let client = queue.pop(); client !== undefined; client = queue.pop()) {
      const family = client.type === 'A' ? 4 : 6;
      const expected = computed(labelOf(client.name), family, client.client, client.resolver, dead);
      for (const site of stand.sites) {
        const fault = await wrongAnswer(site, client, expected);
        if (fault !== null) wrong.push(fault);
      }
    }
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  return wrong;
}

async function wrongAnswer(site: StandSite, client: TestClient, expected: Expected): Promise<string | null> {
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
  const scope = client.subnet === null ? reply.ecs === null : reply.ecs?.scopeLength === client.subnet.length;
  if (right && scope && reply.rcode === 0) return null;
  const asked = JSON.stringify(client, (_key, entry: unknown) =>
    typeof entry === 'bigint' ? String(entry) : entry,
  );
  return `${site.name} ${asked}: ${reply.rcode} ${got.join()} scope ${reply.ecs?.scopeLength}; expected ${expected.addresses.join()}`;
}

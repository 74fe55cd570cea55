/** The service and its API over the lab's rules and databases, without PowerDNS: a site that has whatever is wanted. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { TlsPair } from '../../geodns/api/listener.ts';
import { buildApi } from '../../geodns/api/server.ts';
import { loadTokens } from '../../geodns/api/tokens.ts';
import { geoLookup, mmdbOf } from '../../geodns/mmdb/geo.ts';
import type { RenderedZone } from '../../geodns/render/zone.ts';
import { GeoDnsService } from '../../geodns/service/service.ts';
import { openStateStore } from '../../geodns/service/store.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { labNetworks, labNetworksText, labRules, labRulesText, value } from './geodns.ts';
import { type DeskOptions, type DeskWorld, deskOver } from './geodns-desk.ts';

export const worldTokens = { ops: 'token-of-operators', hk1: 'token-of-node-hk1', edge: 'token-of-readers' };

export interface GeoDnsWorld extends DeskWorld {
  readonly folder: string;
  readonly service: GeoDnsService;
  readonly zones: readonly RenderedZone[];
  close(): Promise<void>;
}

const bytes = worldMmdbs();
const asn = mmdbOf('asn.mmdb', bytes.asn, 'asn');
const country = mmdbOf('country.mmdb', bytes.country, 'country');

/** `folder`: of an earlier world, whose journal and revisions are taken up. */
export async function geodnsWorld(
  options: Omit<DeskOptions, 'write'> & { readonly folder?: string } = {},
): Promise<GeoDnsWorld> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'causeway-geodns-world-'));
  const zones: RenderedZone[] = [];
  const service = new GeoDnsService({
    rules: labRules,
    networks: labNetworks,
    lookup: geoLookup(asn, country),
    databases: [{ path: 'asn.mmdb', builtAt: asn.builtAt, asnDatabase: asn }],
    store: await openStateStore(join(folder, 'journal')),
    publisher: { want: (zone) => void zones.push(zone), settled: async () => true },
    nowMillis: () => Date.now(),
    revisionAbove: 0,
    writer: '',
  });
  const write = options.folder === undefined;
  const { folder: _, ...others } = options;
  const world = await deskOver(service, folder, { ...others, write });
  if (write)
    await world.desk.adopt({ rules: labRulesText, networks: labNetworksText }, 'start', () =>
      service.start(),
    );
  return {
    ...world,
    folder,
    service,
    zones,
    close: async () => {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface ServedWorld {
  readonly app: FastifyInstance;
  readonly url: string;
}

export async function serveWorld(world: GeoDnsWorld, tls: TlsPair | null = null): Promise<ServedWorld> {
  const hash = (token: string): string => createHash('sha256').update(token).digest('hex');
  const lines = [
    `  - { name: ops, role: admin, sha256: ${hash(worldTokens.ops)} }`,
    `  - { name: hk1, role: node, node: hk1, sha256: ${hash(worldTokens.hk1)} }`,
    `  - { name: edge, role: reader, sha256: ${hash(worldTokens.edge)} }`,
  ];
  const serial = (): number => world.zones.at(-1)?.revision ?? 0;
  const app = await buildApi({
    service: world.service,
    desk: world.desk,
    users: world.users,
    tokens: value(loadTokens('tokens.yaml', `tokens:\n${lines.join('\n')}\n`)),
    sync: {
      settled: async () => true,
      state: () => ({
        wanted: serial(),
        kind: 'idle',
        error: null,
        sites: [
          { name: 'hkg', serial: serial(), error: null },
          { name: 'tyo', serial: serial() - 1, error: 'refused' },
        ],
      }),
    },
    verification: () => null,
    tls,
    version: '0',
    logError: (error) => {
      throw error;
    },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}` };
}

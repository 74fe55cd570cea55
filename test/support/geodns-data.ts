/** The API of a service on the lab's rules, with all that measures: real journal, real routes, no sites. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { buildApi } from '../../geodns/api/server.ts';
import { loadTokens } from '../../geodns/api/tokens.ts';
import type { DataParts } from '../../geodns/data/parts.ts';
import { geoLookup, mmdbOf } from '../../geodns/mmdb/geo.ts';
import { GeoDnsService } from '../../geodns/service/service.ts';
import { openStateStore } from '../../geodns/service/store.ts';
import { StatisticsBook } from '../../geodns/statistics/book.ts';
import type { beaconBatch } from '../../geodns/steering/beacon.ts';
import { Collector } from '../../geodns/steering/collector.ts';
import { limitsOf, rumConfig, steeringConfig } from '../../geodns/steering/config.ts';
import { Intake } from '../../geodns/steering/intake.ts';
import { Steerer } from '../../geodns/steering/steerer.ts';
import { parseAddress } from '../../geodns/address.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { deskOver } from './geodns-desk.ts';
import { labNetworks, labNetworksText, labRules, labRulesText, value } from './geodns.ts';

export const dataTokens = {
  ops: 'token-of-operators',
  edge: 'token-of-edge-hk1',
  node: 'token-of-node-hk1',
  reader: 'token-of-readers',
};

export interface DataApi {
  readonly url: string;
  readonly service: GeoDnsService;
  readonly data: DataParts;
  stop(): Promise<void>;
}

export interface DataApiOptions {
  readonly rum?: Record<string, unknown> | null;
  readonly steering?: Record<string, unknown>;
  readonly nowMillis?: () => number;
  readonly folder?: string;
}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const world = worldMmdbs();
const lookup = geoLookup(mmdbOf('asn', world.asn, 'asn'), mmdbOf('country', world.country, 'country'));

export async function startDataApi(options: DataApiOptions = {}): Promise<DataApi> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'causeway-data-'));
  const nowMillis = options.nowMillis ?? Date.now;
  const service = new GeoDnsService({
    rules: labRules,
    networks: labNetworks,
    lookup,
    databases: [],
    store: await openStateStore(join(folder, 'journal')),
    publisher: { want: () => undefined, settled: async () => true },
    nowMillis,
    revisionAbove: 0,
    writer: '',
  });
  const { desk, users } = await deskOver(service, mkdtempSync(join(folder, 'desk')));
  await desk.adopt({ rules: labRulesText, networks: labNetworksText }, 'start', () => service.start());
  const data = await dataOver(service, folder, options);
  const app = await buildApi({
    service,
    desk,
    users,
    data,
    tls: null,
    version: '0',
    sync: {
      settled: async () => true,
      state: () => ({ kind: 'idle', wanted: 1, error: null, sites: [] }),
    },
    tokens: value(loadTokens('tokens.yaml', tokensText())),
    verification: () => null,
    logError: () => undefined,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    service,
    data,
    async stop() {
      await app.close();
      await data.statistics.stop(nowMillis());
      await service.stop();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function dataOver(
  service: GeoDnsService,
  folder: string,
  { rum: wished = {}, steering = {} }: DataApiOptions,
): Promise<DataParts> {
  const now = service.parts.nowMillis();
  const statistics = await StatisticsBook.open(join(folder, 'statistics'), 90, quiet, now);
  const collector = new Collector();
  const limits = limitsOf(steeringConfig.parse(steering));
  const config = rumConfig.parse(wished ?? {});
  const intake = new Intake(
    config,
    collector,
    () => service.parts,
    (one, at) => statistics.measured(one, at),
  );
  const proxies = config.proxies.map(parseAddress).filter((one) => one !== undefined);
  return {
    statistics,
    collector,
    steerer: new Steerer(service, collector, limits, quiet),
    rum: wished === null ? null : { intake, isOpen: config.open, proxies },
    refresher: null,
  };
}

/** Vietnam's users have CMI first (rule 7 of cdn); by these PCCW is twice as fast for them, as an edge tells it that knows its users. */
export function vietnamBatches(): readonly z.output<typeof beaconBatch>[] {
  return Array.from({ length: 40 }, (_, network) => {
    const one = { ok: true, country: 'VN', asn: 45_899, source: `net-${network}` };
    const beacons = Array.from({ length: 5 }, () => [
      { ...one, carrier: 'cmi', rttMillis: 120 },
      { ...one, carrier: 'pccw', rttMillis: 60 },
    ]);
    return { schema: 1, beacons: beacons.flat() };
  });
}

export function measureVietnam({ data, service }: DataApi): void {
  const now = service.parts.nowMillis();
  for (const batch of vietnamBatches()) data.rum?.intake.take(batch, { kind: 'edge', name: 'edge' }, now);
}

function tokensText(): string {
  const line = (name: keyof typeof dataTokens, role: string, more = ''): string => {
    const sha256 = createHash('sha256').update(dataTokens[name]).digest('hex');
    return `  - { name: ${name}, role: ${role}, ${more}sha256: ${sha256} }`;
  };
  return [
    'tokens:',
    line('ops', 'admin'),
    line('edge', 'edge', 'node: hk1, '),
    line('node', 'node', 'node: hk1, '),
    line('reader', 'reader'),
  ].join('\n');
}

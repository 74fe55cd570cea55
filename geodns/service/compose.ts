/** Files and sockets → a running service. Everything that can be wrong in files is said before anything is started. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { buildApi } from '../api/server.ts';
import { loadTokens, type Tokens } from '../api/tokens.ts';
import { type Address, parseAddress } from '../address.ts';
import { geoLookup, type GeoLookup, type Mmdb, openMmdb } from '../mmdb/geo.ts';
import { addressesOfRecords } from '../mmdb/walk.ts';
import { loadNetworks, type Networks } from '../networks/load.ts';
import type { Site } from '../powerdns/site.ts';
import { highestSerial, Sync } from '../powerdns/sync.ts';
import { Worker } from '../powerdns/worker.ts';
import { loadRules } from '../rules/load.ts';
import type { Rules } from '../rules/model.ts';
import { formatProblem, type Loaded } from '../yaml-file.ts';
import { type GeoDnsConfig, loadConfig } from './config.ts';
import { GeoDnsService } from './service.ts';
import { openStateStore } from './store.ts';
import { type Verification, verifySites } from './verify.ts';

const canaryCount = 20;

/** Problems of files, one line each; nothing was started. */
export class FilesError extends Error {
  override readonly name = 'FilesError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

export interface Files {
  readonly config: GeoDnsConfig;
  readonly networks: Networks;
  readonly rules: Rules;
  readonly lookup: GeoLookup;
  /** Users that the databases know: what sites are asked about. */
  readonly canaries: readonly Address[];
  readonly tokens: Tokens;
  readonly sites: readonly [Site, ...Site[]];
}

export interface ComposeLog {
  readonly info: (data: Readonly<Record<string, unknown>>, message: string) => void;
  readonly warn: (data: Readonly<Record<string, unknown>>, message: string) => void;
  readonly error: (data: Readonly<Record<string, unknown>>, message: string) => void;
}

export interface Running {
  readonly service: GeoDnsService;
  readonly sync: Sync;
  readonly api: FastifyInstance;
  /** What the sites answered when they were last asked; null: not yet. */
  verification(): Verification | null;
  /** Puts changed files in force, all or none. Rejects with a FilesError or MmdbError, and changes nothing. */
  reload(files: Files): Promise<void>;
  stop(): Promise<void>;
}

/** Reads and checks every file. Throws a FilesError, or an MmdbError for a database. */
export async function readFiles(configPath: string): Promise<Files> {
  const config = take(loadConfig(configPath, await text(configPath)));
  const networks = take(loadNetworks(config.networks, await text(config.networks)));
  const rules = take(loadRules(config.rules, await text(config.rules), networks));
  const tokens = take(loadTokens(config.tokens_file, await text(config.tokens_file)));
  const asn = await openMmdb(config.mmdb.asn, 'asn');
  const country = await openMmdb(config.mmdb.country, 'country');
  const sites = await Promise.all(
    config.sites.map(async ({ name, api, key_file, dns }): Promise<Site> => {
      const key = (await text(key_file)).trim();
      return { name, dns, api: { url: api.replace(/\/$/, ''), key } };
    }),
  );
  const [primary, ...secondaries] = sites;
  if (primary === undefined) throw new FilesError([`${configPath}: no site`]);
  return {
    config,
    networks,
    rules,
    lookup: geoLookup(asn, country),
    canaries: canariesOf(asn),
    tokens,
    sites: [primary, ...secondaries],
  };
}

/** Opens the journal, publishes what it says, and listens. */
export async function startGeoDns(files: Files, log: ComposeLog): Promise<Running> {
  const { config, networks, rules, lookup, tokens, sites } = files;
  let { canaries } = files;
  const store = await openStateStore(join(config.state, 'journal'));
  if (store.damage.tornBytes + store.damage.damagedLines.length + store.damage.foreign > 0)
    log.warn({ ...store.damage }, 'the journal had parts that could not be used');
  const sync = new Sync(sites, log);
  const service = new GeoDnsService({
    rules,
    networks,
    lookup,
    store,
    publisher: sync,
    nowMillis: () => Date.now(),
    revisionAbove: await highestSerial(sites, rules.zone),
  });
  let verified: Verification | null = null;
  const verifier = new Worker(
    async () => {
      const revision = service.zone()?.revision ?? 0;
      if (!(await sync.settled(revision, 2000))) return 'again';
      const found = await verifySites(service, sites, canaries);
      // Answers of a zone that changed while we asked prove nothing.
      if (service.zone()?.revision !== revision) return 'again';
      verified = found;
      if (found.wrong.length > 0) log.error({ ...found }, 'sites answer otherwise than decided');
      return 'done';
    },
    (error) => log.warn({ error: String(error) }, 'the sites could not be verified'),
  );
  const api = buildApi({
    service,
    sync,
    tokens,
    verification: () => verified,
    logError: (error, message) => log.error({ error: String(error) }, message),
  });
  service.events.follow((event) => {
    log.info({ event: event.kind, text: event.text }, 'event');
    if (event.kind === 'revision') verifier.poke();
  });
  const stop = async (): Promise<void> => {
    await api.close();
    await service.stop();
    await Promise.all([sync.stop(), verifier.stop()]);
  };
  const reload = async (fresh: Files): Promise<void> => {
    await service.replace({ rules: fresh.rules, networks: fresh.networks, lookup: fresh.lookup });
    ({ canaries } = fresh);
    log.info({ networks: fresh.networks.version }, 'files put in force');
  };
  try {
    await service.start();
    await api.listen({ host: config.listen.host, port: config.listen.port });
  } catch (error) {
    await stop();
    throw error;
  }
  return { service, sync, api, verification: () => verified, reload, stop };
}

/** Spread over the first records; private addresses say nothing to a site. */
function canariesOf({ file, reader }: Mmdb): readonly Address[] {
  const found = [...addressesOfRecords(file, reader, 2000)].filter(
    (address) => ipaddr.parse(address).range() === 'unicast',
  );
  const step = Math.max(1, Math.floor(found.length / canaryCount));
  return found
    .filter((_address, index) => index % step === 0)
    .slice(0, canaryCount)
    .map(parseAddress)
    .filter((address) => address !== undefined);
}

async function text(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new FilesError([`${path}: cannot be read (${code}); check the path and its permissions`]);
  }
}

function take<T>(loaded: Loaded<T>): T {
  if (loaded.kind === 'refused') throw new FilesError(loaded.problems.map(formatProblem));
  return loaded.value;
}

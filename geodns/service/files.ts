/** Every file of the service, read and checked before anything is started. */
import { readFile } from 'node:fs/promises';
import ipaddr from 'ipaddr.js';
import { type Address, parseAddress } from '../address.ts';
import { loadTokens, type Tokens } from '../api/tokens.ts';
import { geoLookup, type GeoLookup, type Mmdb, openMmdb } from '../mmdb/geo.ts';
import { addressesOfRecords } from '../mmdb/walk.ts';
import { loadNetworks, type Networks } from '../networks/load.ts';
import type { Site } from '../powerdns/site.ts';
import { loadRules } from '../rules/load.ts';
import type { Rules } from '../rules/model.ts';
import { formatProblem, type Loaded } from '../yaml-file.ts';
import { type GeoDnsConfig, loadConfig } from './config.ts';
import type { RulesTexts } from './revisions.ts';

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

/** A database in use, by its own word. */
export interface Database {
  readonly path: string;
  readonly builtAt: Date;
  /** The ASN database alone: who its users are (users.ts). */
  readonly asnDatabase?: Mmdb;
}

export interface Files {
  readonly config: GeoDnsConfig;
  readonly networks: Networks;
  readonly rules: Rules;
  readonly lookup: GeoLookup;
  readonly databases: readonly Database[];
  /** Users that the databases know: what sites are asked about. */
  readonly canaries: readonly Address[];
  readonly tokens: Tokens;
  readonly sites: readonly [Site, ...Site[]];
  /** As they were read. */
  readonly texts: RulesTexts;
}

/** Reads and checks every file. Throws a FilesError, or an MmdbError for a database. */
export async function readFiles(configPath: string): Promise<Files> {
  const config = take(loadConfig(configPath, await text(configPath)));
  const texts = { networks: await text(config.networks), rules: await text(config.rules) };
  const networks = take(loadNetworks(config.networks, texts.networks));
  const rules = take(loadRules(config.rules, texts.rules, networks));
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
    databases: [
      { path: asn.path, builtAt: asn.builtAt, asnDatabase: asn },
      { path: country.path, builtAt: country.builtAt },
    ],
    canaries: canariesOf(asn),
    tokens,
    sites: [primary, ...secondaries],
    texts,
  };
}

/**
 * An older build under a newer name is a mistake more often than a wish; to go back, restart. Throws a FilesError.
 */
export function refuseOlder(inUse: readonly Database[], fresh: readonly Database[]): void {
  const lines = fresh.flatMap(({ path, builtAt }, index) => {
    const before = inUse[index]?.builtAt ?? builtAt;
    return builtAt >= before
      ? []
      : [
          `${path}: built at ${builtAt.toISOString()}, before the one in use (${before.toISOString()}); to go back, restart`,
        ];
  });
  if (lines.length > 0) throw new FilesError(lines);
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

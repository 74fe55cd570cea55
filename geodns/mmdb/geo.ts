/** What the GeoIP databases say of an address, in the layout that PowerDNS reads too. */
import { readFile } from 'node:fs/promises';
import { Reader, type Response } from 'maxmind';
import { type Address, formatAddress } from '../address.ts';
import { addressesOfRecords } from './walk.ts';

/** null: the databases have nothing. Codes in capitals; a subdivision is `CN-GD`. */
export interface GeoFacts {
  readonly asn: number | null;
  readonly organisation: string | null;
  readonly country: string | null;
  readonly subdivision: string | null;
  readonly continent: string | null;
}

export const nothingKnown: GeoFacts = {
  asn: null,
  organisation: null,
  country: null,
  subdivision: null,
  continent: null,
};

/** Facts of an address. Pure while the databases stay the same; a new file means a new function. */
export type GeoLookup = (address: Address) => GeoFacts;

export interface Mmdb {
  readonly path: string;
  readonly type: string;
  readonly builtAt: Date;
  readonly nodes: number;
  readonly file: Buffer;
  readonly reader: Reader<Response>;
}

/** What PowerDNS reads from a database, by fixed paths; a flat layout (`country_code`) is silently useless to it. */
export type MmdbUse = 'asn' | 'country';

export class MmdbError extends Error {
  readonly code: 'mmdb-unreadable' | 'mmdb-broken' | 'mmdb-layout';
  constructor(code: MmdbError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'MmdbError';
    this.code = code;
  }
}

/** Reads the whole file into memory, so that a later change of the file cannot reach it. Throws an MmdbError. */
export async function openMmdb(path: string, use: MmdbUse): Promise<Mmdb> {
  let file: Buffer;
  try {
    file = await readFile(path);
  } catch (error) {
    throw new MmdbError('mmdb-unreadable', `${path} cannot be read; check its name and permissions`, error);
  }
  return mmdbOf(path, file, use);
}

/** The same from bytes. */
export function mmdbOf(path: string, file: Buffer, use: MmdbUse): Mmdb {
  let reader: Reader<Response>;
  let fits: boolean;
  try {
    reader = new Reader<Response>(file);
    const { nodeCount, searchTreeSize } = reader.metadata;
    if (nodeCount < 1 || searchTreeSize + 16 >= file.length)
      throw new RangeError('the search tree is cut short');
    fits = [...addressesOfRecords(file, reader, 200)].some((text) => has(reader.get(text), use));
  } catch (error) {
    throw new MmdbError(
      'mmdb-broken',
      `${path} is not a whole MMDB; fetch it again, the old one stays in use`,
      error,
    );
  }
  const { databaseType, buildEpoch, nodeCount } = reader.metadata;
  if (!fits)
    throw new MmdbError(
      'mmdb-layout',
      `${path} (${databaseType}) has no ${use === 'asn' ? 'autonomous_system_number' : 'country.iso_code'} where PowerDNS looks for it; use a database in MaxMind's layout`,
    );
  return { path, type: databaseType, builtAt: buildEpoch, nodes: nodeCount, file, reader };
}

function has(record: unknown, use: MmdbUse): boolean {
  return use === 'asn' ? asnOf(record) !== null : codeAt(record, 'country', 'iso_code') !== null;
}

/** One look-up over the ASN database and, where there is one, the country or city database. */
export function geoLookup(asnDb: Mmdb | null, countryDb: Mmdb | null): GeoLookup {
  return (address) => {
    const text = formatAddress(address);
    const network: unknown = asnDb?.reader.get(text) ?? null;
    const place: unknown = countryDb?.reader.get(text) ?? null;
    const country = codeAt(place, 'country', 'iso_code');
    const division = codeAt(at(at(place, 'subdivisions'), '0'), 'iso_code');
    return {
      asn: asnOf(network),
      organisation: textAt(network, 'autonomous_system_organization'),
      country,
      subdivision: country === null || division === null ? null : `${country}-${division}`,
      continent: codeAt(place, 'continent', 'code'),
    };
  };
}

/** A number as the format has it; text such as "64500" is nothing, as for PowerDNS. */
function asnOf(record: unknown): number | null {
  const found = at(record, 'autonomous_system_number');
  return typeof found === 'number' && found > 0 ? found : null;
}

function codeAt(record: unknown, ...keys: readonly string[]): string | null {
  const found = textAt(record, ...keys);
  return found === null ? null : found.toUpperCase();
}

function textAt(record: unknown, ...keys: readonly string[]): string | null {
  let value = record;
  for (const key of keys) value = at(value, key);
  return typeof value === 'string' && value !== '' ? value : null;
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

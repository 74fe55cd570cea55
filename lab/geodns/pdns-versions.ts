/** The PowerDNS servers that tests can run on: the system's, and those that `lab/fetch-pdns` has unpacked. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, packageFolder } from '../bird-versions.ts';

export interface PowerDnsProgram {
  /** As PowerDNS prints it, such as `4.7.3`. */
  readonly version: string;
  /** Program files; both run as they are, from any folder. */
  readonly server: string;
  readonly control: string;
  /** Folder of its backends; null: the one that it was built with. */
  readonly modules: string | null;
  /** Tables of the sqlite backend. */
  readonly schema: string;
}

const systemSchema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

/** All versions found, oldest first; of two of the same version the system's. Nothing is fetched. */
export function powerDnsVersions(): readonly PowerDnsProgram[] {
  const found = new Map(fetchedVersions().map((each) => [each.version, each]));
  const own = systemProgram();
  if (own !== null) found.set(own.version, own);
  return [...found.values()].toSorted((a, b) => compareVersions(a.version, b.version));
}

/** null: not installed. */
export function systemProgram(): PowerDnsProgram | null {
  const server = '/usr/sbin/pdns_server';
  if (!existsSync(server)) return null;
  // It prints its version on stderr and ends with 99.
  const { stderr, stdout } = spawnSync(server, ['--version'], { encoding: 'utf8' });
  const version = /Authoritative Server (\d+\.\d+\.\d+)/.exec(stdout + stderr)?.[1];
  if (version === undefined) return null;
  return { version, server, control: '/usr/bin/pdns_control', modules: null, schema: systemSchema };
}

function fetchedVersions(): readonly PowerDnsProgram[] {
  const folder = join(packageFolder(), '.cache', 'pdns');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((version) => {
    const at = (name: string): string => join(folder, version, name);
    if (!existsSync(at('pdns_server'))) return [];
    return [
      {
        version,
        server: at('pdns_server'),
        control: at('pdns_control'),
        modules: at('modules'),
        schema: at('schema.sqlite3.sql'),
      },
    ];
  });
}

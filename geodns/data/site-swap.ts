/** One site from one set to another: files in place, PowerDNS told, and believed only when its answers are right. */
import { execa } from 'execa';
import type { Address } from '../address.ts';
import type { GeoLookup } from '../mmdb/geo.ts';
import { serverOf } from '../powerdns/client.ts';
import type { Site } from '../powerdns/site.ts';
import { geoCheck } from '../service/verify.ts';
import type { RefreshSite } from './config.ts';
import { reloadPowerDns } from './control-socket.ts';
import type { Paths } from './judge-run.ts';
import { pointAt } from './sets.ts';
import { messageOf } from '../../src/types/message-of.ts';

/** What a site shall answer, and with which files. */
export interface Aim {
  readonly id: string;
  readonly files: Paths;
  readonly lookup: GeoLookup;
  readonly canaries: readonly Address[];
}

export interface SiteWork {
  readonly site: Site;
  readonly way: RefreshSite;
  readonly zone: string;
  readonly patienceMillis: number;
  readonly signal: AbortSignal;
}

export class RollOutError extends Error {
  override readonly name = 'RollOutError';
  readonly code = 'geoip-site';
}

/** Rejects with a RollOutError when the site does not answer as the databases say within the patience. */
export async function bringTo(work: SiteWork, aim: Aim): Promise<void> {
  if (work.signal.aborted) throw new RollOutError(`${work.site.name}: we were told to stop`);
  try {
    if (work.way.files !== undefined) await pointAt(work.way.files, aim.files);
    await activate(work, aim);
  } catch (error) {
    const why = messageOf(error);
    throw new RollOutError(`${work.site.name}: the databases could not be put there: ${why}`, {
      cause: error,
    });
  }
  const wrong = await untilRight(work, aim);
  if (wrong !== null) throw new RollOutError(wrong);
}

async function activate({ site, way, signal }: SiteWork, aim: Aim): Promise<void> {
  if (way.control !== undefined) {
    await refuseReload(site);
    await reloadPowerDns(way.control);
    return;
  }
  const [program = '', ...args] = way.command ?? [];
  await execa(program, args, {
    env: {
      CAUSEWAY_GEOIP_SITE: site.name,
      CAUSEWAY_GEOIP_ASN: aim.files.asn,
      CAUSEWAY_GEOIP_COUNTRY: aim.files.country,
    },
    stdin: 'ignore',
    timeout: 600_000,
    cancelSignal: signal,
    forceKillAfterDelay: 1000,
    maxBuffer: 100_000,
  });
}

/** Before 4.9 a reload under load ends PowerDNS (upstream 17158): it reads and replaces databases without a lock. */
async function refuseReload(site: Site): Promise<void> {
  const { version } = await serverOf(site.api);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 4 || (major === 4 && minor < 9))
    throw new Error(
      `PowerDNS ${version} may die of a reload; give a command that restarts it instead of control`,
    );
}

const pauseMillis = 100;

/** null: every answer is as our databases say; else the last wrong one, when the patience is over. */
async function untilRight(work: SiteWork, { lookup, canaries }: Aim): Promise<string | null> {
  const deadline = performance.now() + work.patienceMillis;
  for (;;) {
    const wrong = await firstWrong(work, lookup, canaries);
    if (wrong === null || performance.now() > deadline) return wrong;
    if (work.signal.aborted) return `${work.site.name}: we were told to stop`;
    await new Promise((resolve) => setTimeout(resolve, pauseMillis));
  }
}

async function firstWrong(
  { site, zone, signal }: SiteWork,
  lookup: GeoLookup,
  canaries: readonly Address[],
): Promise<string | null> {
  for (const address of canaries) {
    if (signal.aborted) return `${site.name}: we were told to stop`;
    const wrong = await geoCheck(site, zone, address, lookup);
    if (wrong !== null) return wrong;
  }
  return null;
}

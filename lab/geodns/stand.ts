/**
 * Three sites on loopback: a primary and two secondaries, each a real PowerDNS with a database of its own, kept equal by
 * AXFR. Everything lies in one temporary folder and on addresses of its own, so that several stands can run side by side.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { ask, type DnsServer } from '../../geodns/dns/ask.ts';
import type { PowerDnsApi } from '../../geodns/powerdns/client.ts';

export interface StandSite {
  readonly name: string;
  readonly dns: DnsServer;
  readonly api: PowerDnsApi;
  /** Kills it without warning, as a crash does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  log(): Promise<string>;
}

export interface Stand {
  readonly folder: string;
  readonly version: string;
  /** The primary first. */
  readonly sites: readonly [StandSite, StandSite, StandSite];
  readonly mmdb: { readonly asn: string; readonly country: string };
  stop(): Promise<void>;
}

const schemaFile = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';
const port = 5300;
const apiPort = 8081;
const siteNames = ['hkg', 'tyo', 'sin'] as const;

/** `mmdb`: bytes of the databases that all sites read. Throws, with PowerDNS's own words, when a site does not start. */
export async function startStand(mmdb: { readonly asn: Buffer; readonly country: Buffer }): Promise<Stand> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-geodns-'));
  const net = `127.${randomInt(100, 200)}.${randomInt(1, 255)}`;
  const files = { asn: join(folder, 'asn.mmdb'), country: join(folder, 'country.mmdb') };
  await writeFile(files.asn, mmdb.asn);
  await writeFile(files.country, mmdb.country);
  const version = await powerDnsVersion();
  const started: StandSite[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((site) => site.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const sites = siteNames.map((name, index) =>
      siteOf({ name, folder: join(folder, name), net, index, mmdb: [files.asn, files.country], version }),
    );
    started.push(...sites);
    await Promise.all(sites.map((site) => site.start()));
    const [primary, first, second] = sites;
    if (primary === undefined || first === undefined || second === undefined)
      throw new Error('three sites are needed');
    return { folder, version, sites: [primary, first, second], mmdb: files, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function powerDnsVersion(): Promise<string> {
  const { stderr, stdout } = await execa('pdns_server', ['--version'], { reject: false });
  const found = /Authoritative Server (\d+\.\d+\.\d+)/.exec(stdout + stderr)?.[1];
  if (found === undefined)
    throw new Error('pdns_server says no version; install pdns-server (lab/setup does)');
  return found;
}

interface SitePlan {
  readonly name: string;
  readonly folder: string;
  readonly net: string;
  readonly index: number;
  readonly mmdb: readonly string[];
  readonly version: string;
}

function siteOf(plan: SitePlan): StandSite {
  const host = `${plan.net}.${plan.index + 1}`;
  const dns = { host, port };
  const logFile = join(plan.folder, 'pdns.log');
  let child: ChildProcess | null = null;
  const log = (): Promise<string> => readFile(logFile, 'utf8').catch(() => '');
  return {
    name: plan.name,
    dns,
    api: { url: `http://${host}:${apiPort}`, key: `key-of-${plan.name}` },
    log,
    async start() {
      await prepare(plan);
      const sink = await open(logFile, 'a');
      child = spawn('setpriv', ['--pdeathsig', 'KILL', 'pdns_server', `--config-dir=${plan.folder}`], {
        stdio: ['ignore', sink.fd, sink.fd],
      });
      await sink.close();
      await untilItAnswers(child, dns, log);
    },
    async kill() {
      const running = child;
      child = null;
      if (running === null || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await ended;
    },
  };
}

async function prepare(plan: SitePlan): Promise<void> {
  await mkdir(plan.folder, { recursive: true });
  const database = join(plan.folder, 'zones.sqlite3');
  await writeFile(join(plan.folder, 'empty.yml'), 'domains: []\n');
  await writeFile(join(plan.folder, 'pdns.conf'), configOf(plan, database));
  const tables = await execa('sqlite3', [database, '.tables']);
  if (tables.stdout.trim() === '') await execa('sqlite3', [database], { inputFile: schemaFile });
}

/** The settings that answers and safety depend on are those of the product's documentation. */
function configOf({ name, folder, net, index, mmdb, version }: SitePlan, database: string): string {
  const host = `${net}.${index + 1}`;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const lines = [
    'launch=gsqlite3,geoip',
    `gsqlite3-database=${database}`,
    `geoip-database-files=${mmdb.join(' ')}`,
    `geoip-zones-file=${join(folder, 'empty.yml')}`,
    `local-address=${host}`,
    `local-port=${port}`,
    `query-local-address=${host}`,
    'edns-subnet-processing=yes',
    'enable-lua-records=shared',
    'lua-records-exec-limit=0',
    'query-cache-ttl=1',
    'negquery-cache-ttl=1',
    'cache-ttl=0',
    'max-queue-length=200000',
    'overload-queue-length=0',
    'primary=yes',
    'secondary=yes',
    'xfr-cycle-interval=60',
    `allow-axfr-ips=${net}.0/24`,
    `allow-notify-from=${net}.0/24`,
    'api=yes',
    `api-key=key-of-${name}`,
    'webserver=yes',
    `webserver-address=${host}`,
    `webserver-port=${apiPort}`,
    'webserver-allow-from=127.0.0.0/8',
    `socket-dir=${folder}`,
    'guardian=no',
    'daemon=no',
    'zone-cache-refresh-interval=0',
    'receiver-threads=1',
    'distributor-threads=2',
  ];
  if (index === 0) lines.push(`also-notify=${net}.2:${port}, ${net}.3:${port}`);
  if (major > 5 || (major === 5 && minor >= 1)) lines.push('enable-lua-record-updates=yes');
  return `${lines.join('\n')}\n`;
}

async function untilItAnswers(
  child: ChildProcess,
  dns: DnsServer,
  log: () => Promise<string>,
): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`PowerDNS ended at once (${child.exitCode}):\n${(await log()).slice(-2000)}`);
    try {
      await ask(dns, 'version.bind.', 'TXT', { timeoutMillis: 200 });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error('PowerDNS did not answer within 20 s', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

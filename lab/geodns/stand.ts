/**
 * Three sites on loopback: a primary and two secondaries, each a real PowerDNS with a database of its own, kept equal by
 * AXFR. Everything lies in one temporary folder and on addresses of its own, so that several stands can run side by side.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { ask, type DnsServer } from '../../geodns/dns/ask.ts';
import type { PowerDnsApi } from '../../geodns/powerdns/client.ts';
import { needsLuaUpdates, parseVersion } from '../../geodns/powerdns/version.ts';
import { type PowerDnsProgram, systemProgram } from './pdns-versions.ts';

export interface StandSite {
  readonly name: string;
  readonly dns: DnsServer;
  readonly api: PowerDnsApi;
  /** The GeoIP databases that it reads. */
  readonly mmdb: MmdbFiles;
  /** Its own folder, with its zones. */
  readonly folder: string;
  /** null while it does not run. */
  pid(): number | null;
  /** A command of `pdns_control`; returns what it says. */
  control(command: string): Promise<string>;
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
  /** Those that the sites share, and the service reads. */
  readonly mmdb: MmdbFiles;
  stop(): Promise<void>;
}

export interface MmdbFiles {
  readonly asn: string;
  readonly country: string;
}

export interface StandOptions {
  /** Without it the system's. */
  readonly program?: PowerDnsProgram;
  /** Of the secondaries, where it is another. */
  readonly secondaries?: PowerDnsProgram;
  /** Each site reads databases of its own. */
  readonly ownMmdb?: boolean;
  /** More lines of a site's pdns.conf; the last of two for one setting counts. */
  readonly settings?: (site: string) => readonly string[];
  /** Called with each site's empty folder before anything is in it. */
  readonly folderReady?: (site: string, folder: string) => Promise<void>;
}

const port = 5300;
const apiPort = 8081;
const siteNames = ['hkg', 'tyo', 'sin'] as const;

/** `mmdb`: bytes of the databases. Throws, with PowerDNS's own words, when a site does not start. */
export async function startStand(
  mmdb: { readonly asn: Buffer; readonly country: Buffer },
  options: StandOptions = {},
): Promise<Stand> {
  const program = options.program ?? systemProgram();
  if (program === null) throw new Error('pdns_server is missing; install pdns-server (lab/setup does)');
  const folder = await mkdtemp(join(tmpdir(), 'causeway-geodns-'));
  const net = `127.${randomInt(100, 200)}.${randomInt(1, 255)}`;
  const shared = await writeMmdbFiles(folder, mmdb);
  const started: StandSite[] = [];
  // A lab that ends by a signal comes here alone; its sites end with it.
  const leave = (): void => rmSync(folder, { recursive: true, force: true });
  process.on('exit', leave);
  const stop = async (): Promise<void> => {
    process.off('exit', leave);
    await Promise.all(started.map((site) => site.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const [index, name] of siteNames.entries()) {
      const own = join(folder, name);
      await mkdir(own, { recursive: true });
      await options.folderReady?.(name, own);
      const files = options.ownMmdb === true ? await writeMmdbFiles(own, mmdb) : shared;
      const runs = index === 0 ? program : (options.secondaries ?? program);
      const settings = options.settings?.(name) ?? [];
      started.push(siteOf({ name, folder: own, net, index, mmdb: files, program: runs, settings }));
    }
    await Promise.all(started.map((site) => site.start()));
    const [primary, first, second] = started;
    if (primary === undefined || first === undefined || second === undefined)
      throw new Error('three sites are needed');
    return { folder, version: program.version, sites: [primary, first, second], mmdb: shared, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeMmdbFiles(
  folder: string,
  { asn, country }: { readonly asn: Buffer; readonly country: Buffer },
): Promise<MmdbFiles> {
  const files = { asn: join(folder, 'asn.mmdb'), country: join(folder, 'country.mmdb') };
  await writeFile(files.asn, asn);
  await writeFile(files.country, country);
  return files;
}

interface SitePlan {
  readonly name: string;
  readonly folder: string;
  readonly net: string;
  readonly index: number;
  readonly mmdb: MmdbFiles;
  readonly program: PowerDnsProgram;
  readonly settings: readonly string[];
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
    mmdb: plan.mmdb,
    folder: plan.folder,
    log,
    pid: () => child?.pid ?? null,
    async control(command) {
      const { stdout } = await execa(plan.program.control, [
        `--config-dir=${plan.folder}`,
        `--socket-dir=${plan.folder}`,
        command,
      ]);
      return stdout;
    },
    async start() {
      await prepare(plan);
      const sink = await open(logFile, 'a');
      const argv = ['--pdeathsig', 'KILL', plan.program.server, `--config-dir=${plan.folder}`];
      child = spawn('setpriv', argv, { stdio: ['ignore', sink.fd, sink.fd] });
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
  const database = join(plan.folder, 'zones.sqlite3');
  await writeFile(join(plan.folder, 'empty.yml'), 'domains: []\n');
  await writeFile(join(plan.folder, 'pdns.conf'), configOf(plan, database));
  const tables = await execa('sqlite3', [database, '.tables']);
  if (tables.stdout.trim() === '') await execa('sqlite3', [database], { inputFile: plan.program.schema });
}

/** The settings that answers and safety depend on are those of the product's documentation. */
function configOf({ name, folder, net, index, mmdb, program, settings }: SitePlan, database: string): string {
  const host = `${net}.${index + 1}`;
  const version = parseVersion(program.version);
  const lines = [
    'launch=gsqlite3,geoip',
    `gsqlite3-database=${database}`,
    'gsqlite3-pragma-synchronous=1',
    `geoip-database-files=${mmdb.asn} ${mmdb.country}`,
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
  if (program.modules !== null) lines.push(`module-dir=${program.modules}`);
  if (version !== null && needsLuaUpdates(version)) lines.push('enable-lua-record-updates=yes');
  return `${[...lines, ...settings].join('\n')}\n`;
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

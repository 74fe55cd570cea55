/** Files and sockets → a running service. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { changeTls, readTls, type TlsPair, watchTls } from '../api/listener.ts';
import { buildApi } from '../api/server.ts';
import { openData, startData, stopData } from '../data/parts.ts';
import { presentRecords } from '../powerdns/site.ts';
import { foreignText, highestSerial, Sync } from '../powerdns/sync.ts';
import { writerOf } from '../render/zone.ts';
import { packageVersion } from '../../src/host/package-version.ts';
import { type Files, refuseOlder } from './files.ts';
import { RevisionStore, revisionsFolder } from './revisions.ts';
import { RulesDesk } from './rules-desk.ts';
import { takeFolder } from './lock.ts';
import { GeoDnsService } from './service.ts';
import { openStateStore, type StateStore } from './store.ts';
import { type TrafficOf, Users } from './users.ts';
import { Verifier } from './verifier.ts';
import type { Verification } from './verify.ts';
import { writerNameOf } from './writer.ts';

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
  /** Asks them again now. */
  verifyNow(): void;
  /** Puts changed files in force, all or none. Rejects with a FilesError or MmdbError, and changes nothing. */
  reload(files: Files): Promise<void>;
  stop(): Promise<void>;
}

/** The zone is written by the service of another folder, which may know what ours does not. */
export class ZoneTakenError extends Error {
  override readonly name = 'ZoneTakenError';
}

/**
 * Opens the journal, publishes what it says, and listens. Throws a FolderTakenError when another one does, and a
 * ZoneTakenError when the zone is another folder's and `takeOver` is not said.
 */
export async function startGeoDns(
  files: Files,
  log: ComposeLog,
  { takeOver = false }: { readonly takeOver?: boolean } = {},
): Promise<Running> {
  const { config, sites } = files;
  const tls = await openTls(files, log);
  const giveBack = await takeFolder(config.state);
  const writer = await writerFor(files, takeOver).catch(async (error: unknown) => {
    await giveBack();
    throw error;
  });
  const sync = new Sync(sites, log, { writer, takeOver });
  const service = await openService(files, sync, writer, log);
  const verifier = new Verifier(service, sync, sites, files.canaries, log);
  const verification = (): Verification | null => verifier.last;
  const data = await openData(files, service, (asked) => verifier.ask(asked), log);
  const { users, desk } = await openDesk(files, service, () => data.statistics.trafficByAsn(), log);
  const api = await buildApi({
    service,
    sync,
    tokens: files.tokens,
    verification,
    desk,
    users,
    data,
    tls: tls?.pair ?? null,
    version: packageVersion(),
    logError: (error, message) => log.error({ error: String(error) }, message),
  });
  const certificate = tls?.watch(api) ?? null;
  service.events.follow((event) => {
    log.info({ event: event.kind, text: event.text }, 'event');
    if (event.kind === 'revision') verifier.poke();
  });
  const stop = async (): Promise<void> => {
    certificate?.end();
    await api.close();
    await stopData(data, service);
    await verifier.stop();
    await service.stop();
    await sync.stop();
    await giveBack();
  };
  const reload = async (fresh: Files): Promise<void> => {
    await adoptFiles(fresh, service, desk);
    await certificate?.look();
    verifier.ask(fresh.canaries);
    log.info({ networks: fresh.networks.version }, 'files put in force');
  };
  try {
    await desk.adopt(files.texts, 'found in the files at a start', () => service.start());
    await api.listen({ host: config.listen.host, port: config.listen.port });
    await startData(data, service);
  } catch (error) {
    await stop();
    throw error;
  }
  return { service, sync, api, verification, verifyNow: () => verifier.poke(), reload, stop };
}

async function openService(
  { config, rules, networks, lookup, databases, sites }: Files,
  publisher: Sync,
  writer: string,
  log: ComposeLog,
): Promise<GeoDnsService> {
  const store = await openStore(config.state, log);
  return new GeoDnsService({
    rules,
    networks,
    lookup,
    databases,
    store,
    publisher,
    nowMillis: () => Date.now(),
    revisionAbove: await highestSerial(sites, rules.zone),
    writer,
  });
}

async function adoptFiles(
  { rules, networks, lookup, databases, texts }: Files,
  service: GeoDnsService,
  desk: RulesDesk,
): Promise<void> {
  refuseOlder(service.parts.databases, databases);
  await desk.adopt(texts, 'the files were read again', () =>
    service.replace({ rules, networks, lookup, databases }),
  );
}

/** The name that we write zones under. */
async function writerFor(files: Files, takeOver: boolean): Promise<string> {
  const writer = await writerNameOf(files.config.state);
  if (!takeOver) await refuseForeignZone(files, writer);
  return writer;
}

/** A primary that cannot be asked now is asked before the first writing. */
async function refuseForeignZone({ sites: [primary], rules }: Files, writer: string): Promise<void> {
  const present = await presentRecords(primary, rules.zone).catch(() => null);
  const found = present === null ? null : writerOf(present);
  if (found !== null && found !== writer) throw new ZoneTakenError(foreignText(found));
}

interface Tls {
  readonly pair: TlsPair;
  /** New connections of the API get the pair that the files hold, whenever they change. */
  watch(api: FastifyInstance): ReturnType<typeof watchTls>;
}

/** null: plain HTTP. Throws a TlsError. */
async function openTls({ config: { tls } }: Files, log: ComposeLog): Promise<Tls | null> {
  if (tls === undefined) return null;
  const files = { certFile: tls.cert_file, keyFile: tls.key_file };
  return {
    pair: await readTls(files),
    watch: (api) =>
      watchTls(
        files,
        (pair) => {
          changeTls(api.server, pair);
          log.info({ certificate: files.certFile }, 'new connections get the new certificate');
        },
        (error) => log.error({ error: String(error) }, 'the certificate was not exchanged'),
      ),
  };
}

async function openDesk(
  { config }: Files,
  service: GeoDnsService,
  trafficOf: TrafficOf,
  log: ComposeLog,
): Promise<{ readonly desk: RulesDesk; readonly users: Users }> {
  const revisions = await RevisionStore.open(revisionsFolder(config.state));
  if (revisions.damaged.length > 0)
    log.warn({ files: revisions.damaged }, 'some revisions cannot be read and are left out');
  const paths = { rules: config.rules, networks: config.networks };
  const users = new Users(service, trafficOf);
  const desk = new RulesDesk(service, revisions, paths, users, (error, message) =>
    log.error({ error: String(error) }, message),
  );
  return { desk, users };
}

async function openStore(folder: string, log: ComposeLog): Promise<StateStore> {
  const store = await openStateStore(join(folder, 'journal'));
  if (store.damage.tornBytes + store.damage.damagedLines.length + store.damage.foreign > 0)
    log.warn({ ...store.damage }, 'the journal had parts that could not be used');
  return store;
}

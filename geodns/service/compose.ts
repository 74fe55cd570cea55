/** Files and sockets → a running service. */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { buildApi } from '../api/server.ts';
import { highestSerial, Sync } from '../powerdns/sync.ts';
import { type Files, refuseOlder } from './files.ts';
import { takeFolder } from './lock.ts';
import { GeoDnsService } from './service.ts';
import { openStateStore, type StateStore } from './store.ts';
import { Verifier } from './verifier.ts';
import type { Verification } from './verify.ts';

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

/** Opens the journal, publishes what it says, and listens. Throws a FolderTakenError when another one does. */
export async function startGeoDns(files: Files, log: ComposeLog): Promise<Running> {
  const { config, networks, rules, lookup, tokens, sites } = files;
  const giveBack = await takeFolder(config.state);
  const store = await openStore(config.state, log);
  const sync = new Sync(sites, log);
  const revisionAbove = await highestSerial(sites, rules.zone);
  const service = new GeoDnsService({
    rules,
    networks,
    lookup,
    databases: files.databases,
    store,
    publisher: sync,
    nowMillis: () => Date.now(),
    revisionAbove,
  });
  const verifier = new Verifier(service, sync, sites, files.canaries, log);
  const verification = (): Verification | null => verifier.last;
  const logError = (error: unknown, message: string): void => log.error({ error: String(error) }, message);
  const api = buildApi({ service, sync, tokens, verification, logError });
  service.events.follow((event) => {
    log.info({ event: event.kind, text: event.text }, 'event');
    if (event.kind === 'revision') verifier.poke();
  });
  const stop = async (): Promise<void> => {
    await api.close();
    await verifier.stop();
    await service.stop();
    await sync.stop();
    await giveBack();
  };
  const reload = async (fresh: Files): Promise<void> => {
    refuseOlder(service.parts.databases, fresh.databases);
    await service.replace({
      rules: fresh.rules,
      networks: fresh.networks,
      lookup: fresh.lookup,
      databases: fresh.databases,
    });
    verifier.ask(fresh.canaries);
    log.info({ networks: fresh.networks.version }, 'files put in force');
  };
  try {
    await service.start();
    await api.listen({ host: config.listen.host, port: config.listen.port });
  } catch (error) {
    await stop();
    throw error;
  }
  return { service, sync, api, verification, reload, stop };
}

async function openStore(folder: string, log: ComposeLog): Promise<StateStore> {
  const store = await openStateStore(join(folder, 'journal'));
  if (store.damage.tornBytes + store.damage.damagedLines.length + store.damage.foreign > 0)
    log.warn({ ...store.damage }, 'the journal had parts that could not be used');
  return store;
}

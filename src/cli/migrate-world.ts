/** What `causeway migrate` does to BIRD and the disk. */
import { chmod, chown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { configure, confirm, settle } from '../../bird/apply/configure.ts';
import { readPasswords } from '../../bird/apply/passwords.ts';
import { syntaxProblem } from '../../bird/apply/syntax-problem.ts';
import type { MigrateWorld, Texts } from '../../bird/adopt/migrate-plan.ts';
import type { BirdClient } from '../../bird/client.ts';
import { disable } from '../../bird/commands.ts';
import { type FileState, readStates } from '../../bird/file-states.ts';
import { checkSyntax, discardStaged, stageOwned, writeOwned } from '../../bird/owned-file.ts';
import { wayToBird } from '../../bird/open.ts';
import { readBird } from '../../bird/read.ts';
import { readExported } from '../../bird/read-routes.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { announcementsOf, defaultStates } from '../../bird/render/parts.ts';
import { fileWords } from '../core/plan/file-words.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import type { BirdSeen } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { announceName, drainName } from '../types/protocol-names.ts';
import { instant } from '../types/units.ts';
import { isMissing, type MigrateJournal, readJournal } from './migrate-journal.ts';

export interface MigrateOptions {
  readonly client: BirdClient;
  readonly config: NodeConfig;
  readonly uplink: string;
  /** Uplinks whose sessions have Causeway's names already. */
  readonly ours: readonly string[];
  readonly confPath: string;
  readonly journal: string;
  readonly bird: string;
}

/** A session that was closed may take its error wait and the carrier's to come back. */
const lookLimitMillis = 90_000;
const nextLookMillis = 200;
const author = 'causeway migrate';

export function migrateWorld(options: MigrateOptions): MigrateWorld {
  const { client, config } = options;
  const ownedPath = config.bird.config;
  let deadline = 0;
  return {
    look: () => lookAt(client, config),
    texts: () => textsOf(options),
    render: (state) => rendered(options, state),
    check: (texts) => checked(options, texts),
    async keep(texts) {
      const kept: MigrateJournal = { schema: 1, uplink: options.uplink, conf: options.confPath, texts };
      await writeAtomic(options.journal, JSON.stringify(kept), 0o600);
    },
    async put({ conf, owned }) {
      // What is included comes first: a text that includes what is not there would be refused.
      if (owned !== null) await writeOwned(ownedPath, owned);
      await replaceKeeping(options.confPath, conf);
    },
    restore: () => restoreKept(options.journal, ownedPath),
    forget: () => rm(options.journal, { force: true }),
    async configure(undoSeconds) {
      await configure(client, undoSeconds);
      deadline = performance.now() + lookLimitMillis;
    },
    async confirm() {
      await settle(client);
      return (await confirm(client)) === 'confirmed';
    },
    exported: (session, prefix, isUp) => readExported(client, session, prefix, isUp),
    async disable(protocol) {
      await disable(client, protocol, `returned by ${author}`);
      deadline = performance.now() + lookLimitMillis;
    },
    async waitForNextLook() {
      if (performance.now() > deadline) return false;
      await pause(nextLookMillis);
      return true;
    },
    pause,
  };
}

/** Both files as they were kept. The text that includes goes first: what is included may be gone after it. */
export async function restoreKept(journal: string, ownedPath: string): Promise<void> {
  const kept = await readJournal(journal);
  if (kept === null) throw new Error(`${journal} is lost: the texts before the migration are not known`);
  await replaceKeeping(kept.conf, kept.texts.conf);
  if (kept.texts.owned !== null) await writeOwned(ownedPath, kept.texts.owned);
}

export async function lookAt(client: BirdClient, config: NodeConfig): Promise<BirdSeen> {
  const view = await readBird(client, wayToBird(config.bird), () => instant(performance.now()));
  if (view.kind === 'seen') return view;
  throw new Error(`${view.path}: ${view.code}: ${view.text}`);
}

async function textsOf({ confPath, config }: MigrateOptions): Promise<Texts> {
  return { conf: await readFile(confPath, 'utf8'), owned: await textOrNull(config.bird.config) };
}

async function textOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The config of the uplinks that are Causeway's by then, in the states that the file has, this uplink as it is asked for. */
async function rendered(options: MigrateOptions, state: 'announce' | 'drain'): Promise<string> {
  const names = [...options.ours, options.uplink];
  const config = {
    ...options.config,
    uplinks: options.config.uplinks.filter(({ name }) => names.includes(name)),
  };
  const read = await readPasswords(config.uplinks);
  if (read.kind === 'bad') throw new Error(read.problems.map(({ text }) => text).join('\n'));
  const known = defaultStates(config);
  const present = await textOrNull(options.config.bird.config);
  const states = new Map<string, FileState>(
    present === null ? [] : [...readStates(present)].filter(([name]) => known.has(name)),
  );
  for (const { uplink, service, family } of announcementsOf(config)) {
    if (uplink.name !== options.uplink) continue;
    const isDrained = state === 'drain';
    states.set(announceName(uplink.name, service.name, family), {
      disabled: false,
      description: `${fileWords.announced}${author}`,
    });
    states.set(drainName(uplink.name, service.name, family), {
      disabled: !isDrained,
      description: isDrained ? `${fileWords.drained}${author}` : fileWords.notDrained,
    });
  }
  return renderConfig(config, states, read.passwords);
}

/** `bird -p` of both beside the files they are to replace, so that relative includes mean the same. */
async function checked(options: MigrateOptions, { conf, owned }: Texts): Promise<string | null> {
  const ownedPath = options.config.bird.config;
  const stagedOwned = owned === null ? null : await stageOwned(ownedPath, owned);
  try {
    const text = stagedOwned === null ? conf : conf.replaceAll(`"${ownedPath}"`, () => `"${stagedOwned}"`);
    const staged = await stageOwned(options.confPath, text);
    try {
      return syntaxProblem(await checkSyntax(staged, { binary: options.bird }));
    } finally {
      await discardStaged(staged);
    }
  } finally {
    if (stagedOwned !== null) await discardStaged(stagedOwned);
  }
}

/** Replaces the operator's file atomically; mode and owner stay as they are. */
async function replaceKeeping(path: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(path);
  const staged = join(dirname(path), `.${basename(path)}.${process.pid}.migrate`);
  try {
    const file = await open(staged, 'w', 0o600);
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await chown(staged, uid, gid);
    await chmod(staged, mode & 0o7777);
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, millis);
  });
}

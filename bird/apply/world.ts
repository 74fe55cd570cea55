/** The world of an apply as it really is: BIRD by its client, the owned file, the state folder, a scratch BIRD. */
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BirdSeen } from '../../src/types/bird-view.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { instant } from '../../src/types/units.ts';
import { BirdError } from '../bird-error.ts';
import type { BirdClient } from '../client.ts';
import { type FileStates, readStates } from '../file-states.ts';
import { wayToBird } from '../open.ts';
import { checkSyntax, discardStaged, stageOwned, type SyntaxCheckOptions } from '../owned-file.ts';
import { readBird } from '../read.ts';
import { unmetNeeds, versionNeeds } from '../render/needs.ts';
import { configure, confirm, runningMark, settle, undo } from './configure.ts';
import { diffBases } from './diff.ts';
import { installedVersion } from './installed-version.ts';
import { type KeptTexts, keptTexts } from './kept-texts.ts';
import type { BaseWorld } from './put-back.ts';
import { problemsOf, sessionFactsOf } from './read-back.ts';
import { exportsOf, rehearse } from './rehearse.ts';
import type { ScratchOptions } from './scratch-bird.ts';
import type { ApplyWorld } from './sequence.ts';
import { syntaxProblem } from './syntax-problem.ts';

/** The owned file, whoever keeps it: the daemon's keeper, or a command that is alone. */
export interface BaseFile {
  readonly path: string;
  /** What stands in it, whole and ours. Throws. */
  text(): Promise<string>;
  /** Replaces it atomically. Throws, and leaves the old one then. */
  swap(text: string): Promise<void>;
}

/** BIRD undoes by itself after this, should we die: longer than the looking takes. */
const usualUndoSeconds = 90;
/** How long sessions may take to be up again: a session that was refused once waits up to 30 s. */
const lookLimitMillis = 60_000;
const nextLookMillis = 100;

export interface BaseWorldOptions {
  /** Of its own, and patient: BIRD 2 answers nothing while it parses. */
  readonly client: BirdClient;
  readonly file: BaseFile;
  readonly stateFolder: string;
}

/** For putting back alone. */
export function baseWorld({ client, file, stateFolder }: BaseWorldOptions): BaseWorld {
  const kept: KeptTexts = keptTexts(stateFolder);
  return {
    ...kept,
    fileText: () => file.text(),
    swap: (text) => file.swap(text),
    pendingUndo: async () => (await settle(client)).undoSeconds,
    runningMark: () => runningMark(client),
    configure: () => configure(client),
    undo: () => undo(client),
    wake: async () => void (await client.command('show status')),
  };
}

export interface ApplyWorldOptions extends BaseWorldOptions {
  /** The new one. */
  readonly config: NodeConfig;
  readonly render: (states: FileStates) => Promise<string>;
  /** `bird` to check and rehearse with. */
  readonly binary: string;
  /** Whether it will end with the difference. */
  readonly isDry: boolean;
  /** Of `configure timeout`. */
  readonly undoSeconds?: number;
  readonly hold: (on: boolean) => void;
  readonly isHurried: () => boolean;
}

/** For the whole of it. */
export function applyWorld(options: ApplyWorldOptions): ApplyWorld {
  const { client, file, config, render, hold, isHurried } = options;
  let wasUp: ReadonlySet<string> = new Set();
  let deadline = Infinity;
  return {
    ...baseWorld(options),
    render,
    check: (text) => checkText(text, options),
    rehearse: async (text) => rehearse(text, config, await scratchOptions(options)),
    async diff(before, after, exports) {
      const old = await exportsOf(before, readStates(after), await scratchOptions(options));
      const facts = await sessionFactsOf(client, await look(client, config));
      return diffBases({ text: before, exports: old }, { text: after, exports }, facts);
    },
    async configureTimeout() {
      await configure(client, options.undoSeconds ?? usualUndoSeconds);
      deadline = performance.now() + lookLimitMillis;
    },
    confirm: () => confirm(client),
    async remember() {
      const { protocols } = await look(client, config);
      const up = [...protocols.values()].filter(({ info }) => info === 'Established');
      wasUp = new Set(up.map(({ name }) => name));
    },
    async readBack(text, exports) {
      const states = readStates(await file.text());
      return problemsOf(client, await look(client, config), text, states, exports, wasUp);
    },
    hold,
    isHurried,
    async waitForNextLook() {
      if (performance.now() > deadline) return false;
      await new Promise((resolve) => {
        setTimeout(resolve, nextLookMillis);
      });
      return true;
    },
  };
}

/** Beside the owned file, where it is to go; a dry run leaves BIRD's folders alone. */
async function checkText(text: string, options: ApplyWorldOptions): Promise<string | null> {
  const unmet = await unmetByInstalled(options);
  if (unmet.length > 0) return unmet.join('; ');
  const check = await checkOptions(options);
  const { uid, gid } = check.user ?? { uid: -1, gid: -1 };
  const folder = options.isDry ? await mkdtemp(join(temporary(), 'causeway-check-')) : null;
  try {
    if (folder !== null) await chown(folder, uid, gid);
    const staged = await stageOwned(
      folder === null ? options.file.path : join(folder, 'causeway.conf'),
      text,
    );
    try {
      return syntaxProblem(await checkSyntax(staged, check));
    } finally {
      await discardStaged(staged);
    }
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

/** In words of the config, where `bird -p` would name a line of the text. */
async function unmetByInstalled({ config, binary, client }: ApplyWorldOptions): Promise<readonly string[]> {
  if (versionNeeds(config).length === 0) return [];
  // After an upgrade the BIRD that runs is still the old one.
  const versions = [await installedVersion(binary), client.version].filter((version) => version !== null);
  return [...new Set(versions.flatMap((version) => unmetNeeds(config, version)))];
}

function temporary(): string {
  return process.env['TMPDIR'] ?? '/tmp';
}

/** BIRD's state; throws where it cannot be asked. The time of reading plays no part here. */
async function look(client: BirdClient, { bird }: NodeConfig): Promise<BirdSeen> {
  const view = await readBird(client, wayToBird(bird), () => instant(performance.now()));
  if (view.kind === 'seen') return view;
  throw new BirdError('closed', `BIRD cannot be asked: ${view.text}`);
}

/** BIRD reads its files as its own user, which the socket's owner is; only root can be somebody else. */
async function checkOptions({ binary, config }: ApplyWorldOptions): Promise<SyntaxCheckOptions> {
  const { socket, command } = config.bird;
  if (process.geteuid?.() !== 0 || command !== null) return { binary };
  const { uid, gid } = await stat(socket);
  return { binary, user: { uid, gid } };
}

async function scratchOptions(options: ApplyWorldOptions): Promise<ScratchOptions> {
  return { ...(await checkOptions(options)), folder: temporary() };
}

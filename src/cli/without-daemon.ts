/** What is still known where the daemon does not answer: config, BIRD, the owned file, and what lies in the state folder. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type FileStates, NotOwnedError, readStates } from '../../bird/file-states.ts';
import { wayToBird } from '../../bird/open.ts';
import { loadConfig } from '../config/load.ts';
import { configuredState } from '../core/views.ts';
import { historyFolder, readHistoryFiles } from '../store/history-files.ts';
import type { BirdSeen, BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { messageOf } from '../types/message-of.ts';
import { announceName, drainName, sessionName } from '../types/protocol-names.ts';
import { families, type Family } from '../types/units.ts';
import type { AnnounceState, SeenState } from '../types/wire/enums.ts';
import type { HistoryEntry } from '../types/wire/history.ts';
import { overrideStatus, type OverrideStatus } from '../types/wire/status.ts';
import type { WithoutDaemon } from '../types/wire/without-daemon.ts';
import { readBirdOnce } from './bird-once.ts';

const lastEntries = 10;
const keptOverrides = z.object({ overrides: z.array(overrideStatus) });

/** `tried`: a line for each address of the daemon. `uplink`: entries of the history about it alone. Never rejects. */
export async function lookWithoutDaemon(
  file: string,
  tried: string,
  uplink: string | null = null,
): Promise<WithoutDaemon> {
  const loaded = await loadConfig(file);
  const base = { schema: 1, daemon: 'unreachable', tried: tried.split('\n') } as const;
  if (loaded.kind === 'bad') {
    const problems = loaded.problems.map(({ text }) => text);
    const nothing = {
      sessions: [],
      announcements: [],
      overrides: [],
      frozen: false,
      history: [],
      unread: [],
    };
    return { ...base, config: { file, problems }, node: null, mode: null, bird: null, ...nothing };
  }
  const { config } = loaded;
  const unread: string[] = [];
  const or = async <T>(reading: Promise<T>, otherwise: T): Promise<T> =>
    reading.catch((error: unknown) => {
      unread.push(messageOf(error));
      return otherwise;
    });
  const [view, states, overrides, frozen, history] = await Promise.all([
    readBirdOnce(config),
    or(ownedStates(config.bird.config), new Map()),
    or(overridesIn(config.paths.state), []),
    or(isThere(join(config.paths.state, 'freeze')), false),
    or(entriesIn(config.paths.state, uplink), []),
  ]);
  return {
    ...base,
    config: { file, problems: [] },
    node: config.node.name,
    mode: config.mode,
    bird: birdShown(view, config),
    sessions: sessionsIn(config, view),
    announcements: announcementsIn(config, view.kind === 'seen' ? view : null, states),
    overrides,
    frozen,
    history,
    unread,
  };
}

function birdShown(view: BirdView, config: NodeConfig): NonNullable<WithoutDaemon['bird']> {
  return view.kind === 'seen'
    ? { kind: 'seen', version: view.version, path: wayToBird(config.bird) }
    : { kind: 'unreachable', path: view.path, code: view.code, text: view.text };
}

function sessionsIn({ uplinks }: NodeConfig, view: BirdView): WithoutDaemon['sessions'] {
  return uplinks.flatMap((uplink) =>
    families
      .filter((family) => uplink.peer.address[family] !== undefined)
      .map((family) => ({
        uplink: uplink.name,
        family,
        state: view.kind === 'seen' ? (sessionOf(view, uplink.name, family)?.info ?? null) : null,
      })),
  );
}

function sessionOf(view: BirdSeen, uplink: string, family: Family) {
  return view.protocols.get(sessionName(uplink, family));
}

function announcementsIn(
  { uplinks, services }: NodeConfig,
  bird: BirdSeen | null,
  states: FileStates,
): WithoutDaemon['announcements'] {
  return uplinks.flatMap((uplink) =>
    services.flatMap((service) =>
      families
        .filter((family) => service.prefixes.some((prefix) => prefix.family === family))
        .filter((family) => uplink.peer.address[family] !== undefined)
        .filter(() => service.uplinks.size === 0 || service.uplinks.has(uplink.name))
        .map((family) => {
          const place = { uplink: uplink.name, service: service.name, family };
          const announce = states.get(announceName(uplink.name, service.name, family));
          const drain = states.get(drainName(uplink.name, service.name, family));
          const description = (drain?.disabled === false ? drain : announce)?.description ?? null;
          const seen = bird === null ? 'unknown' : seenIn(bird, uplink.name, service.name, family);
          return { ...place, seen, file: inFile(announce, drain), description };
        }),
    ),
  );
}

function inFile(
  announce: { readonly disabled: boolean } | undefined,
  drain: { readonly disabled: boolean } | undefined,
): AnnounceState | null {
  if (announce === undefined || drain === undefined) return null;
  if (!drain.disabled) return 'drain';
  return announce.disabled ? 'withdraw' : 'announce';
}

/** As the daemon sees it: by the session and the two protocols. */
function seenIn(bird: BirdSeen, uplink: string, service: string, family: Family): SeenState {
  const session = sessionOf(bird, uplink, family);
  const configured = configuredState(bird, uplink, service, family);
  if (session === undefined || configured === null) return 'unknown';
  if (session.info !== 'Established') return 'session-down';
  return ({ announce: 'exported', drain: 'drained', withdraw: 'absent' } as const)[configured];
}

async function ownedStates(path: string): Promise<FileStates> {
  try {
    return readStates(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof NotOwnedError) throw new Error(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A file that is not there holds none. */
async function overridesIn(folder: string): Promise<readonly OverrideStatus[]> {
  const path = join(folder, 'overrides.json');
  if (!(await isThere(path))) return [];
  const parsed = keptOverrides.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path} is not a file of overrides`);
  return parsed.data.overrides;
}

async function entriesIn(folder: string, uplink: string | null): Promise<readonly HistoryEntry[]> {
  const query = { limit: lastEntries, ...(uplink === null ? {} : { uplink }) };
  const path = join(folder, historyFolder);
  if (!(await isThere(path))) return [];
  return (await readHistoryFiles(path, query)).reverse();
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * What was measured and decided, in paths.state: written each second, not durable, since it only shortens the first
 * window after a restart. Overrides and the freeze, which must last, have files of their own.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DecideMemory, emptyDecideMemory } from '../core/decide/memory.ts';
import { restoreDecideMemory } from '../core/decide/restore-memory.ts';
import type { LastLook } from '../core/hands/hands.ts';
import { isRecord } from '../types/is-record.ts';

export interface Checkpoint {
  /** Text of the health memory; it judges its own age. */
  readonly health: string;
  readonly decide: DecideMemory;
  readonly look: LastLook | null;
}

/** Monotonic times of another boot mean nothing here. */
const bootIdFile = '/proc/sys/kernel/random/boot_id';
const version = 1;

export interface StateFolder {
  loadCheckpoint(): Promise<Checkpoint>;
  /** Errors are told, not thrown: a full disk must not stop the tick. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
}

const nothing: Checkpoint = { health: '', decide: emptyDecideMemory, look: null };

export function openStateFolder(
  folder: string,
  onTrouble: (text: string, error: unknown) => void,
): StateFolder {
  const checkpointFile = join(folder, 'checkpoint.json');
  return {
    async loadCheckpoint() {
      const stored = await load(checkpointFile, onTrouble);
      if (!isStored(stored) || stored.bootId !== (await bootId())) return nothing;
      return { health: stored.health, decide: restoreDecideMemory(stored.decide), look: stored.look };
    },
    async saveCheckpoint(checkpoint) {
      try {
        await mkdir(dirname(checkpointFile), { recursive: true });
        const text = JSON.stringify({ version, bootId: await bootId(), ...checkpoint });
        await writeFile(`${checkpointFile}.new`, text, { mode: 0o640 });
        await rename(`${checkpointFile}.new`, checkpointFile);
      } catch (error) {
        onTrouble('the checkpoint cannot be written', error);
      }
    },
  };
}

async function load(file: string, onTrouble: (text: string, error: unknown) => void): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing) onTrouble(`${file} cannot be read and is left out`, error);
    return null;
  }
}

/** Names this boot of the machine; Instants of another one mean nothing. */
export async function bootId(): Promise<string> {
  return (await readFile(bootIdFile, 'utf8')).trim();
}

interface Stored extends Checkpoint {
  readonly bootId: string;
}

/** The file is our own and written whole (rename); its version stands for its shape. */
function isStored(value: unknown): value is Stored {
  if (!isRecord(value) || value['version'] !== version || typeof value['bootId'] !== 'string') return false;
  const decide = value['decide'];
  return (
    typeof value['health'] === 'string' &&
    isRecord(decide) &&
    isRecord(decide['standing']) &&
    isRecord(decide['clocks'])
  );
}

/**
 * Overrides in `paths.state`/overrides.json: written whole, synced and renamed before they act. A disk that is slow or
 * full holds nobody up: after a bounded wait they act anyway, an alarm says that they are not kept, and the write is
 * tried again until it is done.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeAtomic } from '../store/atomic-file.ts';
import type { Override } from '../types/override.ts';
import { overrideStatus } from '../types/wire/status.ts';
import { pause } from './pause.ts';

/** What is kept over restarts and reboots. */
export interface KeptOverrides {
  readonly overrides: readonly Override[];
  /** Protocols that an operator released from a hand, and that have not been up since. */
  readonly released: ReadonlySet<string>;
}

export interface OverrideStore {
  /** Never rejects; what cannot be read is told by `trouble`. */
  load(): Promise<KeptOverrides>;
  /** Resolves to whether it is on the disk; after `waitMillis` at the latest, while the write goes on. */
  save(kept: KeptOverrides, waitMillis: number): Promise<boolean>;
  /** Tries a write that failed again, without waiting for it. */
  retry(): void;
  /** What stands in the way of keeping them; null: nothing. */
  trouble(): string | null;
}

const version = 1;
const stored = z.object({
  version: z.literal(version),
  overrides: z.array(overrideStatus),
  released: z.array(z.string()).default([]),
});

export function openOverrideStore(folder: string): OverrideStore {
  return new Store(join(folder, 'overrides.json'));
}

class Store implements OverrideStore {
  readonly #path: string;
  /** What is to be written next; null: nothing. */
  #waiting: string | null = null;
  #writing: Promise<void> | null = null;
  #trouble: string | null = null;
  /** A file that could not be understood; it stands until the next write replaces it. */
  #damage: string | null = null;
  #onDisk: string | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<KeptOverrides> {
    const none: KeptOverrides = { overrides: [], released: new Set() };
    try {
      const text = await readFile(this.#path, 'utf8');
      const read = stored.parse(JSON.parse(text));
      this.#onDisk = text;
      return { overrides: read.overrides, released: new Set(read.released) };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return none;
      this.#damage = `${this.#path} cannot be read and is left out (${said(error)}): hands are taken from the owned file; give operators' overrides again`;
      return none;
    }
  }

  async save({ overrides, released }: KeptOverrides, waitMillis: number): Promise<boolean> {
    const text = `${JSON.stringify({ version, overrides, released: [...released] }, null, 2)}\n`;
    if (text === this.#onDisk && this.#writing === null) return true;
    this.#waiting = text;
    this.#run();
    await Promise.race([this.#writing, pause(waitMillis)]);
    return this.#onDisk === text;
  }

  retry(): void {
    if (this.#waiting !== null) this.#run();
  }

  trouble(): string | null {
    return this.#trouble ?? this.#damage;
  }

  /** One write at a time; what came meanwhile follows. */
  #run(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting !== null) {
      const text = this.#waiting;
      try {
        await mkdir(dirname(this.#path), { recursive: true });
        await writeAtomic(this.#path, text);
      } catch (error) {
        this.#trouble = `${this.#path}: ${said(error)}: a restart of the daemon forgets the last overrides`;
        return;
      }
      this.#onDisk = text;
      this.#trouble = null;
      this.#damage = null;
      if (this.#waiting === text) this.#waiting = null;
    }
  }
}

function said(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

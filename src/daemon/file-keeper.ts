/**
 * Keeps the present wish in the owned file. BIRD forgets every `birdc disable` at any `configure` and at a restart, so
 * the file must hold it down then. Only the state lines of the text that is there change; another base comes by `swap`
 * alone, which an apply does.
 */
import { stat } from 'node:fs/promises';
import type { BaseFile } from '../../bird/apply/world.ts';
import { readStates, restate, sameBase, type FileState } from '../../bird/file-states.ts';
import { OwnedFileError, readOwned, stageOwned, swapOwned } from '../../bird/owned-file.ts';
import type { ProtocolWish } from '../core/plan/protocols.ts';
import { messageOf } from '../types/message-of.ts';
import type { Instant } from '../types/units.ts';
import { monotonicNow } from './clock.ts';

export type FileOutcome =
  | { readonly kind: 'as-wished' }
  /** The wish is not in the file: the disk is slow or full, or the text cannot be read. Tried again each tick. */
  | { readonly kind: 'behind'; readonly text: string };

export interface FileKeeper extends BaseFile {
  /** Looks whether somebody else changed the file; false: it is not as we left it (or read it first). */
  look(): Promise<boolean>;
  /** The states in the file as last read. */
  states(): ReadonlyMap<string, FileState>;
  /** Brings the wish into the file. Resolves after writeLimitMillis at the latest; a write goes on beside. */
  hold(wishes: ReadonlyMap<string, ProtocolWish>): Promise<FileOutcome>;
}

/** A withdrawal waits this long for the disk, and no longer. */
const writeLimitMillis = 50;

/** `wrote` is told of each write that has ended, with the time that it took. */
export function keepFile(path: string, wrote: WroteFile = () => undefined): FileKeeper {
  return new Keeper(path, wrote);
}

type WroteFile = (from: Instant, to: Instant, isGood: boolean) => void;

class Keeper implements FileKeeper {
  readonly path: string;
  /** The last text that was whole and ours; the wish is written into it. */
  #base: string | null = null;
  /** What stands on the disk; null: nothing that is ours, so the base is put back. */
  #disk: string | null = null;
  #trouble = 'not read yet';
  #signature = '';
  #writing: Promise<void> | null = null;
  readonly #wrote: WroteFile;

  constructor(path: string, wrote: WroteFile) {
    this.path = path;
    this.#wrote = wrote;
  }

  async look(): Promise<boolean> {
    if (this.#writing !== null) return true;
    const signature = await signatureOf(this.path);
    if (signature === this.#signature) return true;
    const first = this.#signature === '';
    this.#signature = signature;
    await this.#read();
    return first;
  }

  states(): ReadonlyMap<string, FileState> {
    return this.#base === null ? new Map() : readStates(this.#base);
  }

  async text(): Promise<string> {
    while (this.#writing !== null) await this.#writing;
    if (this.#disk !== null) return this.#disk;
    const changed = `${this.path} was changed by somebody else, and is put back`;
    throw new Error(this.#trouble === '' ? changed : this.#trouble);
  }

  /** The states in force go along: a wish that came meanwhile is not lost. */
  async swap(text: string): Promise<void> {
    while (this.#writing !== null) await this.#writing;
    const known = readStates(text);
    const wished = restate(text, new Map([...this.states()].filter(([name]) => known.has(name))));
    this.#writing = this.#write(wished);
    await this.#writing;
    if (this.#disk !== wished) throw new OwnedFileError(this.#trouble, this.#trouble);
  }

  async hold(wishes: ReadonlyMap<string, ProtocolWish>): Promise<FileOutcome> {
    const deadline = limit(writeLimitMillis);
    if (this.#writing !== null) await Promise.race([this.#writing, deadline]);
    if (this.#writing !== null)
      return { kind: 'behind', text: `${this.path}: the last write has not ended yet` };
    if (this.#base === null) return { kind: 'behind', text: this.#trouble };
    const wished = restate(this.#base, statesOf(wishes, this.states()));
    if (wished === this.#disk) return { kind: 'as-wished' };
    this.#writing = this.#write(wished);
    await Promise.race([this.#writing, deadline]);
    if (this.#disk === wished) return { kind: 'as-wished' };
    const slow = `${this.path}: not written within ${writeLimitMillis} ms`;
    return { kind: 'behind', text: this.#trouble === '' ? slow : this.#trouble };
  }

  /** A text that is cut, damaged, gone or of another base is no wish: the last good one is put back by the next `hold`. */
  async #read(): Promise<void> {
    this.#disk = null;
    try {
      const text = await readOwned(this.path);
      readStates(text);
      this.#trouble = '';
      // A base that nobody applied is put back like a cut one: BIRD must not take it with the next `configure`.
      if (this.#base !== null && !sameBase(this.#base, text)) return;
      this.#base = text;
      this.#disk = text;
    } catch (error) {
      this.#trouble = `${this.path}: ${messageOf(error)}; write it with \`causeway render --write\``;
    }
  }

  async #write(text: string): Promise<void> {
    const from = monotonicNow();
    try {
      const staged = await stageOwned(this.path, text);
      // Of the staged file, which keeps it: after the rename somebody else's may stand there already.
      const signature = await signatureOf(staged);
      await swapOwned(staged, this.path);
      this.#base = text;
      this.#disk = text;
      this.#trouble = '';
      this.#signature = signature;
    } catch (error) {
      this.#trouble = `${this.path}: ${messageOf(error)}`;
    } finally {
      this.#writing = null;
      this.#wrote(from, monotonicNow(), this.#disk === text);
    }
  }
}

/** Only protocols that the text has; one that it lacks is told by the plan as missing in BIRD. */
function statesOf(
  wishes: ReadonlyMap<string, ProtocolWish>,
  present: ReadonlyMap<string, FileState>,
): ReadonlyMap<string, FileState> {
  const states = new Map<string, FileState>();
  for (const [name, { up, description }] of wishes) {
    if (present.has(name)) states.set(name, { disabled: !up, description });
  }
  return states;
}

async function signatureOf(path: string): Promise<string> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true });
    return `${ino}:${mtimeNs}:${size}`;
  } catch {
    return 'missing';
  }
}

function limit(waitMillis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, waitMillis);
  });
}

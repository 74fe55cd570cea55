/**
 * What was in force when: the texts of rules.yaml and networks.yaml under a number, by whom and why. Each is a file of its
 * own, written whole before the files themselves are touched, so that a crash between the two is finished or undone at the
 * next start. The oldest are forgotten.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder, writeAtomic } from '../../src/store/atomic-file.ts';

/** The texts of the two files that say who is answered with what. */
export interface RulesTexts {
  readonly rules: string;
  readonly networks: string;
}

export interface RevisionHead {
  /** From 1 upward. */
  readonly number: number;
  /** Serial of the zone that it was put in force with; null: not in force yet. */
  readonly serial: number | null;
  /** The caller's name of the tokens file; `file` for what somebody wrote into the files. */
  readonly author: string;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The number of the revision that it brought back; null: none. */
  readonly of: number | null;
}

export interface Revision extends RevisionHead {
  readonly texts: RulesTexts;
  /** What the files held before; a start after a crash finishes only what it finds so. null: it came from the files. */
  readonly before: RulesTexts | null;
}

const texts = z.object({ rules: z.string(), networks: z.string() });
const revisionFile = z.object({
  schema: z.literal(1),
  number: z.int().min(1),
  serial: z.int().min(0).nullable(),
  author: z.string(),
  reason: z.string(),
  at: z.string(),
  of: z.int().min(1).nullable(),
  texts,
  before: texts.nullable(),
});

/** Where they are, in the folder of the journal. */
export function revisionsFolder(state: string): string {
  return join(state, 'revisions');
}

/** How many are kept. */
export const keptRevisions = 50;

export class RevisionStore {
  private readonly folder: string;
  private found: readonly Revision[];
  /** Files that are no revisions; for the log. */
  readonly damaged: readonly string[];

  private constructor(folder: string, found: readonly Revision[], damaged: readonly string[]) {
    this.folder = folder;
    this.found = found;
    this.damaged = damaged;
  }

  /** Reads what is there; the folder is made where it is missing. */
  static async open(folder: string): Promise<RevisionStore> {
    await mkdir(folder, { recursive: true, mode: 0o750 });
    return RevisionStore.read(folder);
  }

  /** The same of a folder that must be there. */
  static async read(folder: string): Promise<RevisionStore> {
    const found: Revision[] = [];
    const damaged: string[] = [];
    for (const name of (await readdir(folder)).filter((one) => one.endsWith('.json'))) {
      const revision = revisionOf(await readFile(join(folder, name), 'utf8'));
      if (revision === null || nameOf(revision.number) !== name) damaged.push(name);
      else found.push(revision);
    }
    return new RevisionStore(
      folder,
      found.sort((a, b) => a.number - b.number),
      damaged,
    );
  }

  /** Oldest first. */
  list(): readonly RevisionHead[] {
    return this.found.map(headOf);
  }

  get(number: number): Revision | null {
    return this.found.find((revision) => revision.number === number) ?? null;
  }

  newest(): Revision | null {
    return this.found.at(-1) ?? null;
  }

  /** Writes it down; the oldest beyond what is kept are forgotten. Rejects when the disk does not take it. */
  async add(revision: Omit<Revision, 'number'>): Promise<Revision> {
    const added = { ...revision, number: (this.newest()?.number ?? 0) + 1 };
    await this.write(added);
    this.found = [...this.found, added];
    while (this.found.length > keptRevisions) {
      const [oldest, ...others] = this.found;
      if (oldest !== undefined) await this.remove(oldest.number);
      this.found = others;
    }
    return added;
  }

  /** It is in force, under this serial. */
  async markInForce(number: number, serial: number): Promise<void> {
    const revision = this.get(number);
    if (revision === null) return;
    const changed = { ...revision, serial, before: null };
    await this.write(changed);
    this.found = this.found.map((one) => (one.number === number ? changed : one));
  }

  /** It never came in force. */
  async drop(number: number): Promise<void> {
    await this.remove(number);
    this.found = this.found.filter((one) => one.number !== number);
  }

  private write(revision: Revision): Promise<void> {
    const text = JSON.stringify({ schema: 1, ...revision });
    return writeAtomic(join(this.folder, nameOf(revision.number)), text);
  }

  private async remove(number: number): Promise<void> {
    await rm(join(this.folder, nameOf(number)), { force: true });
    await syncFolder(this.folder);
  }
}

export function headOf({ number, serial, author, reason, at, of }: RevisionHead): RevisionHead {
  return { number, serial, author, reason, at, of };
}

export function sameTexts(a: RulesTexts, b: RulesTexts): boolean {
  return a.rules === b.rules && a.networks === b.networks;
}

/** So that they sort by name as by number. */
function nameOf(number: number): string {
  return `${String(number).padStart(8, '0')}.json`;
}

function revisionOf(text: string): Revision | null {
  try {
    const parsed = revisionFile.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    const { schema: _, ...revision } = parsed.data;
    return revision;
  } catch {
    return null;
  }
}

/**
 * Changes of what users get: rules that an operator applies, revisions that are brought back, files that somebody edited.
 * One at a time. A change is written down as a revision first, then into the files, then put in force; a start that finds
 * one which did not get that far finishes it, or drops it where the files never had it.
 */
import { readFile, stat } from 'node:fs/promises';
import { writeAtomic } from '../../src/store/atomic-file.ts';
import {
  headOf,
  type Revision,
  type RevisionHead,
  type RevisionStore,
  type RulesTexts,
  sameTexts,
} from './revisions.ts';
import { FilesError } from './files.ts';
import { loadTexts, type LoadedTexts, type Preview, previewTexts } from './rules-preview.ts';
import type { GeoDnsService } from './service.ts';
import type { Users } from './users.ts';

export interface RulesPaths {
  readonly rules: string;
  readonly networks: string;
}

/** What came of a change. */
export type Changed =
  | { readonly kind: 'in-force'; readonly revision: RevisionHead }
  /** What is in force already. */
  | { readonly kind: 'unchanged'; readonly revision: RevisionHead }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** Somebody changed something since the caller looked. */
  | { readonly kind: 'outdated'; readonly current: RevisionHead }
  /** A file holds what was never put in force. */
  | { readonly kind: 'edited'; readonly path: string }
  | { readonly kind: 'unwritable'; readonly path: string; readonly code: string };

export class RulesDesk {
  private readonly service: GeoDnsService;
  private readonly store: RevisionStore;
  private readonly paths: RulesPaths;
  private readonly users: Users;
  private readonly logError: (error: unknown, message: string) => void;
  private turn: Promise<unknown> = Promise.resolve();
  private inForce: Revision | null = null;

  constructor(
    service: GeoDnsService,
    store: RevisionStore,
    paths: RulesPaths,
    users: Users,
    logError: (error: unknown, message: string) => void,
  ) {
    this.service = service;
    this.store = store;
    this.paths = paths;
    this.users = users;
    this.logError = logError;
  }

  /** Newest first. */
  list(): readonly RevisionHead[] {
    return [...this.store.list()].reverse();
  }

  get(number: number): Revision | null {
    return this.store.get(number);
  }

  /** The one in force; null before the first start has ended. */
  current(): Revision | null {
    return this.inForce;
  }

  /** What the texts would do, without doing it. */
  preview(texts: RulesTexts): Promise<Preview> {
    return previewTexts(this.service, this.users, texts);
  }

  /**
   * `putInForce` puts in force what was read from the files: at a start, or because somebody edited them. Rejects with a
   * FilesError when they have changed since.
   */
  adopt(texts: RulesTexts, reason: string, putInForce: () => Promise<void>): Promise<void> {
    return this.inTurn(async () => {
      if ((await this.editedFile(texts)) !== null)
        throw new FilesError(['the files were changed while they were read; reload again']);
      await putInForce();
      const revision = await this.adopted(texts, reason).catch((error: unknown) => {
        this.logError(error, 'what is in force could not be kept as a revision');
        return { ...this.stamp('file', reason, null), number: 0, serial: null, texts, before: null };
      });
      this.inForce = revision;
    });
  }

  private async adopted(texts: RulesTexts, reason: string): Promise<Revision> {
    const serial = this.service.zone()?.revision ?? 0;
    // Written down and never in the files: it did not happen.
    const last = this.store.newest();
    if (last?.serial === null && !sameTexts(last.texts, texts)) await this.store.drop(last.number);
    const newest = this.store.newest();
    if (newest === null || !sameTexts(newest.texts, texts))
      return this.store.add({ ...this.stamp('file', reason, null), serial, texts, before: null });
    if (newest.serial === null) await this.store.markInForce(newest.number, serial);
    return this.store.newest() ?? newest;
  }

  /** `from`: the number of the revision that the caller saw; `of`: of the one that is brought back. */
  apply(
    texts: RulesTexts,
    from: number,
    author: string,
    reason: string,
    of: number | null = null,
  ): Promise<Changed> {
    return this.inTurn(async (): Promise<Changed> => {
      const present = this.inForce ?? noRevision;
      if (present.number !== from) return { kind: 'outdated', current: headOf(present) };
      const candidate = loadTexts(this.service, texts);
      if (candidate.kind === 'refused') return { kind: 'refused', problems: candidate.problems };
      if (sameTexts(present.texts, texts)) return { kind: 'unchanged', revision: headOf(present) };
      const edited = await this.editedFile(present.texts);
      if (edited !== null) return { kind: 'edited', path: edited };
      return this.putInForce(candidate, texts, present, this.stamp(author, reason, of));
    });
  }

  private async putInForce(
    { rules, networks }: Fit,
    texts: RulesTexts,
    before: Revision,
    stamp: Stamp,
  ): Promise<Changed> {
    const revision = await this.store.add({ ...stamp, serial: null, texts, before: before.texts });
    const failed = await writeTexts(this.paths, before.texts, texts);
    if (failed !== null) {
      await this.undo(revision, before.texts);
      return { kind: 'unwritable', ...failed };
    }
    try {
      await this.service.replace({ rules, networks }, `rules ${revision.number} by ${stamp.author}`);
    } catch (error) {
      await this.undo(revision, before.texts);
      throw error;
    }
    const serial = this.service.zone()?.revision ?? 0;
    this.inForce = { ...revision, serial, before: null };
    // In force it is; the next start writes down the serial where the disk does not take it now.
    await this.store
      .markInForce(revision.number, serial)
      .catch((error: unknown) => this.logError(error, 'a revision in force was not marked so'));
    return { kind: 'in-force', revision: headOf(this.inForce) };
  }

  /** What cannot be undone now is undone or finished by the next start. */
  private async undo(revision: Revision, before: RulesTexts): Promise<void> {
    try {
      for (const kind of ['rules', 'networks'] as const) {
        const isNew = (await readFile(this.paths[kind], 'utf8')) === revision.texts[kind];
        if (isNew && revision.texts[kind] !== before[kind]) await replaceText(this.paths[kind], before[kind]);
      }
      await this.store.drop(revision.number);
    } catch (error) {
      this.logError(error, 'a revision that failed could not be taken back; the next start does it');
    }
  }

  /** The path of a file that does not hold what is in force. */
  private async editedFile(inForce: RulesTexts): Promise<string | null> {
    for (const kind of ['rules', 'networks'] as const)
      if ((await readFile(this.paths[kind], 'utf8')) !== inForce[kind]) return this.paths[kind];
    return null;
  }

  private stamp(author: string, reason: string, of: number | null): Stamp {
    return { author, reason, of, at: new Date(this.service.parts.nowMillis()).toISOString() };
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }
}

type Fit = Extract<LoadedTexts, { kind: 'fit' }>;
type Stamp = Pick<Revision, 'author' | 'reason' | 'of' | 'at'>;

const noRevision: Revision = {
  number: 0,
  serial: null,
  author: '',
  reason: '',
  at: '',
  of: null,
  texts: { rules: '', networks: '' },
  before: null,
};

/**
 * A crash between the two files leaves new networks beside old rules: finishes it, before the files are read. Other cases
 * are whole: `adopt` tells them apart.
 */
export async function finishWriting(store: RevisionStore, paths: RulesPaths): Promise<void> {
  const newest = store.newest();
  if (newest === null || newest.serial !== null || newest.before === null) return;
  const { texts, before } = newest;
  const [rules, networks] = [await readFile(paths.rules, 'utf8'), await readFile(paths.networks, 'utf8')];
  const isHalf = networks === texts.networks && networks !== before.networks && rules === before.rules;
  if (isHalf && rules !== texts.rules) await replaceText(paths.rules, texts.rules);
}

/** A revision is brought back while no service runs: the next start puts it in force. Throws a FilesError. */
export async function writeWhileStopped(
  store: RevisionStore,
  paths: RulesPaths,
  { texts, number: of }: Revision,
  stamp: Omit<Stamp, 'of'>,
): Promise<void> {
  const before = {
    rules: await readFile(paths.rules, 'utf8'),
    networks: await readFile(paths.networks, 'utf8'),
  };
  const added = await store.add({ ...stamp, of, serial: null, texts, before });
  const failed = await writeTexts(paths, before, texts);
  if (failed === null) return;
  await store.drop(added.number);
  throw new FilesError([`${failed.path}: cannot be written (${failed.code})`]);
}

/** Networks first: rules may name what only they bring. null: done. */
async function writeTexts(
  paths: RulesPaths,
  from: RulesTexts,
  to: RulesTexts,
): Promise<{ readonly path: string; readonly code: string } | null> {
  for (const kind of ['networks', 'rules'] as const) {
    if (from[kind] === to[kind]) continue;
    try {
      await replaceText(paths[kind], to[kind]);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      return { path: paths[kind], code };
    }
  }
  return null;
}

/** Other programs read networks.yaml too: whoever may read it now may read it afterwards. */
async function replaceText(path: string, text: string): Promise<void> {
  const { mode } = await stat(path);
  await writeAtomic(path, text, mode & 0o777);
}

/**
 * Puts the last confirmed text back, in the present wish: at the end of an apply that went wrong, and at a start that finds
 * that its forerunner died in one. It can be repeated at will; each repetition begins with what is there.
 *
 * Where the wish is the one that BIRD parsed last, `configure undo` goes back; where it has changed since, or nothing
 * is there to undo, a plain `configure` of the file brings text and wish in one step, so nothing that was withdrawn in
 * between comes back even for a moment.
 */
import { messageOf } from '../../src/types/message-of.ts';
import { markOf } from '../base-mark.ts';
import { type FileStates, readStates, restate } from '../file-states.ts';

/** What putting back needs of the world. Each step may fail by throwing an Error whose message is for people. */
export interface BaseWorld {
  /** The owned file, whole and ours. */
  fileText(): Promise<string>;
  /** Replaces the owned file atomically. */
  swap(text: string): Promise<void>;
  /** The last confirmed text; null: none was kept. */
  confirmed(): Promise<string | null>;
  keepConfirmed(text: string): Promise<void>;
  /** Whether an apply has begun and not ended, here or in a process that died. */
  isApplying(): Promise<boolean>;
  /** Keeps the new text aside: from here on a start puts the confirmed one back. */
  beginApplying(text: string): Promise<void>;
  /** In one step, that needs no room on the disk: the text that was kept aside is the confirmed one. */
  concludeApplying(): Promise<void>;
  /** Forgets the text that was kept aside; needs no room either. */
  discardApplying(): Promise<void>;
  /** Seconds until BIRD undoes by itself, after it has settled; null: nothing is pending. */
  pendingUndo(): Promise<number | null>;
  runningMark(): Promise<number | null>;
  /** Plain `configure`, settled. */
  configure(): Promise<void>;
  undo(): Promise<'undone' | 'nothing'>;
  /** BIRD 2 sends what an undo changed only when it is asked something. */
  wake(): Promise<void>;
}

/**
 * Puts `old` back in the states of the file. `parsed`: the states that BIRD returns to by an undo; null: not known. Gives
 * what is not right yet, empty when the file and BIRD are as before.
 */
export async function putBack(
  world: BaseWorld,
  old: string,
  parsed: FileStates | null,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const attempt = async (run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      problems.push(messageOf(error));
    }
  };
  const present = await world.fileText().catch(() => null);
  const wished = wishedText(old, present);
  let isWritten = present === wished;
  await attempt(async () => {
    if (isWritten) return;
    await world.swap(wished);
    isWritten = true;
  });
  await attempt(async () => {
    const pending = await world.pendingUndo();
    const sameWish = parsed !== null && sameDisabled(parsed, readStates(wished));
    if (pending !== null && (sameWish || !isWritten)) await world.undo();
    const isBack = (await world.pendingUndo()) === null && (await world.runningMark()) === markOf(old);
    if (isWritten && (!isBack || !sameWish)) await world.configure();
    await world.wake();
    if ((await world.runningMark()) !== markOf(old))
      throw new Error('BIRD does not run the last confirmed text yet');
  });
  if (problems.length === 0) await attempt(() => world.discardApplying());
  return problems;
}

/** nothing: no apply was under way; put-back: it is; the problems of `putBack` otherwise. */
export type Recovery =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'put-back' }
  | { readonly kind: 'stuck'; readonly problems: readonly string[] };

/** At a start: an apply that was not confirmed is put back before anything else. Throws nothing. */
export async function recover(world: BaseWorld): Promise<Recovery> {
  try {
    if (!(await world.isApplying())) return { kind: 'nothing' };
    const confirmed = await world.confirmed();
    if (confirmed === null) return { kind: 'stuck', problems: ['the last confirmed text is lost'] };
    const problems = await putBack(world, confirmed, null);
    return problems.length === 0 ? { kind: 'put-back' } : { kind: 'stuck', problems };
  } catch (error) {
    return { kind: 'stuck', problems: [messageOf(error)] };
  }
}

/** The old base in the states of the file; a file that is gone, cut or foreign (null) says nothing of the wish. */
function wishedText(old: string, present: string | null): string {
  if (present === null) return old;
  const known = readStates(old);
  return restate(old, new Map([...readStates(present)].filter(([name]) => known.has(name))));
}

function sameDisabled(a: FileStates, b: FileStates): boolean {
  return [...b].every(([name, { disabled }]) => a.get(name)?.disabled === disabled);
}

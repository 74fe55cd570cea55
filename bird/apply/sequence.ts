/**
 * Safe apply of a new base (DESIGN 6), as a machine whose steps are given to it:
 *
 *   render ─ check ─ rehearse ─ diff ─ baseline ─ swap ─ configure ─ read-back ─ confirm
 *      │        │        │        │        │        └───────┴────────────┴─────────┴──▶ put-back
 *      └────────┴────────┴────────┴────────┴──▶ refused: nothing was changed
 *
 * baseline is a plain `configure` of the last confirmed text in the present wish: an undo returns to what BIRD parsed
 * last, and without it would revive what was withdrawn since. From `swap` on the new text is kept aside on the disk, so that
 * a start after a death at any point knows of it and puts the confirmed text back (`put-back.ts`).
 */
import { messageOf } from '../../src/types/message-of.ts';
import { markOf } from '../base-mark.ts';
import { type FileStates, readStates, restate, sameBase } from '../file-states.ts';
import type {
  ApplyProgress,
  ApplyRequest,
  ApplyResult,
  ApplyStep,
  BaseDiff,
} from '../../src/types/wire/apply.ts';
import { consentNeeded, type ExportsBySession } from './diff.ts';
import { type BaseWorld, putBack } from './put-back.ts';
import type { Rehearsal } from './rehearse.ts';

/** What the sequence does to the world, each a step that may fail by throwing an Error whose message is for people. */
export interface ApplyWorld extends BaseWorld {
  /** The new base in these states; protocols that they do not name get what the wish says of them. */
  render(states: FileStates): Promise<string>;
  /** `bird -p` of the text beside the file; null: it is accepted. */
  check(text: string): Promise<string | null>;
  rehearse(text: string): Promise<Rehearsal>;
  /** What the change does, and what the new text exports on each session. */
  diff(before: string, after: string, exports: ExportsBySession): Promise<BaseDiff>;
  /** `configure timeout`, settled. */
  configureTimeout(): Promise<void>;
  confirm(): Promise<'confirmed' | 'nothing'>;
  /** Remembers which sessions are up, to be compared with by `readBack`. */
  remember(): Promise<void>;
  /** What BIRD does not show as the text says; empty: all of it. */
  readBack(text: string, exports: ExportsBySession): Promise<readonly string[]>;
  /** From here to the end commands of the tick wait (`true`), or no longer. */
  hold(on: boolean): void;
  /** Whether a change of the wish waits for the end of the window. */
  isHurried(): boolean;
  /** Until the next look; false: the time for looking is over. */
  waitForNextLook(): Promise<boolean>;
}

type Say = (progress: ApplyProgress) => void;

class Refused extends Error {
  readonly step: ApplyStep;
  readonly problems: readonly string[];
  constructor(step: ApplyStep, problems: readonly string[]) {
    super(problems.join('\n'));
    this.step = step;
    this.problems = problems;
  }
}

interface Prepared {
  /** Last confirmed text, in the wish of the moment. */
  readonly old: string;
  readonly next: string;
  readonly exports: ExportsBySession;
  readonly diff: BaseDiff;
}

/** Runs the whole of it. Never throws for faults of BIRD, the disk or the text: they are results. */
export async function applyBase(world: ApplyWorld, request: ApplyRequest, say: Say): Promise<ApplyResult> {
  try {
    const old = await trying('render', () => confirmedText(world));
    const next = await trying('render', () => world.render(readStates(old)));
    if (sameBase(old, next)) return { kind: 'nothing' };
    say({ step: 'render', text: 'the new text is rendered in the present wish' });
    const prepared = await prepare(world, old, next, say);
    if (request.dryRun) return { kind: 'differs', diff: prepared.diff };
    const needed = consentNeeded(prepared.diff);
    const lacking = {
      reset: needed.reset && !request.yesReset,
      withdraw: needed.withdraw && !request.yesWithdraw,
    };
    if (lacking.reset || lacking.withdraw) return { kind: 'needs-consent', diff: prepared.diff, lacking };
    return await change(world, prepared, say);
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', step: error.step, problems: error.problems };
    throw error;
  }
}

async function prepare(world: ApplyWorld, old: string, next: string, say: Say): Promise<Prepared> {
  const problem = await trying('check', () => world.check(next));
  if (problem !== null) throw new Refused('check', [problem]);
  say({ step: 'check', text: 'bird -p accepts it' });
  const rehearsal = await trying('rehearse', () => world.rehearse(next));
  if (rehearsal.kind === 'differs') throw new Refused('rehearse', rehearsal.problems);
  say({ step: 'rehearse', text: 'in the rehearsal every session exports its prefixes, and nothing else' });
  const { exports } = rehearsal;
  const diff = await trying('diff', () => world.diff(old, next, exports));
  return { old, next, exports, diff };
}

/**
 * The text that BIRD runs, in the wish of the file: the file's own base, or the one that was confirmed last where the
 * file was written by hand since. Anything else that BIRD runs is nobody's that could be gone back to.
 */
async function confirmedText(world: ApplyWorld): Promise<string> {
  const [file, confirmed, running] = [
    await world.fileText(),
    await world.confirmed(),
    await world.runningMark(),
  ];
  if (markOf(file) === running) return file;
  if (confirmed !== null && markOf(confirmed) === running) return inWishOf(confirmed, file);
  throw new Error(
    running === null
      ? 'BIRD does not run the owned file: its bird.conf has to include it, and `birdc configure` loads it'
      : 'BIRD runs a base that is neither in the owned file nor the last confirmed one: look at it, and load the owned file with `birdc configure`',
  );
}

/** The base of one text in the states of the other, as far as it has them. */
function inWishOf(base: string, wished: string): string {
  const known = readStates(base);
  return restate(base, new Map([...readStates(wished)].filter(([name]) => known.has(name))));
}

async function change(world: ApplyWorld, prepared: Prepared, say: Say): Promise<ApplyResult> {
  world.hold(true);
  try {
    const old = await baseline(world, prepared, say);
    try {
      const next = inWishOf(prepared.next, old);
      await trying('swap', () => world.beginApplying(next));
      await trying('swap', () => world.swap(next));
    } catch (error) {
      // The file is the old one still, or is made so.
      await putBack(world, old, readStates(old));
      throw error;
    }
    say({ step: 'swap', text: 'the new text is in the place of the old one' });
    return await window(world, old, prepared, say);
  } finally {
    world.hold(false);
  }
}

/** The last confirmed text in the present wish, in the file, in BIRD and kept for a start after our death. */
async function baseline(world: ApplyWorld, { old }: Prepared, say: Say): Promise<string> {
  return trying('baseline', async () => {
    const pending = await world.pendingUndo();
    if (pending !== null)
      throw new Error(
        `another \`configure timeout\` is pending, BIRD undoes it in ${Math.ceil(pending)} s: confirm or undo it first`,
      );
    const wished = inWishOf(old, await world.fileText());
    if (wished !== (await world.fileText())) await world.swap(wished);
    await world.keepConfirmed(wished);
    await world.configure();
    if ((await world.runningMark()) !== markOf(wished))
      throw new Error(
        'BIRD did not load the last confirmed text: is the owned file the one that it includes?',
      );
    await world.remember();
    if (world.isHurried()) throw new Error('the wish changed meanwhile, and goes first: apply again');
    say({ step: 'baseline', text: 'BIRD has the last confirmed text in the present wish' });
    return wished;
  });
}

/** From the swap to the end: whatever fails here is put back. */
async function window(world: ApplyWorld, old: string, prepared: Prepared, say: Say): Promise<ApplyResult> {
  let problems: readonly string[];
  try {
    await world.configureTimeout();
    say({ step: 'configure', text: 'BIRD has taken it, and undoes it unless it is confirmed' });
    problems = await look(world, prepared, say);
    if (problems.length === 0) {
      const by = await concluded(world, prepared, say);
      if (by !== null) return { kind: 'applied', diff: prepared.diff, by };
      problems = ['the time of `configure timeout` ran out, and BIRD went back by itself'];
    }
  } catch (error) {
    problems = [messageOf(error)];
  }
  for (const text of problems) say({ step: 'read-back', text });
  say({ step: 'put-back', text: 'the last confirmed text is put back' });
  const left = await putBack(world, old, readStates(old));
  if (left.length > 0) return { kind: 'stuck', problems: [...problems, ...left] };
  return { kind: 'undone', diff: prepared.diff, problems };
}

/** Looks until all is as it should be, the time is over, or a change of the wish does not want to wait. */
async function look(world: ApplyWorld, prepared: Prepared, say: Say): Promise<readonly string[]> {
  let last = '';
  for (;;) {
    const problems = await world.readBack(prepared.next, prepared.exports);
    if (problems.length === 0) {
      say({ step: 'read-back', text: 'sessions and exported prefixes are as they should be' });
      return [];
    }
    if (world.isHurried()) return [...problems, 'and the wish changed meanwhile, which goes first'];
    const text = `waiting: ${problems.join('; ')}`;
    if (text !== last) say({ step: 'read-back', text });
    last = text;
    if (!(await world.waitForNextLook())) return problems;
  }
}

/** null: BIRD has gone back already. A foreign `configure` confirms silently, which 0019 tells. */
async function concluded(
  world: ApplyWorld,
  { next }: Prepared,
  say: Say,
): Promise<'causeway' | 'foreign' | null> {
  const answer = await world.confirm();
  if (answer === 'nothing' && (await world.runningMark()) !== markOf(next)) return null;
  await world.concludeApplying();
  const by = answer === 'confirmed' ? 'causeway' : 'foreign';
  const foreign = 'somebody’s `configure` or a restart of BIRD confirmed it before we could';
  say({ step: 'confirm', text: by === 'causeway' ? 'confirmed' : foreign });
  return by;
}

async function trying<T>(name: ApplyStep, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(name, [messageOf(error)]);
  }
}

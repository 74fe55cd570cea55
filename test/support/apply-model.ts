/** A BIRD, a disk and a wish made of data: the world of an apply, in which the process can die at every step. */
import { markOf } from '../../bird/base-mark.ts';
import type { Rehearsal } from '../../bird/apply/rehearse.ts';
import type { ApplyWorld } from '../../bird/apply/sequence.ts';
import { type FileStates, readStates, restate } from '../../bird/file-states.ts';
import type { BaseDiff } from '../../src/types/wire/apply.ts';

/** What outlives the process: disk and BIRD. */
export interface Outside {
  file: string;
  confirmed: string | null;
  applying: string | null;
  /** The text that BIRD parsed last, and what was switched by command since. */
  running: string;
  switchedDown: ReadonlySet<string>;
  /** What an undo returns to, and whether BIRD does it by itself. */
  before: string | null;
  timer: boolean;
  /** The disk takes no more. */
  full: boolean;
  /** Every set of protocols that was ever up. */
  readonly history: ReadonlySet<string>[];
}

export function outsideWith(text: string, switchedDown: readonly string[]): Outside {
  return {
    file: text,
    confirmed: null,
    applying: null,
    running: text,
    switchedDown: new Set(switchedDown),
    before: null,
    timer: false,
    full: false,
    history: [],
  };
}

/** Protocols that are up in BIRD. */
export function upIn({ running, switchedDown }: Outside): ReadonlySet<string> {
  const up = [...readStates(running)].filter(([name, { disabled }]) => !disabled && !switchedDown.has(name));
  return new Set(up.map(([name]) => name));
}

/** BIRD reads the file anew: `configure`, whoever gives it; a restart does the same and forgets what it was before. */
export function load(outside: Outside, timer: boolean): void {
  outside.before = outside.running;
  outside.running = outside.file;
  outside.switchedDown = new Set();
  outside.timer = timer;
  outside.history.push(upIn(outside));
}

export function restart(outside: Outside): void {
  load(outside, false);
  outside.before = null;
}

/** An undo, by command or by BIRD's own timer. */
export function goBack(outside: Outside): boolean {
  outside.timer = false;
  if (outside.before === null) return false;
  [outside.running, outside.before] = [outside.before, null];
  outside.switchedDown = new Set();
  outside.history.push(upIn(outside));
  return true;
}

/** The wish changes: the file first, as the tick does it. */
export function withdraw(outside: Outside, names: readonly string[]): void {
  const states: FileStates = new Map(
    names.map((name) => [name, { disabled: true, description: 'withdrawn: loss' }]),
  );
  outside.file = restate(outside.file, states);
}

export interface Play {
  readonly next: (states: FileStates) => string;
  readonly readBack: () => readonly string[];
  /** Called before and after each step, with a count; throwing is a death. */
  readonly at: (count: number) => void;
  readonly isHurried?: () => boolean;
}

export class Died extends Error {}

/** The world of one process. After its death nothing that it does has an effect. */
export function worldOf(outside: Outside, play: Play): ApplyWorld {
  let [count, isDead] = [0, false];
  const moment = (): void => {
    if (isDead) throw new Died('dead');
    try {
      play.at((count += 1));
    } catch (error) {
      isDead = true;
      throw error;
    }
  };
  async function step<T>(run: () => T): Promise<T> {
    moment();
    const result = run();
    moment();
    return result;
  }
  const write = (put: () => void): void => {
    if (outside.full) throw new Error('no space left (ENOSPC)');
    put();
  };
  const rehearsal: Rehearsal = { kind: 'as-expected', exports: new Map() };
  const diff: BaseDiff = { same: false, sessions: [], prefixes: [], others: [] };
  let looks = 0;
  return {
    fileText: () => step(() => outside.file),
    swap: (text) => step(() => write(() => (outside.file = text))),
    confirmed: () => step(() => outside.confirmed),
    keepConfirmed: (text) =>
      step(() => {
        if (outside.confirmed !== text) write(() => (outside.confirmed = text));
      }),
    isApplying: () => step(() => outside.applying !== null),
    beginApplying: (text) => step(() => write(() => (outside.applying = text))),
    concludeApplying: () =>
      step(() => ([outside.confirmed, outside.applying] = [outside.applying, null])).then(() => undefined),
    discardApplying: () => step(() => (outside.applying = null)).then(() => undefined),
    pendingUndo: () => step(() => (outside.timer ? 50 : null)),
    runningMark: () => step(() => markOf(outside.running)),
    configure: () => step(() => load(outside, false)),
    undo: () => step(() => (goBack(outside) ? 'undone' : 'nothing')),
    wake: () => step(() => undefined),
    render: (states) => step(() => play.next(states)),
    check: () => step(() => null),
    rehearse: () => step(() => rehearsal),
    diff: () => step(() => diff),
    configureTimeout: () => step(() => load(outside, true)),
    confirm: () =>
      step(() => {
        if (!outside.timer) return 'nothing';
        outside.timer = false;
        return 'confirmed';
      }),
    remember: () => step(() => undefined),
    readBack: () => step(() => play.readBack()),
    hold: () => undefined,
    isHurried: () => play.isHurried?.() ?? false,
    waitForNextLook: async () => (looks += 1) < 3,
  };
}

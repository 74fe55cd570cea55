/**
 * `--watch`: an answer that is drawn anew. On a terminal it stands on a screen of its own, which is overwritten line by
 * line (nothing is cleared first, so nothing flickers), drawn anew when the window changes, and left on SIGINT or SIGTERM
 * with the last answer below the prompt. In a pipe an answer is printed when it differs from the one before.
 */
import { isTerminal, terminal, terminalRows } from './terminal.ts';
import { exitCode, type ExitCode, type Output } from './exit.ts';
import type { TableOptions } from './table.ts';
import { cut } from './text-width.ts';

/** One answer: its text, and how the command would end with it. */
export interface Frame {
  readonly text: string;
  readonly code: ExitCode;
}

const everyMillis = 1000;
const escape = '\u001B';
/** Alternate screen, cursor hidden; and back. */
const enter = `${escape}[?1049h${escape}[?25l`;
const leave = `${escape}[?25h${escape}[?1049l`;
/** Synchronized output: terminals that know it show the whole frame at once, others pass it over. */
const begin = `${escape}[?2026h`;
const end = `${escape}[?2026l`;

/** Draws until it is interrupted, which is the end that was wanted: exit code 0. */
export async function watch(
  output: Output,
  draw: (options: TableOptions) => Promise<Frame>,
): Promise<ExitCode> {
  const wake = waker();
  const onScreen = isTerminal();
  if (onScreen) process.stdout.write(enter);
  process.stdout.on('resize', wake.now);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, wake.stop);
  // A reader that has gone (`| head`) wants no more.
  process.stdout.on('error', wake.stop);
  let last = '';
  try {
    while (!wake.isStopped()) {
      const { text } = await draw(terminal());
      if (wake.isStopped()) break;
      if (onScreen) process.stdout.write(frameText(text, terminal().columns, terminalRows()));
      else if (text !== last) output.answer(text);
      last = text;
      await wake.after(everyMillis);
    }
  } finally {
    if (onScreen) process.stdout.write(leave);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, wake.stop);
    process.stdout.off('resize', wake.now);
  }
  if (onScreen && last !== '') output.answer(last);
  return exitCode.done;
}

/** What overwrites a screen with this text, cut to its height. */
export function frameText(text: string, columns: number, rows: number): string {
  const lines = text.split('\n');
  const room = Math.max(1, rows);
  const isCut = lines.length > room;
  const shown = isCut ? lines.slice(0, room - 1) : lines;
  const hidden = lines.length - shown.length;
  const note = isCut
    ? [cut(`… ${hidden} more lines: make the window higher, or leave out --watch`, columns)]
    : [];
  // The rest of each line and of the screen is cleared behind what is new.
  return `${begin}${escape}[H${[...shown, ...note].map((line) => `${line}${escape}[K`).join('\r\n')}${escape}[J${end}`;
}

/** A pause that a resize ends early, and an interrupt for good. */
function waker() {
  let isStopped = false;
  let wakeUp: () => void = () => undefined;
  return {
    isStopped: () => isStopped,
    now: () => wakeUp(),
    stop: () => {
      isStopped = true;
      wakeUp();
    },
    after: (millis: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, millis);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
        if (isStopped) wakeUp();
      }),
  };
}

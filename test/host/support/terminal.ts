/** A command in a real terminal, as a person has it: typed to, resized, read. By python3's pty, which every Debian has. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

export interface Terminal {
  /** All that was shown so far, with its escape sequences. */
  shown(): string;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves when what was shown since `from` (a length of `shown()`) fits; rejects after half a minute with what was shown. */
  until(fits: (text: string) => boolean, from?: number): Promise<void>;
  /** Exit code of the command. */
  readonly ended: Promise<number>;
  /** Ends the command, if it still runs. */
  close(): void;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const patienceMillis = 30_000;

export function openTerminal(command: readonly string[], options: TerminalOptions): Terminal {
  const { columns, rows = 40, env = {} } = options;
  const child = spawn(
    'python3',
    [join(import.meta.dirname, 'pty.py'), String(columns), String(rows), ...command],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '', LC_ALL: 'C.UTF-8', ...env },
    },
  );
  // The command may have ended while something was typed.
  child.stdin.on('error', () => undefined);
  let text = '';
  let wake: () => void = () => undefined;
  const ended = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const news: { out?: string; exit?: number } = JSON.parse(line);
      text += news.out ?? '';
      if (news.exit !== undefined) resolve(news.exit);
      wake();
    });
    child.on('exit', () => resolve(-1));
  });
  const order = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`);
  return {
    shown: () => text,
    type: (send) => order({ send }),
    resize: (wide, high) => order({ resize: [wide, high] }),
    async until(fits, from = 0) {
      const deadline = performance.now() + patienceMillis;
      while (!fits(text.slice(from))) {
        if (performance.now() > deadline)
          throw new Error(`not in half a minute; shown: ${JSON.stringify(text.slice(from))}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 200);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    ended,
    close: () => void child.stdin.end(),
  };
}

/** What stands in the lines of a text, without colour and other escape sequences. */
export function bareLines(text: string): readonly string[] {
  return (
    text
      .replaceAll('\r', '')
      // oxlint-disable-next-line no-control-regex -- escape sequences are what it takes out
      .replaceAll(/\u001B\[[?\d;]*[A-Za-z]/g, '')
      .split('\n')
  );
}

/** The command as a person has it: in a real terminal, narrow and wide, watched, resized, interrupted, and with a shell's Tab. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { widthOf } from '../../src/cli/text-width.ts';
import { listenControl } from '../../src/host/control-socket.ts';
import { startHttp, type HttpServer } from '../../src/http/server.ts';
import type { StatusDocument } from '../../src/types/wire/status.ts';
import { sample } from '../unit/config-sample.ts';
import { familyStatus, statusOf } from '../unit/host-node.ts';
import { bareLines, openTerminal, type Terminal } from './support/terminal.ts';

const program = join(import.meta.dirname, '../../bin/causeway');
const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';

let folder: string;
let config: string;
let server: HttpServer;
let document: StatusDocument;
const terminals: Terminal[] = [];

const reason =
  'loss 34 % on 7 of 10 targets in ID and PH within ten seconds, while the gateway answers every echo';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-terminal-'));
  config = join(folder, 'causeway.yaml');
  symlinkSync(program, join(folder, 'causeway'));
  const control = join(folder, 'control.sock');
  writeFileSync(
    config,
    `${sample}paths: { state: ${JSON.stringify(folder)}, control: ${JSON.stringify(control)} }\n`,
  );
  document = documentWith('failed');
  server = await startHttp({
    host: '127.0.0.1',
    port: 0,
    listeners: [(accept) => listenControl({ path: control, accept })],
    status: () => document,
  });
});

afterAll(async () => {
  for (const terminal of terminals) terminal.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function documentWith(health: 'failed' | 'healthy'): StatusDocument {
  const family = familyStatus(health === 'failed' ? { health, reason: 'loss', text: reason } : {});
  return statusOf({
    uplinks: [
      {
        uplink: 'cmi',
        carrier: 'cmi',
        interface: 'eth1',
        link: 'up',
        families: { '4': family, '6': family },
      },
    ],
  });
}

function inTerminal(
  columns: number,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const terminal = openTerminal([program, ...words, '-c', config], { columns, env });
  terminals.push(terminal);
  return terminal;
}

describe('causeway status', () => {
  test.each([80, 200])('fits a terminal of %d columns, in colour', async (columns) => {
    const terminal = inTerminal(columns, ['status']);
    expect(await terminal.ended).toBe(0);
    const lines = bareLines(terminal.shown());
    for (const line of lines) expect(widthOf(line), `too wide: ${line}`).toBeLessThanOrEqual(columns);
    expect(terminal.shown()).toContain('\u001B[31mfailed');
    // Nothing is cut: the end of the sentence is there, wrapped or not.
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(reason);
    expect(lines.some((line) => line.includes(reason))).toBe(columns === 200);
  });

  test('has no colour with NO_COLOR, on a dumb terminal, and in a pipe', async () => {
    const plain = [
      inTerminal(80, ['status'], { NO_COLOR: '1' }),
      inTerminal(80, ['status'], { TERM: 'dumb' }),
    ];
    for (const terminal of plain) {
      expect(await terminal.ended).toBe(0);
      expect(terminal.shown()).toContain('failed');
      expect(terminal.shown()).not.toContain('\u001B');
    }
    const piped = await execa(program, ['status', '-c', config]);
    expect(piped.stdout).not.toContain('\u001B');
    expect(piped.stdout).toContain(reason);
  });
});

describe('--watch', () => {
  test('is drawn over itself, follows the window and the daemon, and ends on Ctrl-C with 0 and the last answer', async () => {
    document = documentWith('failed');
    const terminal = inTerminal(120, ['status', '--watch']);
    await terminal.until((text) => text.includes('failed'));
    expect(terminal.shown()).toContain(hideCursor);
    const before = terminal.shown().length;
    document = documentWith('healthy');
    await terminal.until((text) => text.includes('\u001B[32mhealthy'), before);
    const atResize = terminal.shown().length;
    document = documentWith('failed');
    terminal.resize(60, 40);
    await terminal.until((text) => text.includes('every echo'), atResize);
    const narrow = terminal.shown().slice(atResize);
    // The first frame behind the resize may be of the width before.
    const last = narrow.slice(narrow.lastIndexOf('\u001B[?2026h'));
    await terminal.until(
      (text) => text.lastIndexOf('\u001B[?2026l') > text.lastIndexOf('\u001B[?2026h'),
      atResize,
    );
    for (const line of bareLines(last)) expect(widthOf(line), `too wide: ${line}`).toBeLessThanOrEqual(60);
    // The screen is never cleared first.
    expect(terminal.shown()).not.toContain('\u001B[2J');
    const atEnd = terminal.shown().length;
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
    const rest = terminal.shown().slice(atEnd);
    expect(rest).toContain(showCursor);
    expect(bareLines(rest.slice(rest.indexOf(showCursor))).join('\n')).toContain('cmi     v4  failed');
  });

  test.each([
    ['events', '--follow'],
    ['events', '--watch'],
    ['explain', 'cmi', '--watch'],
  ])('%s %s ends on Ctrl-C with 0, whatever the daemon says', async (...words) => {
    const terminal = inTerminal(100, words);
    await terminal.until((text) => text.includes('no GET route here'));
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
  });

  test('in a pipe prints what changes, and stops when nobody reads', async () => {
    document = documentWith('healthy');
    const child = execa(program, ['status', '--watch', '--json', '-c', config], {
      reject: false,
      timeout: 60_000,
    });
    let text = '';
    const seen = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('"failed"')) resolve();
        else if (text.includes('\n')) document = documentWith('failed');
      });
    });
    await seen;
    child.kill('SIGINT');
    const { exitCode } = await child;
    const lines = text.trimEnd().split('\n');
    expect({ exitCode, lines: lines.length }).toEqual({ exitCode: 0, lines: 2 });
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ schema: 1 });
    // A pipe is seen to be closed when something is written: what is shown has to change.
    let turn = 0;
    const turning = setInterval(() => {
      turn += 1;
      document = { ...documentWith('failed'), tickAgeMillis: turn };
    }, 500);
    const line = `"${program}" status --watch --json -c "${config}" | head -n 1`;
    const head = await execa('sh', ['-c', line], { timeout: 60_000 }).finally(() => clearInterval(turning));
    expect(JSON.parse(head.stdout)).toMatchObject({ node: 'hk1' });
  });
});

describe('Tab', () => {
  const env = () => ({ PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, HISTFILE: '/dev/null' });

  /** Types, presses Tab (twice for a list), and waits for what it makes of the line. */
  async function completes(terminal: Terminal, typed: string, wanted: string): Promise<void> {
    const from = terminal.shown().length;
    terminal.type(`${typed}\t`);
    await terminal.until((text) => bareLines(text).join('\n').includes(wanted), from);
    // Takes the line away, for the next one.
    terminal.type('\u0015');
  }

  test('completes commands, options, uplinks and services in bash, as documented', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8');
    const documented = /^ {4}(source .*bash.*)$/m.exec(page)?.[1] ?? '';
    const shell = ['bash', '--norc', '--noprofile', '-i'];
    const terminal = openTerminal(shell, { columns: 120, env: env() });
    terminals.push(terminal);
    await terminal.until((text) => /[$#] $/.test(text));
    terminal.type(`${documented}; echo so"urced"\n`);
    await terminal.until((text) => text.includes('sourced'));
    await completes(terminal, 'causeway undr', 'causeway undrain ');
    await completes(terminal, `causeway drain -c ${config} pc`, `${config} pccw `);
    await completes(terminal, `causeway drain -c ${config} --service w`, '--service web ');
    await completes(terminal, 'causeway drain --rea', 'causeway drain --reason ');
    await completes(terminal, 'causeway force wi', 'causeway force withdraw ');
    terminal.type('\u0015exit\n');
    expect(await terminal.ended).toBe(0);
  });

  test('completes them in zsh, with what they mean', async () => {
    const terminal = openTerminal(['zsh', '-f', '-i'], {
      columns: 120,
      env: { ...env(), PROMPT: 'ready> ' },
    });
    terminals.push(terminal);
    await terminal.until((text) => text.includes('ready> '));
    terminal.type(
      'PROMPT="ready> "; autoload -U compinit && compinit -u -D; source <(causeway completion zsh); echo so"urced"\n',
    );
    await terminal.until((text) => text.includes('sourced'));
    await completes(terminal, 'causeway undr', 'causeway undrain');
    await completes(terminal, `causeway drain -c ${config} pc`, 'pccw');
    await completes(terminal, 'causeway f', 'let no verdict change anything');
    terminal.type('\u0015exit\n');
    expect(await terminal.ended).toBe(0);
  });
});

/**
 * The machine's links: read once, or followed. `ip monitor` only says that something changed; the truth is read again each time, and every
 * 5 s without being told, so that a lost event heals itself.
 */
import { execa } from 'execa';
import type { LinkView } from '../types/link-view.ts';
import { messageOf } from '../types/message-of.ts';
import { ipJson, systemIp, type IpCommand } from './ip-command.ts';
import { parseLinks, sameLinks } from './link-view.ts';

export interface WatchOptions {
  /** Called when links or addresses differ from the view before; first with the first view. */
  readonly onChange: (view: LinkView) => void;
  /** Called after any event, rules and routes included, and after each re-read: a moment to check routing. */
  readonly onEvent?: () => void;
  /** Something that an operator should see; the view before stays in force. */
  readonly onTrouble: (text: string) => void;
  readonly ip?: IpCommand;
}

export interface LinkWatch {
  stop(): void;
  /** The latest view; without links until the first one is read (`onChange` tells). */
  view(): LinkView;
}

const debounceMillis = 20;
/** A node that loads a full table sees thousands of route events a second; reading at most this often keeps it cheap. */
const spacingMillis = 200;
const rereadMillis = 5000;
const backoffMillis = { first: 250, longest: 10_000 };
/** A monitor that lived this long is healthy: the back-off starts anew. */
const healthyMillis = 10_000;

/**
 * The shell holds the monitor as a child and waits for its own standard input to end, which it does however we die: a
 * killed daemon leaves no monitor behind. Its stdout is closed, so that the pipe ends when the monitor does.
 */
const monitorScript = '"$@" </dev/null & exec >/dev/null; read -r _; kill $! 2>/dev/null';

/** Reads all links once. Throws IpError; an unreadable answer is never "no links". */
export async function readLinks(ip: IpCommand = systemIp): Promise<LinkView> {
  return parseLinks(await ipJson(ip, ['addr', 'show']));
}

/** Starts following. Never throws: trouble is told and tried again. */
export function watchLinks(options: WatchOptions): LinkWatch {
  const ip = options.ip ?? systemIp;
  const state: { view: LinkView; read: boolean; stopped: boolean } = {
    view: { links: new Map() },
    read: false,
    stopped: false,
  };
  const reader = pacedReader(async () => {
    const view = await readLinks(ip);
    if (state.stopped) return;
    if (!state.read || !sameLinks(state.view, view)) {
      state.view = view;
      state.read = true;
      options.onChange(view);
    }
    options.onEvent?.();
  }, options.onTrouble);
  const monitor = keepMonitor(ip, reader.soon, options.onTrouble);
  const poll = setInterval(reader.soon, rereadMillis);
  reader.soon();
  return {
    view: () => state.view,
    stop() {
      state.stopped = true;
      clearInterval(poll);
      reader.stop();
      monitor.stop();
    },
  };
}

/** Runs `read` shortly after `soon`, never twice at once, never more often than the spacing; tells each new trouble once. */
function pacedReader(read: () => Promise<void>, onTrouble: (text: string) => void) {
  let timer: NodeJS.Timeout | null = null;
  let reading = false;
  let wanted = false;
  let stopped = false;
  let lastAt = -Infinity;
  let trouble = '';
  const run = async (): Promise<void> => {
    timer = null;
    reading = true;
    lastAt = performance.now();
    try {
      await read();
      trouble = '';
    } catch (error) {
      const text = `links cannot be read: ${messageOf(error)}`;
      if (text !== trouble && !stopped) onTrouble(text);
      trouble = text;
    }
    reading = false;
    if (wanted) soon();
  };
  const soon = (): void => {
    wanted = reading;
    if (stopped || reading || timer !== null) return;
    const wait = Math.max(debounceMillis, lastAt + spacingMillis - performance.now());
    timer = setTimeout(() => void run(), wait);
  };
  const stop = (): void => {
    stopped = true;
    if (timer !== null) clearTimeout(timer);
  };
  return { soon, stop };
}

/** Keeps one `ip monitor` alive, with back-off. */
function keepMonitor(ip: IpCommand, onEvent: () => void, onTrouble: (text: string) => void) {
  let stopped = false;
  let waitMillis = backoffMillis.first;
  let retry: NodeJS.Timeout | null = null;
  let end = (): void => {};
  const start = (): void => {
    const startedAt = performance.now();
    const child = execa(
      'sh',
      ['-c', monitorScript, 'sh', ...ip, '-o', 'monitor', 'link', 'address', 'route', 'rule'],
      {
        buffer: false,
        reject: false,
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
        env: { LC_ALL: 'C' },
      },
    );
    let complaint = '';
    child.stdout.on('data', onEvent);
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-200);
    });
    child.stdin.on('error', () => {});
    end = () => child.stdin.end();
    child.stdout.on('end', end);
    const ended = async (): Promise<void> => {
      await child;
      if (stopped) return;
      if (performance.now() - startedAt > healthyMillis) waitMillis = backoffMillis.first;
      onTrouble(
        `\`ip monitor\` ended (${complaint.trim() || 'no message'}); starting it again in ${waitMillis} ms`,
      );
      retry = setTimeout(start, waitMillis);
      waitMillis = Math.min(waitMillis * 2, backoffMillis.longest);
      onEvent();
    };
    void ended();
  };
  start();
  const stop = (): void => {
    stopped = true;
    if (retry !== null) clearTimeout(retry);
    end();
  };
  return { stop };
}

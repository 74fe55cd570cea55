/** A real BIRD of its own on a temporary socket, with device and static protocols only: it touches no network. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

export interface ScratchBird {
  readonly socket: string;
  readonly config: string;
  /** SIGKILL, as in a crash: the socket's file stays. */
  crash(): Promise<void>;
  /** Starts it again on the same files. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts BIRD with this configuration and resolves when it takes connections. `binary`: of another version. */
export async function startBird(text: string, binary = 'bird'): Promise<ScratchBird> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bird-'));
  const [config, socket] = [join(folder, 'bird.conf'), join(folder, 'bird.ctl')];
  writeFileSync(config, text);
  let crash = (): Promise<void> => Promise.resolve();
  const start = async (): Promise<void> => {
    rmSync(socket, { force: true });
    crash = await run(binary, ['-f', '-c', config, '-s', socket, '-P', join(folder, 'bird.pid')], socket);
  };
  const stop = async (): Promise<void> => {
    await crash();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { socket, config, start, stop, crash: () => crash() };
}

/** Gives what ends it. */
async function run(binary: string, words: readonly string[], socket: string): Promise<() => Promise<void>> {
  const child = execa(binary, [...words], {
    reject: false,
    stdin: 'ignore',
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  });
  let output: string | null = null;
  void (async () => {
    const result = await child;
    output = `${result.shortMessage ?? ''} ${result.stderr}`;
  })();
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child;
  };
  const deadline = performance.now() + 30_000;
  while (!(await accepts(socket))) {
    if (output !== null || performance.now() > deadline) {
      await end();
      throw new Error(`bird did not start: ${String(output)}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  return end;
}

/** The file of a socket is there a moment before anybody listens on it. */
function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = createConnection({ path });
    attempt.once('connect', () => {
      attempt.destroy();
      resolve(true);
    });
    attempt.once('error', () => resolve(false));
  });
}

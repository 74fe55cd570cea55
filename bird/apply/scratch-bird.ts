/**
 * A BIRD of our own for a rehearsal: its own process, folder and socket; it has no protocol that reads or writes the
 * kernel, and opens no session. Where the caller is root it runs as the user that BIRD runs as.
 */
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type BirdClient, BirdError, openClient } from '../client.ts';
import type { SyntaxCheckOptions } from '../owned-file.ts';

export interface ScratchOptions extends SyntaxCheckOptions {
  /** Where the folder is made. */
  readonly folder: string;
}

/** It did not start, or died: the message has BIRD's own words. */
export class ScratchError extends Error {
  override readonly name = 'ScratchError';
}

const startLimitMillis = 20_000;
const commandMillis = 10_000;

/** Runs `use` with a client of a BIRD that runs this text, and removes all of it after. Throws ScratchError. */
export async function withScratchBird<T>(
  text: string,
  options: ScratchOptions,
  use: (client: BirdClient) => Promise<T>,
): Promise<T> {
  const { binary, user } = options;
  const folder = await mkdtemp(join(options.folder, 'causeway-rehearsal-'));
  const [config, socket] = [join(folder, 'bird.conf'), join(folder, 'bird.ctl')];
  try {
    await writeFile(config, text, { mode: 0o600 });
    if (user !== undefined)
      await Promise.all([folder, config].map((path) => chown(path, user.uid, user.gid)));
    // Whatever ends us, kill -9 too, ends it.
    const withUs = ['--pdeathsig', 'KILL', '--', binary];
    const child = execa(
      'setpriv',
      [...withUs, '-f', '-c', config, '-s', socket, '-P', join(folder, 'bird.pid')],
      {
        reject: false,
        stdin: 'ignore',
        cleanup: true,
        env: { PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` },
        ...user,
      },
    );
    const ended = wordsOfEnd(child);
    const client = openClient({ path: socket, timeoutMillis: commandMillis });
    try {
      await started(client, ended.text);
      return await use(client);
    } finally {
      client.close();
      child.kill('SIGKILL');
      await child;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the process says when it ends by itself. */
function wordsOfEnd(
  child: PromiseLike<{ readonly stderr: string; readonly shortMessage?: string | undefined }>,
): { readonly text: () => string | null } {
  let text: string | null = null;
  void (async () => {
    const { stderr, shortMessage } = await child;
    text = `${stderr.trim()} ${shortMessage ?? ''}`.trim() || 'it ended without a word';
  })();
  return { text: () => text };
}

/** The socket is there before the text is read, so only an answer tells that BIRD took it. */
async function started(client: BirdClient, ended: () => string | null): Promise<void> {
  const deadline = performance.now() + startLimitMillis;
  for (;;) {
    try {
      await client.command('show status');
      return;
    } catch (error) {
      if (!(error instanceof BirdError)) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    const words = ended();
    if (words !== null) throw new ScratchError(`BIRD did not start for the rehearsal: ${words}`);
    if (performance.now() > deadline)
      throw new ScratchError(`BIRD did not start for the rehearsal within ${startLimitMillis / 1000} s`);
  }
}

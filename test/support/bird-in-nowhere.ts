/** A BIRD in a network namespace of its own, without any link: it may have kernel protocols and sessions, and reaches nothing. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type BirdClient, openClient } from '../../bird/client.ts';

export interface BirdInNowhere {
  readonly folder: string;
  readonly owned: string;
  readonly socket: string;
  readonly state: string;
  readonly client: BirdClient;
  /** SIGKILL, and waits for its end. */
  crash(): Promise<void>;
  /** Again, with what is on the disk. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** `main`: bird.conf, which has to include `causeway/causeway.conf`; null: the owned file is all of it. */
export async function birdInNowhere(
  bird: string,
  owned: string,
  main: string | null,
): Promise<BirdInNowhere> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-nowhere-'));
  mkdirSync(join(folder, 'causeway'));
  const ownedPath = join(folder, 'causeway', 'causeway.conf');
  writeFileSync(ownedPath, owned);
  const mainPath = main === null ? ownedPath : join(folder, 'bird.conf');
  if (main !== null) writeFileSync(mainPath, main);
  const socket = join(folder, 'bird.ctl');
  const client = openClient({ path: socket, timeoutMillis: 10_000 });
  const spawn = () =>
    execa('unshare', ['-n', bird, '-f', '-c', mainPath, '-s', socket, '-P', join(folder, 'bird.pid')], {
      reject: false,
      stdin: 'ignore',
    });
  let child = spawn();
  const self: BirdInNowhere = {
    folder,
    owned: ownedPath,
    socket,
    state: join(folder, 'state'),
    client,
    async crash() {
      child.kill('SIGKILL');
      await child;
    },
    async start() {
      child = spawn();
      await answering(client);
    },
    async stop() {
      client.close();
      await self.crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await answering(client);
  } catch (error) {
    await self.stop();
    throw error;
  }
  return self;
}

async function answering(client: BirdClient): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      await client.command('show status');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

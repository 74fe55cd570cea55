/** A real BIRD of its own on a temporary socket, with device and static protocols only: it touches no network. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

export interface ScratchBird {
  readonly socket: string;
  readonly config: string;
  stop(): Promise<void>;
}

/** Starts BIRD with this configuration and resolves when its socket is there. */
export async function startBird(text: string): Promise<ScratchBird> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bird-'));
  const [config, socket] = [join(folder, 'bird.conf'), join(folder, 'bird.ctl')];
  writeFileSync(config, text);
  const child = execa('bird', ['-f', '-c', config, '-s', socket, '-P', join(folder, 'bird.pid')], {
    reject: false,
    stdin: 'ignore',
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  });
  let output: string | null = null;
  void (async () => {
    const result = await child;
    output = `${result.shortMessage ?? ''} ${result.stderr}`;
  })();
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child;
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + 20_000;
  while (!existsSync(socket)) {
    if (output !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`bird did not start: ${String(output)}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  return { socket, config, stop };
}

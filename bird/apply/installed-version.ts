/** The version of a BIRD that is installed, whether it runs or not. */
import { execa } from 'execa';

const limitMillis = 10_000;

/** As BIRD prints it, such as `2.0.12`; null where the binary cannot be run or prints something else. */
export async function installedVersion(binary: string): Promise<string | null> {
  const { stdout, stderr } = await execa(binary, ['--version'], {
    timeout: limitMillis,
    reject: false,
    stdin: 'ignore',
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` },
  });
  // 2.x prints it on stderr, 3.x on stdout.
  return /^BIRD version (\d+\.\d+\S*)/m.exec(`${stdout}\n${stderr}`)?.[1] ?? null;
}

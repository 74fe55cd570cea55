/** The Debian package of this tree, from what is built already. */
import { execFileSync } from 'node:child_process';

/** The file, made in `folder`. */
export function buildPackage(folder: string): string {
  const build = ['packaging/build', '--no-build', '--output', folder];
  return execFileSync('bash', build, { encoding: 'utf8' }).trim();
}

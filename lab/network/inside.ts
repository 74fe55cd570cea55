/** How a command is run inside a network namespace. */
import { readFileSync } from 'node:fs';

/**
 * Containers mount /proc/sys read-only, sysctls of our own namespaces included. `ip netns exec` gives each command a
 * mount namespace of its own, and a fresh /proc in that one can be written.
 */
const ownProc = /^\S+ \/proc\/sys \S+ ro[, ]/m.test(readFileSync('/proc/self/mounts', 'utf8'))
  ? ['sh', '-c', 'mount -t proc proc /proc && exec "$@"', 'sh']
  : [];

/** Arguments for `ip`. The command takes the place of `ip`, so the child's pid is the command's own. */
export function inside(namespace: string, argv: readonly string[]): string[] {
  return ['netns', 'exec', namespace, ...ownProc, ...argv];
}

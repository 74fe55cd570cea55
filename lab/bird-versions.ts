/** The BIRDs that tests can run on: the system's, and those that `lab/fetch-bird` has unpacked under `.cache/bird`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface BirdVersion {
  /** As BIRD prints it, such as `3.4.0`. */
  readonly version: string;
  /** Program files; both run as they are, from any folder. */
  readonly bird: string;
  readonly birdc: string;
}

/** All versions found, oldest first; of two of the same version the system's. Nothing is fetched. */
export function birdVersions(): readonly BirdVersion[] {
  const found = new Map(fetchedVersions().map((each) => [each.version, each]));
  const own = systemVersion();
  if (own !== null) found.set(own.version, own);
  return [...found.values()].toSorted((a, b) => compareVersions(a.version, b.version));
}

/** Negative when `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function fetchedVersions(): readonly BirdVersion[] {
  const folder = join(packageFolder(), '.cache', 'bird');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((version) => {
    const bird = join(folder, version, 'bird');
    const birdc = join(folder, version, 'birdc');
    return existsSync(bird) && existsSync(birdc) ? [{ version, bird, birdc }] : [];
  });
}

function systemVersion(): BirdVersion | null {
  for (const folder of ['/usr/sbin', '/usr/local/sbin']) {
    const bird = join(folder, 'bird');
    if (!existsSync(bird)) continue;
    // BIRD prints its version on stderr or stdout, depending on its own version.
    const text = execFileSync('sh', ['-c', '"$1" --version 2>&1', 'sh', bird], { encoding: 'utf8' });
    const version = /^BIRD version (\S+)/.exec(text)?.[1];
    if (version !== undefined) return { version, bird, birdc: join(folder, 'birdc') };
  }
  return null;
}

/** The folder of package.json, from the source as well as from a build. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** The version of the program that runs. */
import { readFileSync } from 'node:fs';

/** Of the package that this file belongs to: two folders up in the source, three in a build; `unknown` where it is gone. */
export function packageVersion(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      const found: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'));
      if (typeof found === 'object' && found !== null && 'version' in found) return String(found.version);
    } catch {
      // The other one is it.
    }
  }
  return 'unknown';
}

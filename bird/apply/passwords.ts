/** Session passwords from their files. They go into the owned file and nowhere else, never into a message. */
import { readFile } from 'node:fs/promises';
import type { Uplink } from '../../src/types/config.ts';

export type Passwords =
  | { readonly kind: 'ok'; readonly passwords: ReadonlyMap<string, string> }
  | { readonly kind: 'bad'; readonly problems: readonly { readonly text: string }[] };

/** By uplink. A file holds the password in its first line; an empty one, or one that cannot be read, is a problem. */
export async function readPasswords(uplinks: readonly Uplink[]): Promise<Passwords> {
  const passwords = new Map<string, string>();
  const problems: { text: string }[] = [];
  for (const uplink of uplinks) {
    const path = uplink.peer.passwordFile;
    if (path === null) continue;
    const where = `uplinks.${uplink.name}.peer.password_file: ${path}`;
    try {
      const [first = '', ...others] = (await readFile(path, 'utf8')).trimEnd().split('\n');
      if (others.length > 0) problems.push({ text: `${where} has more than one line` });
      else if (first === '' || Buffer.byteLength(first) > 80 || /["\p{Cc}]/u.test(first))
        problems.push({ text: `${where} has to hold 1 to 80 bytes without double quotes and controls` });
      else passwords.set(uplink.name, first);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      problems.push({ text: `${where} cannot be read (${code})` });
    }
  }
  return problems.length > 0 ? { kind: 'bad', problems } : { kind: 'ok', passwords };
}

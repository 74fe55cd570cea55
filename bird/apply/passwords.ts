/** Session secrets from their files. They go into the owned file and nowhere else, never into a message. */
import { readFile } from 'node:fs/promises';
import type { Uplink } from '../../src/types/config.ts';
import { aoSecretName } from '../render/authentication.ts';

export type Passwords =
  | { readonly kind: 'ok'; readonly passwords: ReadonlyMap<string, string> }
  | { readonly kind: 'bad'; readonly problems: readonly { readonly text: string }[] };

interface SecretFile {
  /** The name that `renderConfig` knows the secret by. */
  readonly name: string;
  readonly path: string;
  /** The key of the config that names the file. */
  readonly key: string;
}

/**
 * By uplink, and for keys of TCP-AO by `aoSecretName`. A file holds the secret in its first line; an empty one, or one that
 * cannot be read, is a problem.
 */
export async function readPasswords(uplinks: readonly Uplink[]): Promise<Passwords> {
  const passwords = new Map<string, string>();
  const problems: { text: string }[] = [];
  for (const { name, path, key } of uplinks.flatMap((uplink) => secretFiles(uplink))) {
    const where = `${key}: ${path}`;
    try {
      const [first = '', ...others] = decoded(await readFile(path))
        .trimEnd()
        .split('\n');
      if (others.length > 0) problems.push({ text: `${where} has more than one line` });
      else if (first === '' || Buffer.byteLength(first) > 80 || /["\p{Cc}]/u.test(first))
        problems.push({ text: `${where} has to hold 1 to 80 bytes without double quotes and controls` });
      else passwords.set(name, first);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      problems.push({ text: `${where} cannot be read (${code})` });
    }
  }
  return problems.length > 0 ? { kind: 'bad', problems } : { kind: 'ok', passwords };
}

/** Other bytes would be replaced on the way into BIRD's file, and the session would have another secret. */
function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function secretFiles({ name, peer }: Uplink): readonly SecretFile[] {
  const key = `uplinks.${name}.peer`;
  return [
    ...(peer.passwordFile === null ? [] : [{ name, path: peer.passwordFile, key: `${key}.password_file` }]),
    ...peer.session.aoKeys.map(({ id, secretFile }, index) => ({
      name: aoSecretName(name, id),
      path: secretFile,
      key: `${key}.ao_keys[${index}].secret_file`,
    })),
  ];
}

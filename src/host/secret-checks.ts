/** What `causeway doctor` looks at on the files with secrets that the config names. Their contents are never read. */
import { access, constants, stat } from 'node:fs/promises';
import type { NodeConfig } from '../types/config.ts';
import { messageOf } from '../types/message-of.ts';
import { type Check, finding, type Finding } from './doctor.ts';

interface SecretFile {
  /** Path in the config: `uplinks.cmi.peer.password_file`. */
  readonly key: string;
  readonly path: string;
}

/** One for each file; none where the config names none. */
export function secretChecks(files: readonly SecretFile[]): readonly Check<unknown>[] {
  return files.map(({ key, path }) => ({
    id: `secret.${key}`,
    title: `secret ${key}`,
    run: () => secretFinding({ key, path }),
  }));
}

/** All of them, by their keys. */
export function secretFiles({ uplinks, http, fleet, geodns }: NodeConfig): readonly SecretFile[] {
  const one = (key: string, path: string | null | undefined): readonly SecretFile[] =>
    path === null || path === undefined ? [] : [{ key, path }];
  return [
    ...uplinks.flatMap(({ name, peer }) =>
      peer.passwordFile === null
        ? []
        : [{ key: `uplinks.${name}.peer.password_file`, path: peer.passwordFile }],
    ),
    ...uplinks.flatMap(({ name, peer }) =>
      peer.session.aoKeys.flatMap(({ secretFile }, index) =>
        one(`uplinks.${name}.peer.ao_keys[${index}].secret_file`, secretFile),
      ),
    ),
    ...one('http.token_file', http.tokenFile),
    ...one('fleet.password_file', fleet?.passwordFile),
    ...one('fleet.orders_key_file', fleet?.ordersKeyFile),
    ...one('geodns.token_file', geodns?.tokenFile),
  ];
}

async function secretFinding({ key, path }: SecretFile): Promise<Finding> {
  try {
    await access(path, constants.R_OK);
    const { mode } = await stat(path);
    if ((mode & 0o004) === 0) return { kind: 'ok', text: `${path} is kept from others` };
    return finding('secret-open', {
      what: `${path} has mode ${(mode & 0o7777).toString(8).padStart(4, '0')}`,
      why: 'whoever is on this machine can read it, and speak for the node with it',
      mend: `chgrp causeway ${path} && chmod 0640 ${path}`,
    });
  } catch (error) {
    return finding('secret-missing', {
      what: messageOf(error),
      why: `${key} names it, and nothing that needs it works`,
      mend: `ls -l ${path}  # make it, with mode 0640 and group causeway, or take the key out`,
    });
  }
}

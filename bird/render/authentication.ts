/** How a session proves who it is: TCP MD5 (RFC 2385) or TCP-AO (RFC 5925). Secrets that are not given stand as a comment. */
import type { AoAlgorithm, AoKey } from '../../src/types/session-options.ts';
import { quoted } from './block.ts';
import type { Session } from './parts.ts';

const aoWords: Readonly<Record<AoAlgorithm, string>> = {
  'cmac-aes128': 'cmac aes128',
  'hmac-sha1': 'hmac sha1',
  'hmac-sha256': 'hmac sha256',
  'hmac-sha512': 'hmac sha512',
};

/** The name of a key's secret among the passwords, which are by uplink. */
export function aoSecretName(uplink: string, id: number): string {
  return `${uplink}/ao/${id}`;
}

/** `secrets` is by uplink, and for keys of TCP-AO by `aoSecretName`. RangeError for one that BIRD or Linux cannot take. */
export function authenticationLines(
  { uplink }: Session,
  secrets: ReadonlyMap<string, string>,
): readonly string[] {
  const path = `uplinks.${uplink.name}.peer`;
  const { aoKeys } = uplink.peer.session;
  if (aoKeys.length > 0) {
    return [
      `authentication ao;  # ${path}.ao_keys`,
      'keys {',
      ...aoKeys.flatMap((key, index) =>
        aoKey(key, index === 0, secrets.get(aoSecretName(uplink.name, key.id)), `${path}.ao_keys[${index}]`),
      ),
      '};',
    ];
  }
  const file = uplink.peer.passwordFile;
  if (file === null) return [];
  const password = secrets.get(uplink.name);
  if (password === undefined) return [hidden('password', file)];
  return [`password ${secret(password, `the password of ${path}.password_file`)};  # ${path}.password_file`];
}

function aoKey(key: AoKey, preferred: boolean, given: string | undefined, path: string): readonly string[] {
  return [
    '  key {',
    `    id ${key.id};  # ${path}.id`,
    `    algorithm ${aoWords[key.algorithm]};  # ${path}.algorithm`,
    given === undefined
      ? `    ${hidden('secret', key.secretFile)}`
      : `    secret ${secret(given, `the secret of ${path}.secret_file`)};  # ${path}.secret_file`,
    ...(preferred ? ['    preferred;'] : []),
    '  };',
  ];
}

function hidden(what: string, file: string): string {
  return `# The ${what} of ${JSON.stringify(file)} belongs here; it is not shown.`;
}

/** RFC 2385 and Linux (TCP_MD5SIG_MAXKEYLEN, TCP_AO_MAXKEYLEN) take 80 bytes at most. */
function secret(value: string, what: string): string {
  if (value === '' || Buffer.byteLength(value) > 80)
    throw new RangeError(`${what} has to have 1 to 80 bytes (RFC 2385 and Linux)`);
  return quoted(value, what);
}

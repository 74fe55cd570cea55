/** The service over a stand: its files in the stand's folder, its tokens known. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stand } from './stand.ts';

export const labTokens = {
  hk1: 'token-of-node-hk1',
  hk2: 'token-of-node-hk2',
  sg1: 'token-of-node-sg1',
  ops: 'token-of-operators',
};

/** Writes configuration, rules, networks, keys and tokens; returns the path of the configuration. */
export async function writeServiceFiles(
  stand: Stand,
  listen: string,
  rules = 'lab/geodns/rules.yaml',
): Promise<string> {
  const at = (name: string): string => join(stand.folder, name);
  await mkdir(at('state'), { recursive: true });
  await copyFile(rules, at('rules.yaml'));
  await copyFile('networks.yaml', at('networks.yaml'));
  const hash = (token: string): string => createHash('sha256').update(token).digest('hex');
  const tokens = Object.entries(labTokens).map(([name, token]) =>
    name === 'ops'
      ? `  - { name: ops, role: admin, sha256: ${hash(token)} }`
      : `  - { name: ${name}, role: node, node: ${name}, sha256: ${hash(token)} }`,
  );
  await writeFile(at('tokens.yaml'), `tokens:\n${tokens.join('\n')}\n`, { mode: 0o600 });
  const sites = await Promise.all(
    stand.sites.map(async ({ name, api, dns }) => {
      await writeFile(at(`${name}.key`), api.key, { mode: 0o600 });
      return `  - { name: ${name}, api: "${api.url}", key_file: ${at(`${name}.key`)}, dns: "${dns.host}:${dns.port}" }`;
    }),
  );
  const lines = [
    `listen: "${listen}"`,
    `state: ${at('state')}`,
    `rules: ${at('rules.yaml')}`,
    `networks: ${at('networks.yaml')}`,
    `mmdb: { asn: ${stand.mmdb.asn}, country: ${stand.mmdb.country} }`,
    `tokens_file: ${at('tokens.yaml')}`,
    'sites:',
    ...sites,
  ];
  await writeFile(at('geodns.yaml'), `${lines.join('\n')}\n`);
  return at('geodns.yaml');
}

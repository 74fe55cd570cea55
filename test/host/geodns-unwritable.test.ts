/** Files of the rules on a file system that the service may only read, as /etc is under its unit. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../lab/network/wait.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-unwritable-'));
const at = (name: string): string => join(folder, name);
let service: ChildProcess | null = null;

beforeAll(async () => {
  for (const name of ['fixed', 'state']) mkdirSync(at(name));
  await execa('mount', ['-t', 'tmpfs', 'causeway-fixed', at('fixed')]);
  for (const name of ['fixed/rules.yaml', 'rules.yaml']) copyFileSync('lab/geodns/rules.yaml', at(name));
  copyFileSync('networks.yaml', at('networks.yaml'));
  await execa('mount', ['-o', 'remount,ro', at('fixed')]);
  for (const [name, data] of Object.entries(worldMmdbs())) writeFileSync(at(`${name}.mmdb`), data);
  writeFileSync(at('key'), 'key');
  writeFileSync(at('tokens.yaml'), `tokens: [{ name: ops, role: admin, sha256: ${'a'.repeat(64)} }]\n`);
});
afterEach(() => service?.kill('SIGKILL'));
afterAll(async () => {
  await execa('umount', ['-l', at('fixed')]);
  rmSync(folder, { recursive: true });
});

/** What the service has said when it has started. */
async function saidWith(rules: string): Promise<string> {
  const lines = [
    'listen: "127.0.0.1:0"',
    `state: ${at('state')}`,
    `rules: ${rules}`,
    `networks: ${at('networks.yaml')}`,
    `mmdb: { asn: ${at('asn.mmdb')}, country: ${at('country.mmdb')} }`,
    `tokens_file: ${at('tokens.yaml')}`,
    // Nothing listens there.
    `sites: [{ name: hkg, api: "http://127.0.0.1:9", key_file: ${at('key')}, dns: "127.0.0.1:9" }]`,
  ];
  writeFileSync(at('geodns.yaml'), `${lines.join('\n')}\n`);
  const args = ['bin/causeway-geodns', 'run', '-c', at('geodns.yaml')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  service = child;
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const isOver = (): boolean => child.exitCode !== null || said.includes('"msg":"started"');
  await waitUntil('the service to start', isOver, { timeoutMillis: 60_000 });
  expect(child.exitCode).toBeNull();
  return said;
}

const warning = 'cannot be replaced by us';

test('are named at the start, since the API will not be able to replace them', async () => {
  const said = await saidWith(at('fixed/rules.yaml'));
  const lines = said.split('\n').filter((line) => line.includes(warning));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 40, path: at('fixed/rules.yaml') }),
  ]);
});

test('nothing is said where it may', async () => {
  expect(await saidWith(at('rules.yaml'))).not.toContain(warning);
});

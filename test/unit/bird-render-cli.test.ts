/** `causeway render` as an operator runs it: a config file, an owned file, the real `bird -p`. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readStates, restate } from '../../bird/file-states.ts';
import { registerRender } from '../../src/cli/render.ts';

let folder = '';
let owned = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-render-'));
  owned = join(folder, 'causeway.conf');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly answer: string;
  readonly complaint: string;
}

async function render(...words: string[]): Promise<Ran> {
  const ran = { code: 0, answer: '', complaint: '' };
  const program = new Command().exitOverride();
  registerRender(program, {
    answer: (text) => (ran.answer += `${text}\n`),
    complain: (text) => (ran.complaint += `${text}\n`),
    end: (code) => (ran.code = code),
  });
  await program.parseAsync(['render', '-c', configFile(), ...words], { from: 'user' });
  return ran;
}

let services = 'web: { prefixes: [203.0.113.0/24] }';
let passwordLine = '';

function configFile(): string {
  const path = join(folder, 'causeway.yaml');
  writeFileSync(
    path,
    `mode: live
node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
bird: { config: ${owned}, layout: whole }
services:
  ${services}
uplinks:
  cmi:
    carrier: cmi
    interface: eth1
    source: [223.118.10.2]
    peer: { asn: 58453, address: [223.118.10.1]${passwordLine} }
    targets:
      - { name: jkt1, region: ID, ping: 198.51.100.10 }
      - { name: jkt2, region: ID, ping: 198.51.100.11 }
      - { name: mnl1, region: PH, ping: 198.51.100.12 }
      - { name: mnl2, region: PH, ping: 198.51.100.13 }
`,
  );
  return path;
}

beforeEach(() => {
  services = 'web: { prefixes: [203.0.113.0/24] }';
  passwordLine = '';
});

const withdrawn = new Map([['announce_cmi_web4', { disabled: true, description: 'withdrawn: loss' }]]);

describe('printing', () => {
  test('gives the whole file and writes nothing', async () => {
    const ran = await render();
    expect(ran).toMatchObject({ code: 0, complaint: '' });
    expect([...readStates(ran.answer).keys()]).toContain('announce_cmi_web4');
    expect(existsSync(owned)).toBe(false);
  });

  test('as JSON names path, states and text', async () => {
    const document: unknown = JSON.parse((await render('--json')).answer);
    expect(document).toMatchObject({
      path: owned,
      written: false,
      states: { drain_cmi_web4: { disabled: true } },
      text: expect.stringContaining('protocol bgp bgp_cmi4'),
    });
  });

  test('never shows a password, and --write puts it into the file', async () => {
    const secret = join(folder, 'cmi.key');
    writeFileSync(secret, 's3cret-word\n');
    passwordLine = `, password_file: ${secret}`;
    for (const words of [[], ['--json'], ['--write'], ['--write', '--json']]) {
      const ran = await render(...words);
      expect(ran.code).toBe(0);
      expect(ran.answer + ran.complaint).not.toContain('s3cret-word');
    }
    expect(readFileSync(owned, 'utf8')).toContain('password "s3cret-word";');
    expect(statSync(owned).mode & 0o777).toBe(0o640);
  });
});

describe('writing', () => {
  test('keeps what is withdrawn in the file that is there, and --plain announces everything', async () => {
    await render('--write');
    writeFileSync(owned, restate(readFileSync(owned, 'utf8'), withdrawn));
    expect(await render('--write')).toMatchObject({ code: 0 });
    expect(readStates(readFileSync(owned, 'utf8')).get('announce_cmi_web4')).toEqual(
      withdrawn.get('announce_cmi_web4'),
    );
    expect(await render('--write', '--plain')).toMatchObject({ code: 0 });
    expect(readStates(readFileSync(owned, 'utf8')).get('announce_cmi_web4')?.disabled).toBe(false);
  });

  test('drops the states of a service that is gone, and keeps the others', async () => {
    services = 'web: { prefixes: [203.0.113.0/24] }\n  dns: { prefixes: [192.0.2.0/24] }';
    await render('--write');
    writeFileSync(owned, restate(readFileSync(owned, 'utf8'), withdrawn));
    services = 'web: { prefixes: [203.0.113.0/24] }';
    expect(await render('--write')).toMatchObject({ code: 0, complaint: '' });
    const states = readStates(readFileSync(owned, 'utf8'));
    expect(states.get('announce_cmi_web4')?.disabled).toBe(true);
    expect(states.has('announce_cmi_dns4')).toBe(false);
  });

  test('refuses to build on a foreign or cut file, with 1, and leaves it', async () => {
    writeFileSync(owned, 'router id 192.0.2.1;\n');
    const ran = await render('--write');
    expect(ran).toMatchObject({ code: 1, answer: '' });
    expect(ran.complaint).toMatch(/causeway\.conf is not a whole file of Causeway.*--plain/);
    expect(readFileSync(owned, 'utf8')).toBe('router id 192.0.2.1;\n');
    expect(await render('--write', '--plain')).toMatchObject({ code: 0 });
  });

  test('what bird -p refuses is not written, with 1', async () => {
    const bird = join(folder, 'bird');
    writeFileSync(bird, '#!/bin/sh\necho "bird: $3:12:5 syntax error, unexpected X" >&2\nexit 1\n', {
      mode: 0o755,
    });
    const ran = await render('--write', '--bird', bird);
    expect(ran.code).toBe(1);
    expect(ran.complaint).toContain(
      'line 12, column 5: syntax error, unexpected X (timeformat route iso long ms;);',
    );
    expect(readdirSync(folder).sort()).toEqual(['bird', 'causeway.yaml']);
  });

  test('what this BIRD does not have is refused by its key, with 2, before any text is checked', async () => {
    const bird = join(folder, 'bird');
    const says = (version: string): void =>
      writeFileSync(bird, `#!/bin/sh\n[ "$1" = --version ] && echo "BIRD version ${version}" >&2\nexit 0\n`, {
        mode: 0o755,
      });
    const secret = join(folder, 'cmi.ao');
    writeFileSync(secret, 's3cret-word\n');
    passwordLine = `, ao_keys: [{ id: 1, secret_file: ${secret} }]`;
    says('2.0.12');
    const ran = await render('--write', '--bird', bird);
    expect(ran).toEqual({
      code: 2,
      answer: '',
      complaint:
        'uplinks.cmi.peer.ao_keys: TCP-AO needs BIRD 2.17 or newer, and this is 2.0.12: leave it out, or bring BIRD up to date\n',
    });
    expect(existsSync(owned)).toBe(false);
    says('3.1.8');
    expect(await render('--write', '--bird', bird)).toMatchObject({ code: 0, complaint: '' });
    expect(readFileSync(owned, 'utf8')).toContain('secret "s3cret-word";');
    expect((await render()).answer).not.toContain('s3cret-word');
  });

  test('without bird to check with nothing is written, with 3', async () => {
    const ran = await render('--write', '--bird', join(folder, 'nobird'));
    expect(ran.code).toBe(3);
    expect(ran.complaint).toContain('ENOENT');
    expect(existsSync(owned)).toBe(false);
  });

  test('a directory that is missing is 1 with its errno, a password that is missing is 2', async () => {
    owned = join(folder, 'no', 'causeway.conf');
    const ran = await render('--write');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.complaint).toContain('ENOENT');
    owned = join(folder, 'causeway.conf');
    passwordLine = `, password_file: ${folder}/none.key`;
    expect(await render('--write')).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('none.key'),
    });
  });
});

test('a bad config is 2', async () => {
  services = 'web: { prefixes: [203.0.113.7/24] }';
  expect(await render()).toMatchObject({ code: 2, answer: '' });
});

/** What goes into the package, as far as that can be said without building it; test/full/debian-package.test.ts does the rest. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = mkdtempSync(join(tmpdir(), 'causeway-packaging-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = join(process.cwd(), 'packaging/production-modules.mjs');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<
  Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
>;

describe('the modules of the package', () => {
  test('are what the program needs, and nothing for development alone', async () => {
    const { stdout } = await execa('node', [script]);
    const paths = stdout.split('\n');
    for (const name of Object.keys(manifest.dependencies)) expect(paths).toContain(`node_modules/${name}`);
    for (const name of Object.keys(manifest.devDependencies))
      expect(paths).not.toContain(`node_modules/${name}`);
  });

  /** A checkout of one package, locked as 1.0.0. */
  function checkout(name: string, installed: string | null, flags: object = {}): string {
    const root = join(folder, name);
    mkdirSync(join(root, 'node_modules/left'), { recursive: true });
    const packages = { '': {}, 'node_modules/left': { version: '1.0.0', ...flags } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    if (installed !== null)
      writeFileSync(join(root, 'node_modules/left/package.json'), JSON.stringify({ version: installed }));
    return root;
  }

  test.each([
    ['as locked', '1.0.0', {}, 0, 'node_modules/left'],
    ['of another version', '1.0.1', {}, 1, 'the lock says 1.0.0, installed is 1.0.1'],
    ['missing', null, {}, 1, 'installed is nothing'],
    ['optional and for another machine', null, { optional: true }, 0, ''],
    ['optional and of another version', '1.0.1', { optional: true }, 1, 'installed is 1.0.1'],
    ['for development', '1.0.0', { dev: true }, 0, ''],
    ['a peer that only some install', '1.0.0', { peer: true }, 0, ''],
  ])('one that is %s', async (name, installed, flags, code, said) => {
    const result = await execa('node', [script], {
      cwd: checkout(name, installed, flags),
      reject: false,
      all: true,
    });
    expect(result.exitCode).toBe(code);
    if (said === '') expect(result.all).toBe('');
    else expect(result.all).toContain(said);
  });
});

test.each(readdirSync('packaging/debian').filter((name) => !name.endsWith('.in')))(
  '%s is sh',
  async (name) => {
    await execa('sh', ['-n', `packaging/debian/${name}`]);
  },
);

describe('the units', () => {
  test.each([
    ['causeway.service', 20],
    ['causeway-geodns.service', 20],
    ['causeway-boot.service', 40],
  ])('%s is exposed by less than %i tenths', async (unit, tenths) => {
    const place = mkdtempSync(join(folder, 'unit-'));
    cpSync(`systemd/${unit}`, join(place, unit));
    const args = ['security', '--no-pager', '--offline=true', `--threshold=${tenths}`, join(place, unit)];
    await execa('systemd-analyze', args);
  });

  test('can all be enabled: what starts them is named', () => {
    const wanted = (unit: string) =>
      /^\[Install\]\nWantedBy=(.*)$/m.exec(readFileSync(`systemd/${unit}`, 'utf8'))?.[1];
    expect(wanted('causeway.service')).toBe('multi-user.target');
    expect(wanted('causeway-geodns.service')).toBe('multi-user.target');
    expect(wanted('causeway-boot.service')).toBe('bird.service');
  });

  test('let the GeoDNS service write what its documented configuration makes it write', () => {
    const unit = readFileSync('systemd/causeway-geodns.service', 'utf8');
    const state = `/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1] ?? ''}`;
    const example = /<!-- example: of geodns -->\n```yaml\n([^`]*)```/.exec(
      readFileSync('docs/geodns.md', 'utf8'),
    );
    const { state: journal, rules, networks } = parse(example?.[1] ?? '');
    expect([journal, dirname(rules), dirname(networks)]).toEqual([state, state, state]);
  });

  test('tie themselves to no other unit: nothing is stopped or started with them', () => {
    for (const unit of readdirSync('systemd').filter((name) => name.endsWith('.service'))) {
      const text = readFileSync(`systemd/${unit}`, 'utf8');
      expect(text.match(/^(Requires|Requisite|BindsTo|PartOf|Upholds|Conflicts|OnFailure)=/gm)).toBeNull();
    }
  });
});

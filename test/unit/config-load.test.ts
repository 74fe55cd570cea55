import { mkdtempSync, rmSync, writeFileSync, chmodSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { jsonSchema } from '../../src/config/json-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { readConfig } from '../../src/config/read.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { sample } from './config-sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-config-load-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const example = 'docs/causeway.example.yaml';
const schemaFile = 'docs/causeway.schema.json';

function configOf(text: string): NodeConfig {
  const result = readConfig('causeway.yaml', text);
  if (result.kind === 'bad') throw new Error(result.problems.map((problem) => problem.text).join('\n'));
  return result.config;
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('a file that cannot be read is one problem that names the cause', () => {
  const allowed = 'allowed: a readable YAML file of at most 1 MiB in UTF-8; -c FILE names another';

  test.each<[string, () => string, string]>([
    ['a missing file', () => join(folder, 'missing.yaml'), 'no such file (ENOENT)'],
    [
      'a path through a file',
      () => join(write('file', 'x'), 'below.yaml'),
      'an error on reading it (ENOTDIR)',
    ],
    ['a directory', () => folder, 'a directory'],
    ['a file above 1 MiB', () => write('big.yaml', '#'.repeat(1_048_577)), 'more than 1 MiB'],
    [
      'bytes that are not UTF-8',
      () => write('latin1.yaml', new Uint8Array([0x61, 0xff, 0x0a])),
      'bytes that are not UTF-8',
    ],
  ])('%s', async (_name, make, found) => {
    const path = make();
    const result = await loadConfig(path);
    expect(result).toMatchObject({
      kind: 'bad',
      problems: [{ text: `${path}:1:1: found ${found}, ${allowed}` }],
    });
  });

  test('a file without permission', async () => {
    const path = write('secret.yaml', sample);
    chmodSync(path, 0o000);
    const result = await asNobody(() => loadConfig(path));
    const text = `${path}:1:1: found a file that this user may not read (EACCES), ${allowed}`;
    expect(result).toMatchObject({ kind: 'bad', problems: [{ text }] });
  });

  test('an empty file', async () => {
    const result = await loadConfig(write('empty.yaml', ''));
    expect(result).toMatchObject({ kind: 'bad', problems: [{ line: 1, column: 1 }] });
  });
});

describe('a valid file', () => {
  test('is resolved into rows for each family, units and defaults', () => {
    const config = configOf(sample);
    expect(config.uplinks.map(({ name, table }) => [name, table])).toEqual([
      ['cmi', 1001],
      ['pccw', 1002],
    ]);
    expect(config.uplinks[0]).toMatchObject({
      source: { 4: '223.118.10.2', 6: '2001:db8:58::2' },
      peer: { asn: 58453, passwordFile: null, multihop: null, bfd: false },
      gateway: { 4: '223.118.10.1', 6: '2001:db8:58::1' },
      localPref: 100,
      med: 100,
      prepend: 0,
      import: 'default',
      probe: { intervalMillis: 200, timeoutMillis: 1000 },
    });
    expect(config.uplinks[0]?.targets.filter(({ name }) => name === 'jkt-1' || name === 'mnl-2')).toEqual([
      { name: 'jkt-1', region: 'ID', family: 4, address: '198.51.100.10', ping: true, tcpPort: 443 },
      { name: 'jkt-1', region: 'ID', family: 6, address: '2001:db8:62::10', ping: true, tcpPort: 443 },
      { name: 'mnl-2', region: 'PH', family: 4, address: '198.51.100.21', ping: false, tcpPort: 443 },
      { name: 'mnl-2', region: 'PH', family: 6, address: '2001:db8:63::21', ping: false, tcpPort: 443 },
    ]);
    expect(config).toMatchObject({
      bird: { socket: '/run/bird/bird.ctl', config: '/etc/bird/causeway/causeway.conf', layout: 'include' },
      policy: {
        loss: { good: 0.005, bad: 0.05 },
        latency: { badMillis: 300 },
        patienceMillis: 5000,
        falseAlarmMillis: 10 * 365 * 86_400_000,
        regions: { share: 0.5, weights: new Map() },
        recovery: { cleanMillis: 60_000, holdMillis: 60_000, maxHoldMillis: 3_600_000, canary: 'drain' },
        drain: { med: 65_000, prepend: 3, gshut: true },
      },
      guards: {
        keepUplinks: 1,
        keepNodes: 1,
        togetherMillis: 15_000,
        maxWithdrawals: { count: 3, windowMillis: 900_000 },
        flapBudget: 'cisco',
      },
      onStop: { do: 'keep', deadlineMillis: 60_000 },
      onBoot: 'as-left',
      maintenance: [],
      fleet: null,
      http: { host: '127.0.0.1', port: 9180 },
    });
  });

  test('an uplink overrides the pace that it names and keeps the other', () => {
    const text = sample
      .replace('policy:', 'policy:\n  probe: { interval: 100ms, timeout: 2s }')
      .replace('interface: eth2', 'interface: eth2\n    probe: { interval: 1s }');
    expect(configOf(text).uplinks.map(({ probe }) => probe)).toEqual([
      { intervalMillis: 100, timeoutMillis: 2000, fullSizeMillis: 15_000 },
      { intervalMillis: 1000, timeoutMillis: 2000, fullSizeMillis: 15_000 },
    ]);
  });

  test('patience may be a plain 0', () => {
    expect(configOf(sample.replace('policy:', 'policy:\n  patience: 0')).policy.patienceMillis).toBe(0);
  });

  test('says where each key stands, and of a default its nearest parent', () => {
    const result = readConfig('causeway.yaml', sample);
    if (result.kind === 'bad') throw new Error('the sample is bad');
    const line = (text: string) => sample.slice(0, sample.indexOf(text)).split('\n').length;
    expect(result.locate(['uplinks', 'cmi', 'interface'])).toEqual({
      line: line('interface: eth1'),
      column: 16,
    });
    expect(result.locate(['uplinks', 'pccw', 'source', 1])).toEqual({
      line: line('source: [63'),
      column: 27,
    });
    expect(result.locate(['uplinks', 'cmi'])).toEqual({ line: line('  cmi:\n'), column: 3 });
    expect(result.locate(['uplinks', 'cmi', 'table'])).toEqual({ line: line('  cmi:\n'), column: 3 });
    expect(result.locate(['guards', 'together'])).toEqual({ line: 1, column: 1 });
  });
});

describe('what explain prints loads again to an equal config', () => {
  const variants: readonly [string, string][] = [
    ['the sample', sample],
    ['the shipped example', readFileSync(example, 'utf8')],
    [
      'every key away from its default',
      sample
        .replace(
          'policy:',
          'bird: { socket: /a, config: /b, layout: whole }\nguards: { keep_uplinks: 2, together: 1500ms }\nhttp: { listen: "[::1]:0" }\npaths: { state: "/with space", control: /c }\npolicy:\n  probe: { interval: 1500ms, timeout: 90ms }\n  latency: { bad: 50ms }\n  patience: 0\n  false_alarms: 7/3y\n  regions: { share: 33.3%, weights: { ID: 2.5 } }\n  drain: { med: 0, prepend: 0, gshut: false }',
        )
        .replace('{ good: 0.5%, bad: 5% }', '{ good: 0.07%, bad: 7.123% }')
        .replace('asn: 58453', 'asn: 58453\n      password_file: /k\n      multihop: 3\n      bfd: true')
        .replace(
          'interface: eth1',
          'interface: eth1\n    gateway: [223.118.10.9, "2001:db8:58::9"]\n    table: 4294967295\n    local_pref: 0\n    med: 0\n    prepend: 8\n    import: none',
        ),
    ],
    ['TCP in one family alone', sample.replace('tcp: 443', 'tcp: "[2001:DB8:62::10]:8443"')],
    [
      'TCP in one family and ping in the other',
      sample.replace(
        'ping: [198.51.100.11, "2001:db8:62::11"]',
        'ping: 198.51.100.11, tcp: "[2001:db8:62::11]:8443"',
      ),
    ],
  ];

  test.each(variants)('%s', (_name, text) => {
    const config = configOf(text);
    const printed = explainConfig(config);
    expect(configOf(printed)).toEqual(config);
    expect(explainConfig(configOf(printed))).toBe(printed);
  });
});

test('the shipped example is valid without a warning', async () => {
  const result = await loadConfig(example);
  expect(result).toMatchObject({
    kind: 'ok',
    warnings: [],
    config: { mode: 'observe', node: { asn: 65001 } },
  });
  if (result.kind === 'ok')
    expect(result.config.uplinks.map(({ name, peer }) => [name, peer.asn])).toEqual([
      ['cmi', 58453],
      ['pccw', 3491],
      ['hkbn', 9269],
    ]);
});

test('the JSON Schema for editors is that of the schema; UPDATE_DOCS=1 writes it anew', () => {
  if (process.env['UPDATE_DOCS'] === '1')
    writeFileSync(schemaFile, `${JSON.stringify(jsonSchema(), null, 2)}\n`);
  expect(JSON.parse(readFileSync(schemaFile, 'utf8'))).toEqual(JSON.parse(JSON.stringify(jsonSchema())));
});

test('every key of the JSON Schema has a sentence', () => {
  const silent: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === 'properties')
        for (const [name, property] of Object.entries(child as object))
          if (typeof property !== 'object' || property === null || !('description' in property))
            silent.push(`${path}.${name}`);
      visit(child, `${path}.${key}`);
    }
  };
  visit(jsonSchema(), '');
  expect(silent).toEqual([]);
});

/** Root may read everything, so for a moment this process is somebody else. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

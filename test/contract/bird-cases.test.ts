/**
 * Inputs that broke generators of BIRD configuration in public: what each supported BIRD makes of them, and that no config
 * of ours leads there. `✓` accepted by `bird -p`, `✗` refused, `?` one or the other, in the order of `versions`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NotOwnedError, readStates } from '../../bird/file-states.ts';
import { checkSyntax } from '../../bird/owned-file.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import { smallest } from '../golden/node-configs.ts';

const versions = ['2.0.12', '2.17.6', '2.20.0', '3.1.8', '3.4.0'];
const here = birdVersions();

/** Input, what the versions make of it. */
type Fact = readonly [input: string, verdicts: string];

const all = '✓✓✓✓✓';
const none = '✗✗✗✗✗';

const head = 'router id 1.1.1.1;\nprotocol device {}\n';
const four = 'ipv4 { import none; export none; };';
const six = 'ipv6 { import none; export none; };';

function session(name: string, neighbour = '192.0.2.1', options = '', channel = four): string {
  return `protocol bgp ${name} { local as 65001; neighbor ${neighbour} as 64500; ${options} ${channel} }\n`;
}

const names: readonly Fact[] = [
  ['edge-1', none],
  ['4hub', none],
  ["'edge-1'", all],
  ["'4hub'", all],
  ["'edge 1'", none],
  ["'edge@1'", none],
  ['local', none],
  ["'local'", none],
  ['x'.repeat(64), all],
  ['x'.repeat(65), none],
  ['source', '✗✓✓✗✓'],
  ['primary', '✗✓✓✗✓'],
  ['direct', '✗✓✓✗✓'],
  ['s', '✗✓✓✗✓'],
  ['as4', '✗✓✓✗✓'],
  ['md5', '✗✓✓✗✓'],
  ['transit', '✓✓✓✗✓'],
  ['customer', '✓✓✓✗✓'],
  ['peer', '✓✓✓✗✓'],
  ['deadbeefcafe0123456789ab', '✓✓✗✓✗'],
  ['up_deadbeefcafe0123456789ab', all],
];

const neighbours: readonly (readonly [neighbour: string, options: string, verdicts: string])[] = [
  ['fe80::2%eth0', '', all],
  ['fe80::2%eth0.100', '', none],
  ["fe80::2%'eth0.100'", '', all],
  ['fe80::2%"eth0.100"', '', none],
  ['fe80::2', '', none],
  ['fe80::2', 'interface "eth0.100";', all],
  ['fe80::2', 'interface "eth0.100"; multihop 2;', none],
  ['fe80::2', 'interface "eth0.100@eth0";', all],
];

const statements: readonly Fact[] = [
  ['bgp_community.add((4200000001,100));', none],
  ['bgp_community.add((64500,70000));', none],
  ['bgp_large_community.add((4200000001,1,100));', all],
  ['bgp_community.add((1.10,100));', none],
  ['bgp_community.add((AS64500,100));', none],
  ['bgp_large_community.add((4294967296,1,1));', none],
  // 2.0.12 lets it pass and then keeps the route off the peer: the reason why communities are typed.
  ['bgp_community.add(64500:100);', '✓✗✗✗✗'],
  ['bgp_community.add((64500,1,100));', '?✗✗✗✗'],
  ['bgp_local_pref = -1;', none],
  ['bgp_local_pref = 100.5;', none],
  ['bgp_local_pref = 4294967296;', none],
];

/** An interface in a route is a symbol; the other ways to write it are not known to 2.0.12. */
const routes: readonly Fact[] = [
  ["via 192.0.2.9%'eth0.100'", all],
  ["via 192.0.2.9%'-eth_0'", all],
  ["via 192.0.2.9%'primary'", '✗✓✓✗✓'],
  ["via 192.0.2.9%'name'", '✗✓✓✗✓'],
  ["via 192.0.2.9%'12'", all],
  ["via 192.0.2.9%'deadbeefcafe'", all],
  ['via 192.0.2.9 dev "primary"', '✗✓✓✓✓'],
];

const texts: readonly (readonly [what: string, text: string, verdicts: string])[] = [
  ['two protocols of one name', head + session('edge_1') + session('edge_1', '192.0.2.2'), none],
  [
    'a protocol named source, then a source address',
    head + session('source') + session('b', '192.0.2.2', 'source address 192.0.2.9;'),
    none,
  ],
  ['an unquoted name of an interface', `${head}protocol direct { ipv4; interface eth0.100; }\n`, none],
  [
    'an import limit at protocol level',
    head + session('a', '192.0.2.1', 'import limit 9 action block;'),
    none,
  ],
  ['next hop self at protocol level', head + session('a', '192.0.2.1', 'next hop self;'), none],
  [
    'prefer older in a channel',
    head + session('a', '192.0.2.1', '', 'ipv4 { prefer older; import none; export none; };'),
    none,
  ],
  [
    'a filter above its definition',
    `${head + session('a', '192.0.2.1', '', 'ipv4 { import none; export filter f; };')}filter f { accept; }\n`,
    none,
  ],
  [
    'a define above its definition',
    `${head}filter f { if net ~ X then accept; reject; }\ndefine X = [ 10.0.0.0/8 ];\n`,
    none,
  ],
  [
    'a table above its definition',
    `${head}protocol static a { ipv4 { table t_a4; }; }\nipv4 table t_a4;\n`,
    none,
  ],
  [
    'a template above its definition',
    `${head}protocol bgp a from c { neighbor 192.0.2.1 as 64500; ${four} }\ntemplate bgp c { local as 65001; }\n`,
    none,
  ],
  ['no export policy', head + session('a', '192.0.2.1', '', 'ipv4 { import none; };'), none],
  ['a route with host bits', `${head}protocol static a { ipv4; route 192.0.2.1/24 blackhole; }\n`, none],
  ['both families in one set', `${head}define X = [ 10.0.0.0/8, 2001:db8::/32 ];\n`, none],
  ['multihop with an interface', head + session('a', '192.0.2.1', 'multihop 2; interface "eth0";'), none],
  [
    'multihop and BFD without a local address',
    `${head + session('a', '192.0.2.1', 'multihop 2; bfd on;')}protocol bfd b { multihop {}; }\n`,
    none,
  ],
  ['CRLF line ends', (head + session('a')).replaceAll('\n', '\r\n'), none],
  ['a byte order mark', `\uFEFF${head}${session('a')}`, none],
  ['an empty file', '', none],
  ['a line break in a string', `${head}protocol static a { description "a\nb"; ipv4; }\n`, none],
];

const facts = [
  ...names.map(([input, verdicts]) => ({ what: `the name ${input}`, text: head + session(input), verdicts })),
  ...neighbours.map(([neighbour, options, verdicts]) => ({
    what: `the neighbour ${neighbour} ${options}`,
    text: head + session('a', neighbour, options, six),
    verdicts,
  })),
  ...statements.map(([input, verdicts]) => ({
    what: input,
    text: `${head}filter f { ${input} accept; }\n${session('a', '192.0.2.1', '', 'ipv4 { import none; export filter f; };')}`,
    verdicts,
  })),
  ...routes.map(([input, verdicts]) => ({
    what: input,
    text: `${head}protocol static a { ipv4; route 0.0.0.0/0 ${input}; }\n`,
    verdicts,
  })),
  ...texts.map(([what, text, verdicts]) => ({ what, text, verdicts })),
];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-cases-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function accepted(text: string, binary: string): Promise<boolean> {
  const file = join(folder, `${(count += 1)}.conf`);
  writeFileSync(file, text);
  return (await checkSyntax(file, { binary })).kind === 'ok';
}
let count = 0;

describe.each(here)('BIRD $version', ({ version, bird }) => {
  const place = versions.indexOf(version);

  test.skipIf(place === -1)('makes of each input what it is known for', async () => {
    const verdicts = await Promise.all(
      facts.map(async (fact) => {
        const known = fact.verdicts[place];
        if (known === '?') return `${fact.what}: ?`;
        return `${fact.what}: ${(await accepted(fact.text, bird)) ? '✓' : '✗'}`;
      }),
    );
    expect(verdicts).toEqual(facts.map((fact) => `${fact.what}: ${fact.verdicts[place]}`));
  });

  test('dies of a string of 4096 bytes, which the check takes for a refusal of its own kind', async () => {
    const file = join(folder, 'long.conf');
    writeFileSync(file, `${head}protocol static a { description "${'x'.repeat(4096)}"; ipv4; }\n`);
    expect(await checkSyntax(file, { binary: bird })).toMatchObject({ kind: 'died' });
  });
});

test('the facts above are of versions that were there, or it says which were not', () => {
  const missing = versions.filter((version) => !here.some((each) => each.version === version));
  if (missing.length > 0) process.stderr.write(`not here, so not checked: BIRD ${missing.join(', ')}\n`);
  expect(here.length).toBeGreaterThan(0);
});

test('a file with other line ends, a byte order mark, nothing in it or a missing end is not ours', () => {
  const ours = renderConfig(smallest('whole'), new Map());
  for (const text of [ours.replaceAll('\n', '\r\n'), `\uFEFF${ours}`, '', ours.slice(0, -9)])
    expect(() => readStates(text)).toThrow(NotOwnedError);
});

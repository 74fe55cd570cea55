/** What `causeway migrate` makes of an operator's bird.conf; what BIRD makes of that is in the lab. */
import { describe, expect, test } from 'vitest';
import type { Adopted } from '../../bird/adopt.ts';
import { drainSessions, includeOwned, takeOut } from '../../bird/adopt/operator-text.ts';

const marks = { asn: 65001, med: 65000, prepend: 2, gshut: true };
const set =
  'bgp_med = 65000; bgp_path.prepend(65001); bgp_path.prepend(65001); bgp_community.add((65535, 0));';
const cmi4: Adopted = { uplink: 'cmi', family: 4, name: 'my_cmi_v4' };

const conf = (channel: string, more = ''): string => `# protocol bgp my_cmi_v4 { not this one }
${more}
protocol bgp my_cmi_v4 {
  description "protocol bgp my_cmi_v4 { ipv4 { export all; }; }"; # } a brace
  local 192.0.2.1 as 65001;
  ipv4 { import all; ${channel} export limit 10 action block; };
}
protocol bgp my_cmi_v40 { ipv4 { export none; }; }
`;

function textOf(changed: ReturnType<typeof takeOut>): string {
  if (changed.kind === 'cannot') throw new Error(changed.why);
  return changed.text;
}

describe('a session is drained by its own export', () => {
  test.each([
    ['all', 'export all;', `export filter { ${set} accept; };`],
    [
      'a condition',
      'export where net ~ [ 192.0.2.0/24 ];',
      `export filter { if net ~ [ 192.0.2.0/24 ] then { ${set} accept; } reject; };`,
    ],
    [
      'a filter in place',
      'export filter { if source = RTS_STATIC then { accept; } reject; };',
      `export filter { ${set}  if source = RTS_STATIC then { accept; } reject;  };`,
    ],
  ])('%s', (_, clause, expected) => {
    const drained = textOf(drainSessions(conf(clause), [cmi4], marks));
    expect(drained).toBe(conf(expected));
  });

  test('a filter with a name is copied, because other sessions may use it', () => {
    const filter = 'filter out4 { if net ~ ANYCAST then accept; reject; }';
    const drained = textOf(drainSessions(conf('export filter out4;', filter), [cmi4], marks));
    expect(drained).toBe(conf(`export filter { ${set}  if net ~ ANYCAST then accept; reject;  };`, filter));
  });

  test('what it has from its template is changed for this session alone', () => {
    const template = 'template bgp carrier { ipv4 { export where source = RTS_STATIC; }; }';
    const text = conf('', template).replace('my_cmi_v4 {\n', 'my_cmi_v4 from carrier {\n');
    const drained = textOf(drainSessions(text, [cmi4], marks));
    expect(drained).toContain(template);
    expect(drained).toContain(
      `block;  export filter { if source = RTS_STATIC then { ${set} accept; } reject; }; };`,
    );
  });

  test.each([
    ['no export at all', '', 'has no `export` of its own'],
    ['a filter that is not in the file', 'export filter nowhere;', 'names no filter here'],
  ])('%s cannot be drained, and it is said why', (_, clause, says) => {
    expect(drainSessions(conf(clause), [cmi4], marks)).toEqual({
      kind: 'cannot',
      why: expect.stringContaining(says),
    });
  });
});

describe('a session is taken out', () => {
  test('as comments, and nothing else changes', () => {
    const text = textOf(takeOut(conf('export all;'), [cmi4]));
    const left = text.split('\n').filter((line) => !line.startsWith('#'));
    expect(left.join('\n')).not.toContain('my_cmi_v4 {');
    expect(left.join('\n')).toContain('protocol bgp my_cmi_v40 { ipv4 { export none; }; }');
    expect(text).toContain('# Taken over by Causeway as bgp_cmi4:\n# protocol bgp my_cmi_v4 {\n');
    for (const line of conf('export all;').split('\n')) expect(text).toContain(line);
  });

  test.each([
    ['is not there', 'protocol bgp other { ipv4; }'],
    ['is there twice', `${conf('export all;')}${conf('export all;')}`],
    ['has no end', 'protocol bgp my_cmi_v4 { ipv4 { export all; };'],
  ])('a block that %s is refused', (_, text) => {
    expect(takeOut(text, [cmi4])).toEqual({
      kind: 'cannot',
      why: expect.stringContaining('no single block'),
    });
  });

  test('with a name in apostrophes', () => {
    const text = "protocol bgp 'my-cmi.v4' { ipv4 { export all; }; } protocol device {}\n";
    const taken = textOf(takeOut(text, [{ ...cmi4, name: 'my-cmi.v4' }]));
    expect(taken.split('\n').filter((line) => !line.startsWith('#'))).toEqual([' protocol device {}', '']);
  });
});

test('our file is included once, at the start of a line', () => {
  const path = '/etc/bird/causeway/causeway.conf';
  const once = includeOwned('router id 192.0.2.1;', path);
  expect(once.split('\n')).toContain(`include "${path}";`);
  expect(includeOwned(once, path)).toBe(once);
  expect(includeOwned(`# include "${path}";\n`, path)).toContain(`\ninclude "${path}";\n`);
});

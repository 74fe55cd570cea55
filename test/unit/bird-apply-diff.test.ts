/** What an apply is said to do, from the texts alone: sessions and why, prefixes, attributes, consent. */
import { describe, expect, test } from 'vitest';
import { readText } from '../../bird/apply/bird-text.ts';
import { consentNeeded, diffBases, type ExportsBySession } from '../../bird/apply/diff.ts';
import { diffLines } from '../../bird/apply/diff-text.ts';
import { readRoutes } from '../../bird/apply/exports.ts';
import { rehearsalText } from '../../bird/apply/rehearsal-text.ts';
import type { SessionFact } from '../../bird/apply/session-effects.ts';
import { statementsOf } from '../../bird/apply/statements.ts';
import { createReader } from '../../bird/codec.ts';
import { markOf } from '../../bird/base-mark.ts';
import { restate } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import type { NodeConfig, Uplink } from '../../src/types/config.ts';
import { asn } from '../../src/types/units.ts';
import { threeCarriers } from '../golden/node-configs.ts';

const config = threeCarriers('whole');
const established: SessionFact = { established: true, routeRefresh: true };
const facts = new Map(['bgp_cmi4', 'bgp_cmi6'].map((name) => [name, established]));
const none: ExportsBySession = new Map();

function withCmi(change: (uplink: Uplink) => Partial<Uplink>): NodeConfig {
  const uplinks = config.uplinks.map((one) => (one.name === 'cmi' ? { ...one, ...change(one) } : one));
  return { ...config, uplinks };
}

function sessionsOf(next: NodeConfig, passwords: ReadonlyMap<string, string> = new Map(), known = facts) {
  const [text, after] = [renderConfig(config, new Map()), renderConfig(next, new Map(), passwords)];
  return diffBases({ text, exports: none }, { text: after, exports: none }, known).sessions;
}

describe('sessions', () => {
  test.each<[string, NodeConfig]>([
    ['MED', withCmi(() => ({ med: 50 }))],
    ['prepend', withCmi(() => ({ prepend: 2 }))],
    ['community', withCmi(() => ({ communities: [{ kind: 'standard', numbers: [64500, 100] }] }))],
    ['carrier’s name', withCmi(() => ({ carrier: 'cmi-hk' }))],
    ['drain', { ...config, policy: { ...config.policy, drain: { med: 4000, prepend: 1, gshut: false } } }],
  ])('a new %s touches none', (_name, next) => {
    expect(sessionsOf(next).filter(({ kind }) => kind !== 'none')).toEqual([]);
  });

  test('another LocalPref asks the carrier for its routes again, in both families', () => {
    const effects = sessionsOf(withCmi(() => ({ localPref: 250 })));
    expect(effects.map(({ session, kind }) => `${session} ${kind}`)).toEqual([
      'bgp_cmi4 refresh',
      'bgp_cmi6 refresh',
    ]);
    expect(effects[0]?.reasons.join()).toMatch(/import causeway_import4\(.*300.*\) → .*250/);
  });

  test('and closes the session where the carrier has no route refresh', () => {
    const lacking = new Map([['bgp_cmi4', { established: true, routeRefresh: false }]]);
    const effects = sessionsOf(
      withCmi(() => ({ localPref: 250 })),
      new Map(),
      lacking,
    );
    expect(effects.map(({ kind }) => kind)).toEqual(['reset', 'refresh']);
    expect(effects[0]?.reasons.at(-1)).toBe('the carrier has no route refresh');
  });

  test('a password resets, and is in no word', () => {
    const next = withCmi(({ peer }) => ({ peer: { ...peer, passwordFile: '/etc/causeway/cmi.key' } }));
    const effects = sessionsOf(next, new Map([['cmi', 'hunter2hunter2']]));
    expect(effects.map(({ session, kind }) => `${session} ${kind}`)).toEqual([
      'bgp_cmi4 reset',
      'bgp_cmi6 reset',
    ]);
    expect(effects[0]?.reasons).toContain('password added');
    expect(JSON.stringify(effects)).not.toContain('hunter2');
  });

  test.each<[string, NodeConfig, RegExp]>([
    [
      'neighbour',
      withCmi(({ peer }) => ({ peer: { ...peer, address: { ...peer.address, 4: '223.118.10.3' } } })),
      /^neighbor 223\.118\.10\.1 as 58453 → 223\.118\.10\.3 as 58453$/,
    ],
    [
      'source',
      withCmi(({ source }) => ({ source: { ...source, 4: '223.118.10.9' } })),
      /^source address .* → 223\.118\.10\.9$/,
    ],
    [
      'AS number of the carrier',
      withCmi(({ peer }) => ({ peer: { ...peer, asn: asn(58454) } })),
      /^neighbor .* as 58454$/,
    ],
    [
      'AS number of ours',
      { ...config, node: { ...config.node, asn: asn(65009) } },
      /^local as: CAUSEWAY_AS is another one$/,
    ],
    [
      'router id',
      { ...config, node: { ...config.node, routerId: '10.9.9.9' } },
      /^router id 10\.255\.0\.1 → 10\.9\.9\.9$/,
    ],
    ['interface', withCmi(() => ({ interface: 'eth9' })), /^interface "eth1" → "eth9"$/],
  ])('another %s resets, and says why', (_name, next, why) => {
    const effect = sessionsOf(next).find(({ session }) => session === 'bgp_cmi4');
    expect(effect).toMatchObject({ session: 'bgp_cmi4', kind: 'reset' });
    expect(effect?.reasons).toEqual(expect.arrayContaining([expect.stringMatching(why)]));
  });

  test('an uplink that goes and one that comes are removed and added sessions', () => {
    const [cmi, pccw] = config.uplinks;
    const effects = sessionsOf({ ...config, uplinks: [cmi, { ...pccw, name: 'new' }] as Uplink[] });
    expect(effects.map(({ session, kind }) => `${session} ${kind}`)).toEqual([
      'bgp_pccw4 removed',
      'bgp_pccw6 removed',
      'bgp_hkbn4 removed',
      'bgp_hkbn6 removed',
      'bgp_new4 added',
      'bgp_new6 added',
    ]);
  });
});

describe('announcements', () => {
  const route = { med: 100, path: [], communities: [] };
  const text = renderConfig(config, new Map());
  const diff = diffBases(
    {
      text,
      exports: new Map([
        [
          'bgp_cmi4',
          new Map([
            ['203.0.113.0/24', route],
            ['192.0.2.0/24', route],
          ]),
        ],
      ]),
    },
    {
      text: renderConfig(
        withCmi(() => ({ med: 50 })),
        new Map(),
      ),
      exports: new Map([
        ['bgp_cmi4', new Map([['203.0.113.0/24', { med: 50, path: [65001], communities: ['64500:100'] }]])],
        ['bgp_new4', new Map([['203.0.113.0/24', route]])],
      ]),
    },
    facts,
  );

  test('are told by prefix and session', () => {
    expect(diffLines(diff)).toEqual(
      expect.arrayContaining([
        '  203.0.113.0/24 on bgp_cmi4: MED 100 → 50; prepend 0 → 1; community 64500:100 added',
        '  192.0.2.0/24 on bgp_cmi4 stops being announced',
        '  203.0.113.0/24 on bgp_new4 starts being announced',
        'it announces less: `causeway apply` needs --yes-withdraw',
      ]),
    );
    expect(consentNeeded(diff)).toEqual({ reset: false, withdraw: true });
  });

  test('nothing is different in another wish', () => {
    const withdrawn = restate(text, new Map([['announce_cmi_web4', { disabled: true, description: 'x' }]]));
    const same = diffBases({ text, exports: none }, { text: withdrawn, exports: none }, facts);
    expect(same).toEqual({ same: true, sessions: [], prefixes: [], others: [] });
    expect(markOf(withdrawn)).toBe(markOf(text));
    expect(diffLines(same)).toEqual(['no differences: the config and the confirmed text are the same']);
  });
});

describe('BIRD’s texts', () => {
  test('are cut at their statements, whatever strings, comments, sets and blocks hold', () => {
    const text = `define A = [ 10.0.0.0/8{24,32}, 192.0.2.0/24 ]; # ; }
      /* protocol static no {} */ filter f { if net ~ A then { accept; } reject; }
      protocol static s { description "a; } # b"; ipv4 { table t; }; route 192.0.2.0/24 reject { x = 1; }; }`;
    expect(statementsOf(text).map(({ head }) => head)).toEqual([
      'define A = [ 10.0.0.0/8{24,32}, 192.0.2.0/24 ]',
      'filter f',
      'protocol static s',
    ]);
    expect(statementsOf(statementsOf(text)[2]?.body ?? '').map(({ text: one }) => one)).toEqual([
      'description "a; } # b"',
      'ipv4 { table t; }',
      'route 192.0.2.0/24 reject { x = 1; }',
    ]);
  });

  test('have the options of their template', () => {
    const session = readText(renderConfig(config, new Map())).sessions.get('bgp_cmi6');
    expect(session?.family).toBe(6);
    expect(session?.table).toBe('t_cmi6');
    expect(session?.options.get('local as')).toBe('CAUSEWAY_AS');
    expect(session?.options.has('hold time')).toBe(true);
    expect(session?.channel.get('export')).toBe('filter causeway_export6');
  });

  test('are rehearsed without sessions, kernel, log or anything else that reaches out', () => {
    const rehearsed = rehearsalText(renderConfig(config, new Map(), new Map([['cmi', 'secret']])), {
      4: [],
      6: [],
    });
    expect(rehearsed).not.toMatch(/protocol (bgp|kernel|device|bfd|rpki)|\blog\b|include|secret/);
    expect(rehearsed).toContain('protocol pipe bgp_cmi4 { table t_cmi4; peer table rehearsal_bgp_cmi4;');
  });
});

test.each([
  [
    '2.x',
    [
      '1007-Table x:',
      ' 203.0.113.0/24       unreachable [announce_cmi_web4 07:40:44.515] * (200)',
      '1008-\tType: static univ',
      '1012-\tBGP.as_path: 65001 65001',
      ' \tBGP.med: 100',
      ' \tBGP.community: (65535,0) (1,2)',
      ' \tBGP.large_community: (1, 2, 3)',
      '0000 ',
    ],
  ],
  [
    '3.x',
    [
      '1007-Table x:',
      ' 203.0.113.0/24       unreachable [announce_cmi_web4 07:40:45.943] * (200)',
      '1012-\tpreference: 200',
      ' \tbgp_path: 65001 65001',
      ' \tbgp_med: 100',
      ' \tbgp_community: (65535,0) (1,2)',
      ' \tbgp_large_community: (1, 2, 3)',
      '1008-\tInternal route handling values: 0L 4G 0S id 1',
      '0000 ',
    ],
  ],
])('routes of %s are read with their attributes', (_version, lines) => {
  const [frame] = createReader().push(Buffer.from(`${lines.join('\n')}\n`));
  if (frame?.kind !== 'reply') throw new Error('no reply');
  expect(readRoutes(frame.reply)).toEqual(
    new Map([
      ['203.0.113.0/24', { med: 100, path: [65001, 65001], communities: ['1:2', '1:2:3', '65535:0'] }],
    ]),
  );
});

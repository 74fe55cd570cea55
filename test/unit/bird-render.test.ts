/** Rules of the rendered config that hold for every node, and the cost of a large one. */
import { describe, expect, test } from 'vitest';
import { readStates, restate } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { unmetNeeds } from '../../bird/render/needs.ts';
import { announcementsOf, defaultStates } from '../../bird/render/parts.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { nodeConfig, oddities, service, threeCarriers, uplink } from '../golden/node-configs.ts';

const render = (config: NodeConfig, passwords?: ReadonlyMap<string, string>): string =>
  renderConfig(config, new Map(), passwords);

/** The block of one protocol. */
function blockOf(text: string, name: string): string {
  const start = text.search(new RegExp(`^protocol \\w+ ${name}( from \\w+)? \\{$`, 'm'));
  return start === -1 ? '' : text.slice(start, text.indexOf('\n}\n', start) + 2);
}

test('identical input gives identical bytes', () => {
  expect(render(threeCarriers())).toBe(render(threeCarriers()));
});

test('by default everything is announced, nothing drained, and all sessions and pipes are up', () => {
  const disabled = [...readStates(render(threeCarriers()))].filter(([, state]) => state.disabled);
  expect(disabled.map(([name]) => name)).toEqual(
    announcementsOf(threeCarriers()).map(({ uplink: { name }, family }) => `drain_${name}_web${family}`),
  );
});

test('a service has a pair on each session of a family that it has prefixes of, and nowhere else', () => {
  const names = [...defaultStates(oddities()).keys()].filter((name) => name.startsWith('announce_'));
  expect(names).toEqual([
    'announce_cmi_web4',
    'announce_cmi_web6',
    'announce_cmi_dns6',
    'announce_pccw_web6',
    'announce_pccw_dns6',
    'announce_hkbn_web4',
  ]);
});

test('drain stands above announce, with the attributes of policy.drain', () => {
  const text = render(threeCarriers());
  const preference = (name: string): number => Number(/preference (\d+)/.exec(blockOf(text, name))?.[1]);
  expect(preference('drain_cmi_web4')).toBeGreaterThan(preference('announce_cmi_web4'));
  expect(blockOf(text, 'drain_pccw_web4')).toContain(
    'causeway_med = 65000; causeway_prepend = 3; causeway_gshut = 1;',
  );
  expect(blockOf(text, 'announce_pccw_web4')).toContain('{ causeway_med = 200; causeway_prepend = 1; }');
});

test('every prefix that a static holds is in the set of what may be exported, and nothing else is', () => {
  const text = render(oddities());
  for (const family of [4, 6] as const) {
    const set = new RegExp(`define CAUSEWAY_PREFIXES${family} = \\[ (.*) \\];`).exec(text)?.[1]?.split(', ');
    const announced = announcementsOf(oddities()).filter((one) => one.family === family);
    expect(new Set(set)).toEqual(new Set(announced.flatMap(({ prefixes }) => prefixes)));
  }
});

test('a family without prefixes exports nothing', () => {
  const text = render(nodeConfig([uplink('cmi')], [service('web', '203.0.113.0/24')]));
  expect(text).toContain('filter causeway_export6 { reject; }');
  expect(text).not.toMatch(/_PREFIXES6|_OWN6/);
});

test('an announcement can be prepended eight times', () => {
  const text = render(nodeConfig([uplink('cmi', { prepend: 8 })], [service('web', '203.0.113.0/24')]));
  expect(text.match(/bgp_path\.prepend/g)?.length).toBe(8);
});

test('what a version has is told from its numbers, and a text that is none has nothing', () => {
  const key = { id: 1, secretFile: '/k', algorithm: 'hmac-sha1' } as const;
  const made = uplink('cmi');
  const session = { ...made.peer.session, aoKeys: [key] };
  const config = nodeConfig(
    [uplink('cmi', { peer: { ...made.peer, session } })],
    [service('web', '203.0.113.0/24')],
  );
  const versions = ['2.0.12', '2.9', '2.16.9', '2.17', '2.17.6', '2.20.0', '3.0', '3.4.0', '10.1', 'unknown'];
  expect(versions.filter((version) => unmetNeeds(config, version).length > 0)).toEqual([
    '2.0.12',
    '2.9',
    '2.16.9',
    'unknown',
  ]);
  expect(unmetNeeds(threeCarriers(), '2.0.12')).toEqual([]);
});

test('communities of an announcement are those of the service on that uplink, else of the uplink', () => {
  const own = { state: 'announce', med: null, prepend: null, drainCommunities: null } as const;
  const config = nodeConfig(
    [
      uplink('cmi', { communities: [{ kind: 'standard', numbers: [1, 2] }] }),
      uplink('pccw', { communities: [{ kind: 'standard', numbers: [3, 4] }] }),
    ],
    [
      {
        ...service('web', '203.0.113.0/24'),
        uplinks: new Map([['cmi', { ...own, communities: [{ kind: 'large', numbers: [5, 6, 7] }] }]]),
      },
    ],
  );
  const added = (name: string): readonly string[] =>
    blockOf(render(config), name).match(/bgp_\w+\.add\([^;]*\);/g) ?? [];
  expect(added('announce_cmi_web4')).toEqual(['bgp_large_community.add((5,6,7));']);
  expect(added('announce_pccw_web4')).toEqual(['bgp_community.add((3,4));']);
  expect(added('drain_pccw_web4')).toEqual([]);
});

test('without a service that answers by source, learnt routes go straight into master', () => {
  const text = render(threeCarriers());
  expect(blockOf(text, 'learn_cmi4')).toContain('table master4; peer table t_cmi4;');
  expect(text).not.toMatch(/\be_cmi4|egress_cmi4|ek_cmi4/);
});

test('include leaves out what is the operator’s, and whole has it', () => {
  const mine = /^(log |router id |protocol device|protocol kernel kernel|protocol static anycast)/gm;
  expect(render(threeCarriers('include')).match(mine)).toBeNull();
  expect(render(threeCarriers('whole')).match(mine)?.length).toBe(7);
});

test('the way out of the probes needs no session', () => {
  const text = render(threeCarriers());
  expect(blockOf(text, 'probe_cmi4')).toContain("route 0.0.0.0/0 via 223.118.10.1%'eth1';");
  expect(blockOf(text, 'k_cmi4')).toMatch(/kernel table 1001;[^]*table p_cmi4; import none; export all;/);
});

describe('text that BIRD cannot read is refused', () => {
  const made = oddities();
  test('a password with a quote, too long or empty, and the message does not show it', () => {
    for (const secret of ['with"quote', 'x'.repeat(81), '', 'tab\tinside']) {
      const attempt = (): string => render(made, new Map([['cmi', secret]]));
      expect(attempt).toThrow(/uplinks\.cmi\.peer\.password_file/);
      if (secret !== '') expect(attempt).not.toThrow(secret);
    }
  });

  test('a missing source and an odd name of an interface', () => {
    const config = (more: Parameters<typeof uplink>[1]): NodeConfig =>
      nodeConfig([uplink('cmi', more)], [service('web', '203.0.113.0/24')]);
    expect(() => render(config({ source: { 4: '223.118.10.2' } }))).toThrow(/uplinks\.cmi\.source.*IPv6/);
    expect(() => render(config({ interface: "eth1'; x" }))).toThrow(/uplinks\.cmi\.interface/);
    expect(() => render(config({ interface: 'eth"1' }))).toThrow(/uplinks\.cmi\.interface/);
  });
});

test('a large file is restated without a parse of its base for each name', () => {
  const config = nodeConfig(
    Array.from({ length: 300 }, (_, index) => uplink(`u${index}`)),
    [service('web', '203.0.113.0/24', '2001:db8:a::/48')],
  );
  const text = render(config);
  const states = new Map(
    [...readStates(text)].map(([name]) => [name, { disabled: true, description: 'down' }]),
  );
  const restated = restate(text, states);
  expect([...readStates(restated).values()].every(({ disabled }) => disabled)).toBe(true);
});

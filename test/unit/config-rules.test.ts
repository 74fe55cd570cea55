import { describe, expect, test } from 'vitest';
import { notBuilt } from '../../src/config/not-built.ts';
import { readConfig } from '../../src/config/read.ts';
import { breakSample, problemsOf, sample } from './config-sample.ts';

interface Case {
  readonly rule: string;
  readonly from: string;
  /** ▶ marks where the problem is to be reported. */
  readonly to: string;
  readonly says: string;
}

const oneUplink = sample.slice(sample.indexOf('  pccw:'), sample.indexOf('policy:'));
const cmiAddresses = 'address: [223.118.10.1, "2001:db8:58::1"]';

const rules: readonly Case[] = [
  {
    rule: 'a prefix twice in one service',
    from: '[203.0.113.0/24, "2001:db8:a::/48"]',
    to: '[203.0.113.0/24, "2001:db8:a::/48", ▶"2001:DB8:a:0::/48"]',
    says: `services.web.prefixes[2]: found "2001:DB8:a:0::/48", allowed: a prefix that is neither given twice nor overlaps another service's: services.web.prefixes[1] is 2001:db8:a::/48`,
  },
  {
    rule: 'a prefix inside that of another service',
    from: '- 198.18.0.0/24',
    to: '- ▶203.0.113.128/25',
    says: `services.dns.prefixes[0]: found "203.0.113.128/25", allowed: a prefix that is neither given twice nor overlaps another service's: services.web.prefixes[0] is 203.0.113.0/24`,
  },
  {
    rule: 'an announced family without a source',
    from: 'source: [63.218.20.2, "2001:db8:34::2"]',
    to: 'source: ▶63.218.20.2',
    says: 'uplinks.pccw.source: found no IPv6 address, allowed: an IPv6 address, since a service announces IPv6 prefixes',
  },
  {
    rule: 'an announced family without a session',
    from: cmiAddresses,
    to: 'address: ▶[223.118.10.1]',
    says: 'uplinks.cmi.peer.address: found no IPv6 address, allowed: an IPv6 address, since a service announces IPv6 prefixes',
  },
  {
    rule: 'too few targets for a verdict',
    from: '    targets: *targets',
    to: '    ▶targets:\n      - { name: a, region: ID, ping: [198.51.100.1, "2001:db8:62::1"] }\n      - { name: b, region: ID, ping: [198.51.100.2, "2001:db8:62::2"] }\n      - { name: c, region: ID, ping: 198.51.100.3 }',
    says: 'uplinks.pccw.targets: found 2 with IPv6, allowed: 3 or more with IPv6, since a service announces IPv6 prefixes and fewer give no verdict',
  },
  {
    rule: 'multihop without a gateway in one family',
    from: `asn: 58453\n      ${cmiAddresses}`,
    to: `asn: 58453\n      multihop: 2\n      ${cmiAddresses}\n    gateway: ▶223.118.10.9`,
    says: 'uplinks.cmi.gateway: found no IPv6 address, allowed: an IPv6 address: with peer.multihop the peer is not the next hop',
  },
  {
    rule: 'a link-local peer with multihop',
    from: `asn: 58453\n      ${cmiAddresses}`,
    to: 'asn: 58453\n      multihop: 2\n      address: [223.118.10.1, ▶"fe80::1"]\n    gateway: [223.118.10.9, "2001:db8:58::9"]',
    says: 'uplinks.cmi.peer.address[1]: found "fe80::1", allowed: an address beyond the link, or no peer.multihop: a link-local peer is directly connected',
  },
  {
    rule: 'a link-local source',
    from: '"2001:db8:58::2"',
    to: '▶"fe80::2"',
    says: 'uplinks.cmi.source[1]: found "fe80::2", allowed: an address that targets can answer to: a link-local one ends at the carrier',
  },
  {
    rule: 'the same AS number on both sides',
    from: 'asn: 58453',
    to: 'asn: ▶65001',
    says: "uplinks.cmi.peer.asn: found 65001, allowed: the carrier's AS number: this is node.asn, and an uplink is an eBGP session",
  },
  {
    rule: 'an interface in two uplinks',
    from: 'interface: eth2',
    to: 'interface: ▶eth1',
    says: 'uplinks.pccw.interface: found "eth1", allowed: an interface of its own for each uplink: uplinks.cmi.interface is the same',
  },
  {
    rule: 'a peer in two uplinks',
    from: '[63.218.20.1, "2001:db8:34::1"]',
    to: '[▶223.118.10.1, "2001:db8:34::1"]',
    says: 'uplinks.pccw.peer.address[0]: found "223.118.10.1", allowed: a peer of its own for each uplink: uplinks.cmi.peer.address[0] is the same',
  },
  {
    rule: 'a source in two uplinks',
    from: '[63.218.20.2, "2001:db8:34::2"]',
    to: '[▶223.118.10.2, "2001:db8:34::2"]',
    says: 'uplinks.pccw.source[0]: found "223.118.10.2", allowed: a source of its own for each uplink: uplinks.cmi.source[0] is the same',
  },
  {
    rule: 'a source that is its own peer',
    from: '[63.218.20.1, "2001:db8:34::1"]',
    to: '[▶63.218.20.2, "2001:db8:34::1"]',
    says: 'uplinks.pccw.peer.address[0]: found "63.218.20.2", allowed: an address that no uplink has as its source: uplinks.pccw.source[0] is the same',
  },
  {
    rule: 'a source in an announced prefix',
    from: '[63.218.20.2, "2001:db8:34::2"]',
    to: '[▶203.0.113.2, "2001:db8:34::2"]',
    says: 'uplinks.pccw.source[0]: found "203.0.113.2", allowed: an address of this node alone: it lies in the anycast prefix 203.0.113.0/24, so answers may go to another node',
  },
  ...[253, 254, 255].map((table) => ({
    rule: `the kernel's own table ${table}`,
    from: 'interface: eth1',
    to: `interface: eth1\n    table: ▶${table}`,
    says: `uplinks.cmi.table: found ${table}, allowed: a table other than 0, 253, 254, 255, which are the kernel's own`,
  })),
  {
    rule: "a table that is another uplink's default",
    from: 'interface: eth2',
    to: 'interface: eth2\n    table: ▶1001',
    says: 'uplinks.pccw.table: found 1001, allowed: a table of its own for each uplink: cmi has 1001',
  },
  {
    rule: 'a target without any probe',
    from: '{ name: jkt-2, region: ID, ping: [198.51.100.11, "2001:db8:62::11"] }',
    to: '▶{ name: jkt-2, region: ID }',
    says: 'uplinks.cmi.targets[1]: found a mapping, allowed: a target with ping, tcp, http or dns, or several of them',
  },
  {
    rule: 'a port alone without ping',
    from: 'ping: [198.51.100.11, "2001:db8:62::11"]',
    to: 'tcp: ▶443',
    says: 'uplinks.cmi.targets[1].tcp: found 443, allowed: address:port, since there is no ping whose addresses a port alone could use',
  },
  {
    rule: 'TCP and ping to two addresses of one family',
    from: 'tcp: 443',
    to: 'tcp: ▶"198.51.100.99:443"',
    says: 'uplinks.cmi.targets[0].tcp: found "198.51.100.99:443", allowed: the address of ping, 198.51.100.10; another address is a target of its own',
  },
  {
    rule: 'a target name twice',
    from: 'name: jkt-2',
    to: 'name: ▶jkt-1',
    says: 'uplinks.cmi.targets[1].name: found "jkt-1", allowed: a name of its own: targets[0] has this one',
  },
  {
    rule: 'a target address twice',
    from: '{ name: jkt-2, region: ID, ping: [198.51.100.11,',
    to: '▶{ name: jkt-2, region: ID, ping: [198.51.100.10,',
    says: 'uplinks.cmi.targets[1]: found 198.51.100.10, allowed: each address once in an uplink: jkt-1 has it already',
  },
  {
    rule: 'a target in an announced prefix',
    from: '{ name: jkt-2, region: ID, ping: [198.51.100.11,',
    to: '▶{ name: jkt-2, region: ID, ping: [203.0.113.9,',
    says: 'uplinks.cmi.targets[1]: found 203.0.113.9, allowed: an address beyond the uplink: it lies in 203.0.113.0/24, which this node announces itself',
  },
  {
    rule: 'a target that is a peer',
    from: '{ name: jkt-2, region: ID, ping: [198.51.100.11, "2001:db8:62::11"]',
    to: '▶{ name: jkt-2, region: ID, ping: [198.51.100.11, "2001:db8:34::1"]',
    says: 'uplinks.cmi.targets[1]: found 2001:db8:34::1, allowed: an address beyond the uplink: it is the peer of pccw, which says nothing of the path beyond',
  },
  {
    rule: 'loss.good that is not below loss.bad',
    from: 'good: 0.5%',
    to: 'good: ▶5%',
    says: 'policy.loss.good: found 5%, allowed: less than policy.loss.bad, which is 5%',
  },
  {
    rule: 'a hold above its maximum',
    from: 'max_hold: 1h',
    to: 'max_hold: ▶59s',
    says: 'policy.recovery.max_hold: found 59s, allowed: 1min or longer, which is policy.recovery.hold',
  },
  {
    rule: 'a weight for a region that no target has',
    from: 'policy:',
    to: 'policy:\n  regions: { weights: { ▶SG: 2 } }',
    says: 'policy.regions.weights.SG: found the region "SG", which no target has, allowed: a region of the targets: ID, PH',
  },
  {
    rule: 'keep_uplinks above the number of uplinks',
    from: 'policy:',
    to: 'guards: { keep_uplinks: ▶3 }\npolicy:',
    says: 'guards.keep_uplinks: found 3, allowed: at most the number of uplinks, which is 2',
  },
  {
    rule: 'one path for two things',
    from: 'policy:',
    to: 'paths: { control: ▶/run/bird/bird.ctl }\npolicy:',
    says: 'paths.control: found "/run/bird/bird.ctl", allowed: a path of its own: bird.socket is the same',
  },
];

describe('what only makes sense together is checked together', () => {
  test.each(rules)('$rule', ({ from, to, says }) => {
    const broken = breakSample(from, to);
    expect(problemsOf(broken.text)).toEqual([`causeway.yaml:${broken.line}:${broken.column}: ${says}`]);
  });

  test('a default that clashes is reported at the uplink that has it', () => {
    const text = sample.replace('interface: eth1', 'interface: eth1\n    table: 1002');
    const line = text.slice(0, text.indexOf('  pccw:\n')).split('\n').length;
    expect(problemsOf(text)).toEqual([
      `causeway.yaml:${line}:3: uplinks.pccw.table: found 1002, its default, allowed: a table of its own for each uplink: cmi has 1002`,
    ]);
  });

  test('a node without IPv6 needs no IPv6 anywhere, and half of it is refused', () => {
    const four = sample
      .replace(', "2001:db8:a::/48"', '')
      .replaceAll(/, "(2001:db8:\w+::\d+|\[2001:db8:\w+::\d+\]:443)"/g, '');
    expect(problemsOf(four)).toEqual([]);
    const half = four.replace('source: [63.218.20.2]', 'source: [63.218.20.2, "2001:db8:34::2"]');
    expect(problemsOf(half)).toEqual([
      expect.stringContaining(
        'uplinks.pccw.peer.address: found no IPv6 address, allowed: an IPv6 address, or neither here nor in source',
      ),
    ]);
    const gateway = four.replace('interface: eth2', 'interface: eth2\n    gateway: "2001:db8:34::9"');
    expect(problemsOf(gateway)).toEqual([
      expect.stringContaining(
        'allowed: a gateway only in a family with a session: peer.address has no IPv6 address',
      ),
    ]);
    const target = four.replace('ping: [198.51.100.11]', 'ping: [198.51.100.11, "2001:db8:62::11"]');
    expect(problemsOf(target)).toEqual([
      expect.stringContaining(
        'uplinks.cmi.targets[1]: found an IPv6 target, allowed: only families that the uplink has a source for',
      ),
    ]);
  });

  test('an announced family without both source and session lacks both', () => {
    const text = sample.replace(', "2001:db8:34::2"', '').replace(', "2001:db8:34::1"', '');
    const allowed =
      'found no IPv6 address, allowed: an IPv6 address, since a service announces IPv6 prefixes';
    expect(problemsOf(text)).toEqual([
      expect.stringContaining(`uplinks.pccw.source: ${allowed}`),
      expect.stringContaining(`uplinks.pccw.peer.address: ${allowed}`),
    ]);
  });

  test('two uplinks may have the same link-local peer, since each is on its own link', () => {
    const text = sample
      .replace(', "2001:db8:58::1"', ', "fe80::1"')
      .replace(', "2001:db8:34::1"', ', "fe80::1"');
    expect(problemsOf(text)).toEqual([]);
  });

  test('everything is reported at once, in the order of the file, whichever check finds it', () => {
    const text = sample
      .replace('mode: live', 'mode: lively')
      .replace('203.0.113.0/24', '203.0.113.1/24')
      .replace('interface: eth2', 'interface: eth1')
      .replace('bad: 5%', 'bad: 5')
      .replace('max_hold: 1h', 'max_hold: 1s')
      .concat('fleet: { redis: "redis://:secret@10.0.0.5" }\nmode: live\n');
    const lines = problemsOf(text);
    expect(lines.map((line) => line.replace(/^causeway\.yaml:\d+:\d+: /, '').slice(0, 24))).toEqual(
      [
        'mode: found "lively", all',
        'services.web.prefixes[0]',
        'uplinks.pccw.interface: ',
        'policy.loss.bad: found 5',
        'policy.recovery.max_hold',
        'fleet.redis: found "redis',
        'the key "mode" stands he',
      ].map((line) => line.slice(0, 24)),
    );
    expect(lines.join('\n')).not.toContain('secret');
  });
});

describe('what works, but hardly as it was meant, is a warning', () => {
  const warningsOf = (text: string) => {
    const result = readConfig('causeway.yaml', text);
    return result.kind === 'ok' ? result.warnings.map((warning) => warning.text) : ['bad'];
  };

  test('the sample has none', () => {
    expect(warningsOf(sample)).toEqual([]);
  });

  test.each([
    [
      'a region with one target',
      'name: mnl-2, region: PH',
      'name: mnl-2, region: ▶SG',
      'uplinks.cmi.targets[3].region: region SG has one IPv4 target: its verdict stays unknown, two or more decide',
    ],
    [
      'a latency above the timeout',
      'policy:',
      'policy:\n  latency: { bad: ▶2s }',
      'policy.latency.bad: policy.latency.bad is 2s, but a probe is lost after 1s: slow answers count as loss',
    ],
    [
      'a MED above the drain',
      'interface: eth1',
      'interface: eth1\n    med: ▶70000',
      'uplinks.cmi.med: the MED of cmi is 70000, not less than 65000 of policy.drain.med: by MED a drained announcement attracts as much',
    ],
    [
      'an open status endpoint',
      'policy:',
      'http: { listen: ▶"0.0.0.0:9180" }\npolicy:',
      'http.listen: whoever reaches 0.0.0.0 can read the status of this node: 127.0.0.1 keeps it on the machine',
    ],
  ])('%s', (_name, from, to, says) => {
    const marked = breakSample(from, to);
    expect(warningsOf(marked.text)).toContain(`causeway.yaml:${marked.line}:${marked.column}: ${says}`);
  });
});

describe('a key whose part is not built yet is refused by name', () => {
  const lines: Readonly<Record<string, readonly [string, string]>> = {
    '': ['mode: live', 'mode: live\n'],
    bird: ['mode: live', 'mode: live\nbird:\n  '],
    'services.*': ['  web:', '  web:\n    '],
    'uplinks.*.targets.*': ['- { name: jkt-2', '- { '],
    policy: ['policy:', 'policy:\n  '],
    'policy.probe': ['policy:', 'policy:\n  probe:\n    '],
    'policy.latency': ['policy:', 'policy:\n  latency:\n    '],
    'policy.recovery': ['recovery: {', 'recovery: { '],
    guards: ['policy:', 'guards:\n  '],
    http: ['policy:', 'http:\n  '],
    paths: ['policy:', 'paths:\n  '],
  };
  const after: Readonly<Record<string, string>> = {
    'uplinks.*.targets.*': ', name: jkt-2',
    'policy.recovery': ',',
    guards: '\npolicy:',
    http: '\npolicy:',
    paths: '\npolicy:',
  };

  const escape = (text: string) => text.replaceAll(/[.[\]]/g, String.raw`\$&`);

  test('every key of the contract is built, so the list is empty', () => {
    expect(notBuilt).toEqual([]);
  });

  test.each(notBuilt)('$section $key', ({ section, key, off }) => {
    const [from, to] = lines[section] ?? ['', ''];
    const write = (value: string) => breakSample(from, `${to}▶${key}: ${value}${after[section] ?? ''}`);
    const on = write('{ whatever: 1 }');
    const path = [...section.split('.').filter((step) => step !== ''), key].join('.');
    const [line, ...others] = problemsOf(on.text);
    expect(others).toEqual([]);
    expect(line).toContain(`causeway.yaml:${on.line}:${on.column}: `);
    const name = path
      .replace('services.*', 'services.web')
      .replace('uplinks.*.targets.*', 'uplinks.cmi.targets[1]');
    expect(line).toMatch(
      new RegExp(`: ${escape(name)} (other than \\S+ )?is not built yet: (write \\S+ or )?leave it out$`),
    );
    for (const value of off) expect(problemsOf(write(JSON.stringify(value)).text)).toEqual([]);
  });
});

test('one uplink is enough where keep_uplinks allows it', () => {
  expect(problemsOf(sample.replace(oneUplink, ''))).toEqual([]);
});

/** Keys of sessions, communities, services on single uplinks and tables: what is refused, and what the rest becomes. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { aoKeySchema, peerSchema } from '../../src/config/schema/peer.ts';
import { serviceUplinkSchema } from '../../src/config/schema/service-uplinks.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { breakSample, problemsOf, sample } from './config-sample.ts';

interface Case {
  readonly rule: string;
  readonly from: string;
  /** ▶ marks where the problem is to be reported. */
  readonly to: string;
  readonly says: string;
}

const peer = 'asn: 58453';
const services = '  web:\n';
const uplinks = 'interface: eth1';
const standard =
  'a community such as "64500:100", both halves up to 65535 (RFC 1997), or a large one such as "4200000001:1:2", each part up to 4294967295 (RFC 8092)';
const lasting = 'a community that leaves the announcement in force: ';

const sessions: readonly Case[] = [
  {
    rule: 'a hold time of two seconds',
    from: peer,
    to: `${peer}\n      hold: ▶2s`,
    says: 'uplinks.cmi.peer.hold: found "2s", allowed: a duration of whole seconds from 3s to 1h, such as 3s',
  },
  {
    rule: 'a hold time with a fraction of a second',
    from: peer,
    to: `${peer}\n      hold: ▶9500ms`,
    says: 'uplinks.cmi.peer.hold: found "9500ms", allowed: a duration of whole seconds from 3s to 1h, such as 3s',
  },
  {
    rule: 'a keepalive that is too slow for the hold time',
    from: peer,
    to: `${peer}\n      hold: 9s\n      keepalive: ▶4s`,
    says: 'uplinks.cmi.peer.keepalive: found "4s", allowed: at most a third of peer.hold, which is 9s (RFC 4271 4.4)',
  },
  {
    rule: 'a role that RFC 9234 has, but not for us',
    from: peer,
    to: `${peer}\n      role: ▶provider`,
    says: 'uplinks.cmi.peer.role: found "provider", allowed: none, customer, peer or rs_client',
  },
  {
    rule: 'graceful restart as yes or no',
    from: peer,
    to: `${peer}\n      graceful_restart: ▶true`,
    says: 'uplinks.cmi.peer.graceful_restart: found true, allowed: aware, on or off',
  },
  {
    rule: 'password and keys of TCP-AO at once',
    from: peer,
    to: `${peer}\n      password_file: /k\n      ▶ao_keys: [{ id: 1, secret_file: /a }]`,
    says: 'uplinks.cmi.peer.ao_keys: found both, allowed: either password_file (TCP MD5) or ao_keys (TCP-AO): a session has one of them',
  },
  {
    rule: 'a key id twice',
    from: peer,
    to: `${peer}\n      ao_keys: [{ id: 1, secret_file: /a }, { id: ▶1, secret_file: /b }]`,
    says: 'uplinks.cmi.peer.ao_keys[1].id: found 1, allowed: an id of its own: [0].id is the same',
  },
  {
    rule: 'an import limit beyond what is received',
    from: peer,
    to: `${peer}\n      limits: { receive: 10, import: ▶11 }`,
    says: 'uplinks.cmi.peer.limits.import: found 11, allowed: at most limits.receive, which is 10: what is learnt was received before',
  },
  {
    rule: 'an export limit below the prefixes',
    from: peer,
    to: `${peer}\n      limits: { export: ▶1 }`,
    says: 'uplinks.cmi.peer.limits.export: found 1, allowed: 2 or more, which is how many prefixes of a family are announced',
  },
  {
    rule: 'a BFD interval that no host keeps',
    from: peer,
    to: `${peer}\n      bfd_interval: ▶10ms`,
    says: 'uplinks.cmi.peer.bfd_interval: found "10ms", allowed: a duration from 50ms to 1min: a number with ms, s, min, h or d, such as 5s',
  },
  {
    rule: 'an interface with its parent, as ip link prints it',
    from: uplinks,
    to: 'interface: ▶eth0.100@eth0',
    says: 'uplinks.cmi.interface: found "eth0.100@eth0", allowed: the name of an interface: up to 15 letters, digits, dots, hyphens or underscores; what `ip link` shows behind @ is the parent',
  },
  {
    rule: 'an interface that is named like a word of BIRD',
    from: uplinks,
    to: 'interface: ▶primary',
    says: `uplinks.cmi.interface: found "primary", allowed: a name that is no word of BIRD's own, since BIRD 2.0.12 and 3.1 cannot read it in a route: rename the interface (systemd.link(5), Name=)`,
  },
  {
    rule: 'an RPKI cache by name',
    from: 'policy:',
    to: 'bird: { rpki: { server: ▶rpki.example } }\npolicy:',
    says: 'bird.rpki.server: found "rpki.example", allowed: an IPv4 or IPv6 address of a machine, such as 127.0.0.1',
  },
];

const communities: readonly Case[] = [
  ...[
    '4200000001:100',
    '64500:70000',
    '1.10:5',
    'AS64500:5',
    '64500:1:4294967296',
    '64500',
    '64500:1:2:3',
    '64500:-1',
    '(64500,1)',
    '64500:01',
    '64500: 1',
    '',
    '*:*',
  ].map((text) => ({
    rule: `the community ${JSON.stringify(text)}`,
    from: uplinks,
    to: `interface: eth1\n    communities: ["64500:1", ▶"${text}"]`,
    says: `uplinks.cmi.communities[1]: found ${JSON.stringify(text)}, allowed: ${standard}`,
  })),
  {
    rule: 'a community as a number',
    from: uplinks,
    to: 'interface: eth1\n    communities: [▶64500]',
    says: `uplinks.cmi.communities[0]: found 64500, allowed: ${standard}`,
  },
  {
    rule: 'a community twice',
    from: uplinks,
    to: 'interface: eth1\n    communities: ["64500:1", "64500:1:1", ▶"64500:1"]',
    says: 'uplinks.cmi.communities[2]: found "64500:1", allowed: each community once',
  },
  {
    rule: 'BLACKHOLE',
    from: uplinks,
    to: 'interface: eth1\n    communities: [▶"65535:666"]',
    says: `uplinks.cmi.communities[0]: found "65535:666", allowed: ${lasting}BLACKHOLE (RFC 7999) asks the carrier to drop the traffic`,
  },
  {
    rule: 'GRACEFUL_SHUTDOWN by hand',
    from: services,
    to: '  web:\n    uplinks: { cmi: { drain_communities: [▶"65535:0"] } }\n',
    says: `services.web.uplinks.cmi.drain_communities[0]: found "65535:0", allowed: ${lasting}GRACEFUL_SHUTDOWN drains; that is what policy.drain.gshut adds`,
  },
];

const bound: readonly Case[] = [
  {
    rule: 'an uplink that is not there',
    from: services,
    to: '  web:\n    uplinks: { ▶hkbn: { med: 1 } }\n',
    says: 'services.web.uplinks.hkbn: found the uplink "hkbn", which is not in uplinks, allowed: one of cmi, pccw',
  },
  {
    rule: 'a state that a service cannot be in by config',
    from: services,
    to: '  web:\n    uplinks: { cmi: { state: ▶drain } }\n',
    says: 'services.web.uplinks.cmi.state: found "drain", allowed: announce or backup',
  },
  {
    rule: 'nothing but backups',
    from: services,
    to: '  web:\n    ▶uplinks: { cmi: { state: backup }, pccw: { state: backup } }\n',
    says: 'services.web.uplinks: found every uplink as a backup, allowed: one uplink or more that is no backup',
  },
  {
    rule: 'by-source without a source',
    from: services,
    to: '  web:\n    egress: ▶by-source\n',
    says: 'services.web.egress: found "by-source", allowed: best, or by-source with the uplinks of the answers in uplinks',
  },
  {
    rule: 'by-source over an uplink that learns nothing',
    from: sample.slice(sample.indexOf(services), sample.indexOf('    source: [223')),
    to: sample
      .slice(sample.indexOf(services), sample.indexOf('    source: [223'))
      .replace(services, '  web:\n    uplinks: { cmi: {} }\n    egress: ▶by-source\n')
      .replace('interface: eth1', 'interface: eth1\n    import: none'),
    says: 'services.web.egress: found "by-source", allowed: best, or by-source with uplinks that learn routes: uplinks.cmi.import is none',
  },
  {
    rule: 'an egress table that is the table of an uplink',
    from: uplinks,
    to: 'interface: eth1\n    egress_table: ▶1002',
    says: 'uplinks.cmi.egress_table: found 1002, allowed: a table of its own for each uplink: pccw has 1002',
  },
];

describe('a value that is not allowed is one line with its place, what was found and what is allowed', () => {
  test.each([...sessions, ...communities, ...bound])('$rule', ({ from, to, says }) => {
    const marked = breakSample(from, to);
    expect(problemsOf(marked.text)).toEqual([`causeway.yaml:${marked.line}:${marked.column}: ${says}`]);
  });
});

test('communities are typed by their halves, and a 4-byte AS number fits into a large one', () => {
  const text = sample.replace(
    uplinks,
    'interface: eth1\n    communities: [64500:100, "4200000001:1:100", "0:0"]',
  );
  expect(configOf(text).uplinks[0]?.communities).toEqual([
    { kind: 'standard', numbers: [64500, 100] },
    { kind: 'large', numbers: [4200000001, 1, 100] },
    { kind: 'standard', numbers: [0, 0] },
  ]);
});

test('a keepalive is a third of the hold time, and an egress table stands 1000 above its table or below', () => {
  const config = configOf(
    sample
      .replace(peer, `${peer}\n      hold: 10s`)
      .replace('interface: eth2', 'interface: eth2\n    table: 4294967295'),
  );
  expect(config.uplinks.map((uplink) => uplink.peer.session.keepaliveSeconds)).toEqual([3, 10]);
  expect(config.uplinks.map((uplink) => uplink.egressTable)).toEqual([2001, 4294966295]);
});

test('a service keeps its own values on an uplink, and has those of the uplink where it says nothing', () => {
  const config = configOf(
    sample.replace(
      services,
      '  web:\n    uplinks: { pccw: { state: backup, prepend: 2 }, cmi: { med: 0 } }\n',
    ),
  );
  const nothing = { communities: null, drainCommunities: null };
  expect([...(config.services[0]?.uplinks ?? [])]).toEqual([
    ['pccw', { state: 'backup', med: null, prepend: 2, ...nothing }],
    ['cmi', { state: 'announce', med: 0, prepend: null, ...nothing }],
  ]);
});

test('what may surprise is a warning: graceful restart, route servers, a cache without use, a MED above that of a drain', () => {
  const text = sample
    .replace(peer, `${peer}\n      graceful_restart: on\n      role: rs_client`)
    .replace('policy:', 'bird: { rpki: { server: 127.0.0.1 } }\npolicy:')
    .replace(services, '  web:\n    uplinks: { cmi: { med: 65000 } }\n');
  const result = readConfig('causeway.yaml', text);
  expect(result.kind === 'ok' && result.warnings.map(({ path }) => path)).toEqual([
    'services.web.uplinks.cmi.med',
    'uplinks.cmi.peer.graceful_restart',
    'uplinks.cmi.peer.role',
    'bird.rpki',
  ]);
});

test('a config with every option loads again from what explain prints', () => {
  for (const name of ['every-option', 'tcp-ao']) {
    const config = configOf(readFileSync(`test/golden/${name}.in.yaml`, 'utf8'));
    expect(configOf(explainConfig(config))).toEqual(config);
  }
});

test('docs/sessions.md names every key of a session, of its limits and of a service on an uplink', () => {
  const text = readFileSync('docs/sessions.md', 'utf8');
  const keys = [peerSchema.shape, aoKeySchema.shape, serviceUplinkSchema.shape].flatMap((shape) =>
    Object.keys(shape),
  );
  const missing = keys.filter((key) => key !== 'asn' && !new RegExp(`\\b${key}\\b`).test(text));
  expect(missing).toEqual([]);
});

function configOf(text: string): NodeConfig {
  const result = readConfig('causeway.yaml', text);
  if (result.kind === 'bad') throw new Error(result.problems.map((problem) => problem.text).join('\n'));
  return result.config;
}

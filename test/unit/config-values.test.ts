import { describe, expect, test } from 'vitest';
import { breakSample, problemsOf, sample } from './config-sample.ts';

interface Case {
  readonly rule: string;
  readonly from: string;
  /** ▶ marks where the problem is to be reported. */
  readonly to: string;
  /** What follows `file:line:column: `. */
  readonly says: string;
}

const numeric = 'a whole number from';
const durationOf = (range: string) =>
  `a duration from ${range}: a number with ms, s, min, h or d, such as 5s`;

const values: readonly Case[] = [
  {
    rule: 'a mode that does not exist',
    from: 'mode: live',
    to: 'mode: ▶dry-run',
    says: 'mode: found "dry-run", allowed: observe or live',
  },
  {
    rule: 'an unknown key with one slip of the finger',
    from: '    carrier: cmi',
    to: '    ▶carier: cmi\n    carrier: cmi',
    says: 'uplinks.cmi.carier: found the unknown key "carier", allowed: one of carrier, interface, source, peer, gateway, table, egress_table, local_pref, med, prepend, communities, drain_communities, capacity, looking_glass, import, targets, probe (did you mean carrier?)',
  },
  {
    rule: 'a key that is missing',
    from: '  site: hkg\n',
    to: '',
    says: 'node.site: found nothing, allowed: a name of 1 to 63 characters: a small letter, then small letters, digits or hyphens',
  },
  {
    rule: 'an AS number out of range',
    from: 'asn: 58453',
    to: 'asn: ▶4294967296',
    says: 'uplinks.cmi.peer.asn: found 4294967296, allowed: an AS number from 1 to 4294967294 other than 23456 and 65535, which are reserved',
  },
  ...[0, 23456, 65535, 4294967295].map((asn) => ({
    rule: `the reserved AS number ${asn}`,
    from: 'asn: 58453',
    to: `asn: ▶${asn}`,
    says: `uplinks.cmi.peer.asn: found ${asn}, allowed: an AS number from 1 to 4294967294 other than 23456 and 65535, which are reserved`,
  })),
  {
    rule: 'an AS number in quotes',
    from: 'asn: 58453',
    to: 'asn: ▶"58453"',
    says: 'uplinks.cmi.peer.asn: found "58453", allowed: an AS number from 1 to 4294967294 other than 23456 and 65535, which are reserved',
  },
  {
    rule: 'a router id that is IPv6',
    from: 'router_id: 10.255.0.1',
    to: 'router_id: ▶2001:db8::1',
    says: 'node.router_id: found "2001:db8::1", allowed: an IPv4 address other than 0.0.0.0, such as 10.255.0.1',
  },
  {
    rule: 'a duration without a unit',
    from: 'policy:',
    to: 'policy:\n  patience: ▶5',
    says: `policy.patience: found 5, allowed: ${durationOf('0s to 10min')}`,
  },
  {
    rule: 'a duration in the wrong unit',
    from: 'policy:',
    to: 'policy:\n  patience: ▶5m',
    says: `policy.patience: found "5m", allowed: ${durationOf('0s to 10min')}`,
  },
  {
    rule: 'an interval that is too short',
    from: 'policy:',
    to: 'policy:\n  probe: { interval: ▶19ms }',
    says: `policy.probe.interval: found "19ms", allowed: ${durationOf('20ms to 1min')}`,
  },
  {
    rule: 'a timeout that is too long',
    from: '    interface: eth2',
    to: '    interface: eth2\n    probe: { timeout: ▶5001ms }',
    says: `uplinks.pccw.probe.timeout: found "5001ms", allowed: ${durationOf('10ms to 5s')}`,
  },
  {
    rule: 'a percentage without its sign',
    from: 'bad: 5%',
    to: 'bad: ▶0.05',
    says: 'policy.loss.bad: found 0.05, allowed: a percentage from 0.1% to 100%: a number with %, such as 5%',
  },
  {
    rule: 'a budget that is not one',
    from: 'policy:',
    to: 'policy:\n  false_alarms: ▶10y',
    says: 'policy.false_alarms: found "10y", allowed: a budget from 1/1000y to 1/1h: a count, a slash and a time with min, h, d or y, such as 1/10y',
  },
  {
    rule: 'a prefix with host bits',
    from: '203.0.113.0/24',
    to: '▶203.0.113.1/24',
    says: 'services.web.prefixes[0]: found "203.0.113.1/24", allowed: a prefix without host bits: 203.0.113.0/24',
  },
  {
    rule: 'an IPv6 prefix with host bits',
    from: '"2001:db8:a::/48"',
    to: '▶"2001:db8:a:0:1::/48"',
    says: 'services.web.prefixes[1]: found "2001:db8:a:0:1::/48", allowed: a prefix without host bits: 2001:db8:a::/48',
  },
  {
    rule: 'a default route as a prefix',
    from: '198.18.0.0/24',
    to: '▶0.0.0.0/0',
    says: 'services.dns.prefixes[0]: found "0.0.0.0/0", allowed: an IPv4 prefix with a length from 8 to 32',
  },
  {
    rule: 'a service without prefixes',
    from: 'prefixes:\n      - 198.18.0.0/24',
    to: 'prefixes: ▶[]',
    says: 'services.dns.prefixes: found an empty list, allowed: a list with at least one prefix',
  },
  {
    rule: 'a source with a prefix length',
    from: '[223.118.10.2, "2001:db8:58::2"]',
    to: '[▶223.118.10.2/24, "2001:db8:58::2"]',
    says: 'uplinks.cmi.source[0]: found "223.118.10.2/24", allowed: an IPv4 or IPv6 address without a prefix length',
  },
  {
    rule: 'an address with leading zeros',
    from: '[223.118.10.2, "2001:db8:58::2"]',
    to: '[▶223.118.010.2, "2001:db8:58::2"]',
    says: 'uplinks.cmi.source[0]: found "223.118.010.2", allowed: an IPv4 or IPv6 address',
  },
  {
    rule: 'two addresses of one family',
    from: '[223.118.10.2, "2001:db8:58::2"]',
    to: '[223.118.10.2, ▶223.118.10.3]',
    says: 'uplinks.cmi.source[1]: found "223.118.10.3", allowed: one IPv4 address, and this list has one already',
  },
  {
    rule: 'a multicast source',
    from: '[223.118.10.2, "2001:db8:58::2"]',
    to: '[▶224.0.0.1, "2001:db8:58::2"]',
    says: 'uplinks.cmi.source[0]: found "224.0.0.1", allowed: a unicast address that is neither loopback, unspecified nor IPv4-mapped',
  },
  {
    rule: 'an address with a zone',
    from: '[223.118.10.1, "2001:db8:58::1"]',
    to: '[223.118.10.1, ▶"fe80::1%eth1"]',
    says: 'uplinks.cmi.peer.address[1]: found "fe80::1%eth1", allowed: an address without a zone: the uplink\'s interface is used',
  },
  {
    rule: 'an interface name that Linux has not',
    from: 'interface: eth1',
    to: 'interface: ▶eth1/0',
    says: 'uplinks.cmi.interface: found "eth1/0", allowed: the name of an interface: up to 15 letters, digits, dots, hyphens or underscores',
  },
  {
    rule: 'a multihop of 1',
    from: 'asn: 58453',
    to: 'asn: 58453\n      multihop: ▶1',
    says: `uplinks.cmi.peer.multihop: found 1, allowed: ${numeric} 2 to 255, without quotes`,
  },
  {
    rule: 'a MED beyond 32 bits',
    from: 'interface: eth1',
    to: 'interface: eth1\n    med: ▶4294967296',
    says: `uplinks.cmi.med: found 4294967296, allowed: ${numeric} 0 to 4294967295, without quotes`,
  },
  {
    rule: 'a negative local_pref',
    from: 'interface: eth1',
    to: 'interface: eth1\n    local_pref: ▶-1',
    says: `uplinks.cmi.local_pref: found -1, allowed: ${numeric} 0 to 4294967295, without quotes`,
  },
  {
    rule: 'nine prepends',
    from: 'interface: eth1',
    to: 'interface: eth1\n    prepend: ▶9',
    says: `uplinks.cmi.prepend: found 9, allowed: ${numeric} 0 to 8, without quotes`,
  },
  {
    rule: 'yes for true, which YAML 1.2 reads as text',
    from: 'asn: 58453',
    to: 'asn: 58453\n      bfd: ▶yes',
    says: 'uplinks.cmi.peer.bfd: found "yes", allowed: true or false',
  },
  {
    rule: 'an uplink name with a hyphen',
    from: '  pccw:\n',
    to: '  ▶pccw-2:\n',
    says: 'uplinks.pccw-2: found the name "pccw-2", allowed: a name for the uplink: a small letter, then up to 14 small letters or digits',
  },
  {
    rule: 'no uplinks at all',
    from: sample.slice(sample.indexOf('uplinks:'), sample.indexOf('policy:')),
    to: 'uplinks: ▶{}\n',
    says: 'uplinks: found an empty mapping, allowed: at least one uplink',
  },
  {
    rule: 'services as a list',
    from: sample.slice(sample.indexOf('services:'), sample.indexOf('uplinks:')),
    to: 'services: ▶[web]\n',
    says: 'services: found a list, allowed: a mapping with at least one service: a name and what it is',
  },
  {
    rule: 'a section that is not a mapping',
    from: 'policy:',
    to: 'guards: ▶strict\npolicy:',
    says: 'guards: found "strict", allowed: a mapping with the keys keep_uplinks, keep_nodes, together, max_withdrawals, flap_budget',
  },
  {
    rule: 'a target that is named gateway',
    from: 'name: jkt-2',
    to: 'name: ▶gateway',
    says: 'uplinks.cmi.targets[1].name: found "gateway", allowed: a name of up to 32 small letters, digits, dots or hyphens, other than gateway',
  },
  {
    rule: 'an IPv6 endpoint without brackets',
    from: '"[2001:db8:63::21]:443"',
    to: '▶"2001:db8:63::21:443"',
    says: 'uplinks.cmi.targets[3].tcp[1]: found "2001:db8:63::21:443", allowed: a port from 1 to 65535, or an address with one, such as "198.51.100.20:443" or "[2001:db8::20]:443"',
  },
  {
    rule: 'a TCP port out of range',
    from: 'tcp: 443',
    to: 'tcp: ▶65536',
    says: 'uplinks.cmi.targets[0].tcp: found 65536, allowed: a port from 1 to 65535',
  },
  {
    rule: 'a relative path',
    from: 'policy:',
    to: 'paths: { state: ▶var/lib }\npolicy:',
    says: 'paths.state: found "var/lib", allowed: an absolute path of a folder with at most 4000 bytes, without quotes and control characters',
  },
  {
    rule: 'a host name to listen on',
    from: 'policy:',
    to: 'http: { listen: ▶"localhost:9180" }\npolicy:',
    says: 'http.listen: found "localhost:9180", allowed: an IP address and a port, such as 127.0.0.1:9180 or "[::1]:9180"',
  },
];

describe('a value that is not allowed is one line with its place, what was found and what is allowed', () => {
  test.each(values)('$rule', ({ from, to, says }) => {
    // Something missing is reported at the section that lacks it.
    const marked = to.includes('▶')
      ? breakSample(from, to)
      : { ...breakSample(from, to), line: 2, column: 1 };
    expect(problemsOf(marked.text)).toEqual([`causeway.yaml:${marked.line}:${marked.column}: ${says}`]);
  });

  test('the sample itself has no problem', () => {
    expect(problemsOf(sample)).toEqual([]);
  });
});

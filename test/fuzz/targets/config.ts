/** Files that people write: causeway.yaml, rules.yaml, networks.yaml. A value, or problems that each name a place. */
import { readFileSync } from 'node:fs';
import { loadNetworks, noNetworks } from '../../../geodns/networks/load.ts';
import { loadRules } from '../../../geodns/rules/load.ts';
import { checkDocument } from '../../../edge/conf/document.ts';
import { edgeFile } from '../../../edge/conf/schema.ts';
import { readConfig } from '../../../src/config/read.ts';
import type { FuzzTarget } from '../target.ts';

/** More often than the example, which has every key and takes forty times as long. */
const smallConfig = `node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
services: { web: { prefixes: [203.0.113.0/24], ready: { http: "http://127.0.0.1:8080/healthz" } } }
uplinks:
  cmi:
    carrier: cmi
    interface: eth1
    source: 192.0.2.2
    peer: { asn: 64500, address: 192.0.2.1, hold: 30s }
    targets:
      - { name: t1, region: ID, ping: 198.51.100.1 }
      - { name: t2, region: ID, tcp: "198.51.100.2:443" }
      - { name: t3, region: PH, ping: 198.51.100.3 }
policy: { patience: 5s, loss: { good: 0.5%, bad: 5% } }
guards: { max_withdrawals: 3/15min }
maintenance:
  - { uplink: cmi, cron: "0 3 * * 2", timezone: Asia/Hong_Kong, duration: 2h, state: drain, reason: window }
`;

export const configTarget: FuzzTarget = {
  name: 'config',
  summary: 'causeway.yaml',
  seeds: () => [
    readFileSync('docs/causeway.example.yaml'),
    ...Array.from({ length: 6 }, () => Buffer.from(smallConfig)),
    Buffer.from('a: &a [1, 2]\nb: *a\nservices: { web: { prefixes: [203.0.113.0/24] } }\n'),
  ],
  check(input) {
    const read = readConfig('fuzz.yaml', input.toString('utf8'));
    return read.kind === 'ok' ? null : placesOf(read.problems);
  },
};

export const rulesTarget: FuzzTarget = {
  name: 'rules',
  summary: 'rules.yaml of GeoDNS, and networks.yaml',
  seeds: () => [
    readFileSync('lab/geodns/rules.yaml'),
    readFileSync('networks.yaml').subarray(0, 6000),
    readFileSync('edge/lab/networks.yaml'),
    Buffer.from('a: &a [1, 2]\nb: *a\n'),
  ],
  check(input) {
    const text = input.toString('utf8');
    for (const read of [loadRules('fuzz.yaml', text, noNetworks), loadNetworks('fuzz.yaml', text)]) {
      if (read.kind === 'loaded') continue;
      const fault = placesOf(read.problems);
      if (fault !== null) return fault;
    }
    return null;
  },
};

export const edgeTarget: FuzzTarget = {
  name: 'edge',
  summary: 'edge.yaml',
  seeds: () => [
    Buffer.from(`node: hk1
host: hk1.edge.example.com
networks: /etc/causeway/networks.yaml
geo: { asn: /var/lib/geoip/asn.mmdb }
trusted: { proxies: [127.0.0.1], header: X-Forwarded-For }
steering: { redirects: 1000/1min }
origins: { app: { servers: [{ address: 192.0.2.10, port: 443 }], connect: 1s } }
servers: { www: { names: [www.example.com], listen: ['0.0.0.0:80'], locations: [{ path: /, origin: app, steer: true }] } }
`),
    Buffer.from('a: &a [1, 2]\nb: *a\n'),
  ],
  check(input) {
    const read = checkDocument('fuzz.yaml', input.toString('utf8'), edgeFile);
    return read.kind === 'ok' ? null : placesOf(read.problems);
  },
};

interface Placed {
  readonly line: number | null;
  readonly column: number | null;
}

function placesOf(problems: readonly Placed[]): string | null {
  if (problems.length === 0) return 'refused without a problem';
  const lost = problems.find(({ line, column }) => !((line ?? 0) >= 1 && (column ?? 0) >= 1));
  return lost === undefined ? null : `a problem without a place: ${JSON.stringify(lost)}`;
}

/** A small valid config, and a way to break it at a marked place. */
import { readConfig, type LoadResult } from '../../src/config/read.ts';

export const sample = `mode: live
node:
  name: hk1
  site: hkg
  asn: 65001
  router_id: 10.255.0.1
services:
  web:
    prefixes: [203.0.113.0/24, "2001:db8:a::/48"]
  dns:
    prefixes:
      - 198.18.0.0/24
uplinks:
  cmi:
    carrier: cmi
    interface: eth1
    source: [223.118.10.2, "2001:db8:58::2"]
    peer:
      asn: 58453
      address: [223.118.10.1, "2001:db8:58::1"]
    targets: &targets
      - { name: jkt-1, region: ID, ping: [198.51.100.10, "2001:db8:62::10"], tcp: 443 }
      - { name: jkt-2, region: ID, ping: [198.51.100.11, "2001:db8:62::11"] }
      - { name: mnl-1, region: PH, ping: [198.51.100.20, "2001:db8:63::20"] }
      - { name: mnl-2, region: PH, tcp: ["198.51.100.21:443", "[2001:db8:63::21]:443"] }
  pccw:
    carrier: pccw
    interface: eth2
    source: [63.218.20.2, "2001:db8:34::2"]
    peer: { asn: 3491, address: [63.218.20.1, "2001:db8:34::1"] }
    targets: *targets
policy:
  loss: { good: 0.5%, bad: 5% }
  recovery: { clean: 60s, hold: 60s, max_hold: 1h }
`;

export interface Broken {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** The sample with `from` replaced by `to`, in which `▶` marks where the problem is to be reported. */
export function breakSample(from: string, to: string): Broken {
  if (!sample.includes(from)) throw new Error(`the sample has no ${from}`);
  const marked = sample.replace(from, () => to);
  const before = marked.slice(0, marked.indexOf('▶')).split('\n');
  return { text: marked.replace('▶', ''), line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The lines of what is wrong with a text; empty where it is valid. */
export function problemsOf(text: string): readonly string[] {
  const result: LoadResult = readConfig('causeway.yaml', text);
  return result.kind === 'ok' ? [] : result.problems.map((problem) => problem.text);
}

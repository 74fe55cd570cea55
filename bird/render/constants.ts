/** Constants and route attributes. Their names begin with causeway so that they collide with nobody's. */
import type { NodeConfig } from '../../src/types/config.ts';
import { families } from '../../src/types/units.ts';
import { section, set } from './block.ts';
import { allPrefixes } from './parts.ts';

/** Reserved, documentation and private AS numbers (RFC 7607, 4893, 5398, 6996, 7300): none belongs in a path. */
const bogonAsns = [
  '0',
  '23456',
  '64496..64511',
  '64512..65534',
  '65535',
  '65536..65551',
  '4200000000..4294967295',
];

/** Special-purpose prefixes (RFC 6890 and its registries) that no carrier should send. */
const bogons = {
  4: [
    '0.0.0.0/8+',
    '10.0.0.0/8+',
    '100.64.0.0/10+',
    '127.0.0.0/8+',
    '169.254.0.0/16+',
    '172.16.0.0/12+',
    '192.0.0.0/24+',
    '192.0.2.0/24+',
    '192.168.0.0/16+',
    '198.18.0.0/15+',
    '198.51.100.0/24+',
    '203.0.113.0/24+',
    '224.0.0.0/4+',
    '240.0.0.0/4+',
  ],
  6: [
    '::/8+',
    '100::/64+',
    '2001:2::/48+',
    '2001:10::/28+',
    '2001:db8::/32+',
    '2002::/16+',
    '3ffe::/16+',
    '5f00::/16+',
    'fc00::/7+',
    'fe80::/10+',
    'fec0::/10+',
    'ff00::/8+',
  ],
} as const;

/** Exactly what may be exported. */
export const prefixesName = { 4: 'CAUSEWAY_PREFIXES4', 6: 'CAUSEWAY_PREFIXES6' } as const;
/** The same with all that is more specific, which is never learnt. */
export const ownName = { 4: 'CAUSEWAY_OWN4', 6: 'CAUSEWAY_OWN6' } as const;
export const bogonsName = { 4: 'CAUSEWAY_BOGONS4', 6: 'CAUSEWAY_BOGONS6' } as const;

export function renderConstants(config: NodeConfig): readonly string[] {
  const lines = [
    `define CAUSEWAY_AS = ${config.node.asn};  # node.asn`,
    'define CAUSEWAY_GSHUT = (65535, 0);  # GRACEFUL_SHUTDOWN, RFC 8326',
    `define CAUSEWAY_BOGON_ASNS = ${set(bogonAsns)};`,
  ];
  for (const family of families) {
    const prefixes = allPrefixes(config, family);
    lines.push(`define ${bogonsName[family]} = ${set(bogons[family])};`);
    // BIRD has no empty set: a family without prefixes has no constants, and its filters do without.
    if (prefixes.length === 0) continue;
    lines.push(`define ${prefixesName[family]} = ${set(prefixes)};  # services.*.prefixes`);
    lines.push(`define ${ownName[family]} = ${set(prefixes.map((prefix) => `${prefix}+`))};`);
  }
  lines.push(
    'attribute int causeway_med;  # MED to send; a route without it is not ours to export',
    'attribute int causeway_prepend;  # further copies of our AS number',
    'attribute int causeway_gshut;  # 1: with GRACEFUL_SHUTDOWN',
  );
  return section(['constants, and the marks on our static routes that the export filter reads'], lines);
}

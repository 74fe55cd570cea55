/** What may be learnt from a carrier. Functions stand before their use, and without result types (2.0.12 has none). */
import type { NodeConfig } from '../../src/types/config.ts';
import { type Family, families } from '../../src/types/units.ts';
import { section } from './block.ts';
import { bogonsName, ownName } from './constants.ts';
import { allPrefixes, sessionsOf } from './parts.ts';
import { rpkiTable } from './rpki.ts';

const bounds = {
  4: { any: '0.0.0.0/0', longest: 24, shortest: 8 },
  6: { any: '::/0', longest: 48, shortest: 16 },
} as const;

export const importFunction = { 4: 'causeway_import4', 6: 'causeway_import6' } as const;

export function renderImportPolicy(config: NodeConfig): readonly string[] {
  const used = families.filter((family) => sessionsOf(config).some((session) => session.family === family));
  const lines = used.flatMap((family) => importOf(config, family));
  return section(
    ['what may be learnt: the default, or all, but never our own prefixes or special ones'],
    [...common(), ...lines],
  );
}

function common(): readonly string[] {
  return [
    'function causeway_import_common()',
    '{',
    '  if bgp_path.len > 64 then reject;',
    '  if bgp_path ~ CAUSEWAY_BOGON_ASNS then reject;',
    '  if CAUSEWAY_GSHUT ~ bgp_community then bgp_local_pref = 0;  # the carrier is draining: last resort',
    '}',
  ];
}

function importOf(config: NodeConfig, family: Family): readonly string[] {
  const { any, longest, shortest } = bounds[family];
  const own = allPrefixes(config, family).length === 0 ? [] : [`  if net ~ ${ownName[family]} then reject;`];
  const global = family === 6 ? ['    if ! (net ~ [ 2000::/3+ ]) then reject;'] : [];
  const origins =
    config.bird.rpki === null
      ? []
      : [
          `    if roa_check(${rpkiTable[family]}, net, bgp_path.last) = ROA_INVALID then reject;  # bird.rpki`,
        ];
  return [
    `function ${importFunction[family]}(bool full; int pref)`,
    '{',
    ...own,
    `  if net != ${any} then {`,
    '    if ! full then reject;',
    `    if net.len > ${longest} || net.len < ${shortest} then reject;`,
    `    if net ~ ${bogonsName[family]} then reject;`,
    ...global,
    ...origins,
    '  }',
    '  bgp_local_pref = pref;',
    '  causeway_import_common();',
    '  accept;',
    '}',
  ];
}

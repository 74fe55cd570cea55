/**
 * What is told to a carrier. The filters are constant: a change of the wish moves routes, never filters. MED is set here,
 * because 3.x drops a MED that stands on the static route, and 2.x does so beside a prepend.
 */
import type { NodeConfig } from '../../src/types/config.ts';
import { families } from '../../src/types/units.ts';
import { section } from './block.ts';
import { prefixesName } from './constants.ts';
import { allPrefixes, announceMarks, announcementsOf } from './parts.ts';

export const exportFilter = { 4: 'causeway_export4', 6: 'causeway_export6' } as const;

export function renderExportPolicy(config: NodeConfig): readonly string[] {
  const most = Math.max(
    config.policy.drain.prepend,
    ...announcementsOf(config).map((one) => announceMarks(one).prepend),
  );
  const lines = [
    'function causeway_export()',
    '{',
    '  if source != RTS_STATIC || ! defined(causeway_med) then reject;',
    '  bgp_med = causeway_med;',
    ...prepends(most),
    '  if defined(causeway_gshut) then if causeway_gshut = 1 then bgp_community.add(CAUSEWAY_GSHUT);',
    '  accept;',
    '}',
    ...families.map((family) => {
      const exported = allPrefixes(config, family).length > 0;
      const body = exported
        ? `if ! (net ~ ${prefixesName[family]}) then reject; causeway_export();`
        : 'reject;';
      return `filter ${exportFilter[family]} { ${body} }`;
    }),
  ];
  return section(['what may be exported: the configured prefixes, from our own static protocols'], lines);
}

/** BIRD has no loop for it, so each copy is a line: as many as the config uses. */
function prepends(most: number): readonly string[] {
  if (most === 0) return [];
  const copies = Array.from(
    { length: most },
    (_, index) => `    if causeway_prepend >= ${index + 1} then bgp_path.prepend(CAUSEWAY_AS);`,
  );
  return ['  if defined(causeway_prepend) then {', ...copies, '  }'];
}

/** The main kernel table (layout whole only): the best learnt routes, and the anycast prefixes as blackholes. */
import type { NodeConfig } from '../../src/types/config.ts';
import { type Family, families } from '../../src/types/units.ts';
import { block, section } from './block.ts';
import { allPrefixes } from './parts.ts';

export function renderKernel(config: NodeConfig): readonly string[] {
  if (config.bird.layout === 'include') return [];
  return section(
    [
      'main kernel table: the best learnt routes, and a blackhole for anycast addresses that no host here answers',
    ],
    families.flatMap((family) => blackholes(config, family).concat(kernel(config, family))),
  );
}

function blackholes(config: NodeConfig, family: Family): readonly string[] {
  const prefixes = allPrefixes(config, family);
  if (prefixes.length === 0) return [];
  return block(`protocol static anycast${family}`, [
    `ipv${family};`,
    ...prefixes.map((prefix) => `route ${prefix} blackhole;`),
  ]);
}

function kernel(config: NodeConfig, family: Family): readonly string[] {
  const ours = allPrefixes(config, family).length === 0 ? '' : ` || proto = "anycast${family}"`;
  return block(`protocol kernel kernel${family}`, [
    'scan time 20; persist;',
    `ipv${family} { import none; export where source = RTS_BGP${ours}; };`,
  ]);
}

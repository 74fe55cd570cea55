/** Validated route origins (RFC 6811) from a cache that speaks RTR. */
import type { NodeConfig } from '../../src/types/config.ts';
import { block, section } from './block.ts';

export const rpkiTable = { 4: 'causeway_rpki4', 6: 'causeway_rpki6' } as const;

/**
 * The session with the cache. What it said is used for two days after it is gone (RFC 8210 6 asks for hours to days); then
 * the tables are empty, every origin is unknown again, and nothing is lost but the check.
 */
export function renderRpki(config: NodeConfig): readonly string[] {
  const { rpki } = config.bird;
  if (rpki === null) return [];
  return section(
    ['validated origins: routes of a false origin are not learnt; without the cache all are unknown and are'],
    block('protocol rpki causeway_rpki', [
      `roa4 { table ${rpkiTable[4]}; };`,
      `roa6 { table ${rpkiTable[6]}; };`,
      `remote ${rpki.server} port ${rpki.port};  # bird.rpki.server, bird.rpki.port`,
      'retry keep 90; refresh keep 900; expire keep 172800;',
    ]),
  );
}

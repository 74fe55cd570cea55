/** Routing tables: for each uplink and family one for the carrier (t_) and one for the probes' way out (p_). */
import type { NodeConfig } from '../../src/types/config.ts';
import { egressTableName, probeTableName, tableName } from '../../src/types/protocol-names.ts';
import { section } from './block.ts';
import { rpkiTable } from './rpki.ts';
import { egressSessionsOf, sessionsOf } from './parts.ts';

export function renderTables(config: NodeConfig): readonly string[] {
  const lines = sessionsOf(config).map(
    ({ uplink, family }) =>
      `ipv${family} table ${tableName(uplink.name, family)};  ipv${family} table ${probeTableName(uplink.name, family)};`,
  );
  const egress = egressSessionsOf(config).map(
    ({ uplink, family }) => `ipv${family} table ${egressTableName(uplink.name, family)};`,
  );
  const words = egress.length === 0 ? '' : ', e_ of answers by source';
  return section(
    [`tables: t_ of the carrier, p_ of the probes${words}`],
    [...lines, ...egress, ...rpkiTables(config)],
  );
}

/** Without an answer of the cache they are empty, and then every origin is unknown, which is not refused. */
function rpkiTables(config: NodeConfig): readonly string[] {
  if (config.bird.rpki === null) return [];
  return [`roa4 table ${rpkiTable[4]};  roa6 table ${rpkiTable[6]};  # bird.rpki`];
}

/** Routing tables: for each uplink and family one for the carrier (t_) and one for the probes' way out (p_). */
import type { NodeConfig } from '../../src/types/config.ts';
import { probeTableName, tableName } from '../../src/types/protocol-names.ts';
import { section } from './block.ts';
import { sessionsOf } from './parts.ts';

export function renderTables(config: NodeConfig): readonly string[] {
  const lines = sessionsOf(config).map(
    ({ uplink, family }) =>
      `ipv${family} table ${tableName(uplink.name, family)};  ipv${family} table ${probeTableName(uplink.name, family)};`,
  );
  return section(['tables: t_ of the carrier, p_ of the probes'], lines);
}

/** Kernel routing tables: one for the probes of each uplink, and one for what is learnt where answers leave by source. */
import type { Finding } from '../problem.ts';
import type { UplinkView, View } from '../view.ts';

/** unspec, default, main and local (rt_tables): taking one would change the whole machine's routing. */
const kernelTables: readonly number[] = [0, 253, 254, 255];

interface Claim {
  readonly uplink: UplinkView;
  readonly key: 'table' | 'egress_table';
  readonly table: number;
}

/** Tables that are the kernel's own, or of two owners. */
export function checkTables(view: View): readonly Finding[] {
  const taken = new Map<number, Claim>();
  const claims = [...tables(view.uplinks), ...egressTables(view)];
  return claims.flatMap((claim): readonly Finding[] => {
    const { uplink, key, table } = claim;
    const first = taken.get(table);
    taken.set(table, first ?? claim);
    const given = uplink.self[key] !== undefined;
    const place = {
      path: [...uplink.path, key],
      where: 'value',
      ...(given ? {} : { found: `${table}, its default` }),
    } as const;
    if (kernelTables.includes(table))
      return [
        { ...place, allowed: `a table other than ${kernelTables.join(', ')}, which are the kernel's own` },
      ];
    if (first === undefined) return [];
    const owner = first.key === 'table' ? first.uplink.name : `${first.uplink.name}.egress_table`;
    return [{ ...place, allowed: `a table of its own for each uplink: ${owner} has ${table}` }];
  });
}

function tables(uplinks: readonly UplinkView[]): readonly Claim[] {
  return uplinks.flatMap((uplink): readonly Claim[] =>
    uplink.table === null ? [] : [{ uplink, key: 'table', table: uplink.table }],
  );
}

/** Only those that are given or used: the default of others is nobody's. */
function egressTables({ uplinks, services }: View): readonly Claim[] {
  const used = new Set(
    services.flatMap(({ self }) => (self.egress === 'by-source' ? Object.keys(self.uplinks ?? {}) : [])),
  );
  return uplinks.flatMap((uplink): readonly Claim[] => {
    const table = uplink.egressTable;
    if (table === null || (uplink.self.egress_table === undefined && !used.has(uplink.name))) return [];
    return [{ uplink, key: 'egress_table', table }];
  });
}

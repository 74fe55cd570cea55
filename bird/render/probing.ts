/** The probes' own way out: each uplink's kernel table has its default by the gateway, whether the session stands or not. */
import type { NodeConfig } from '../../src/types/config.ts';
import { kernelName, probeName, probeTableName } from '../../src/types/protocol-names.ts';
import { block, section } from './block.ts';
import { type Session, sessionsOf } from './parts.ts';

export function renderProbing(config: NodeConfig): readonly string[] {
  const lines = sessionsOf(config).flatMap((session) => route(session).concat(kernel(session)));
  return section(
    ['the way out of probes and of answers by source: the gateway, in a kernel table of its own'],
    lines,
  );
}

function route({ uplink, family, gateway }: Session): readonly string[] {
  const any = family === 4 ? '0.0.0.0/0' : '::/0';
  if (!/^[A-Za-z0-9_.:-]{1,15}$/.test(uplink.interface))
    throw new RangeError(`uplinks.${uplink.name}.interface: BIRD cannot read this name in a route`);
  // Linux looks an IPv6 gateway up through the rules, which lead into this very table; `onlink` spares that look-up.
  const onlink = family === 6 ? ' onlink' : '';
  return block(`protocol static ${probeName(uplink.name, family)}`, [
    `ipv${family} { table ${probeTableName(uplink.name, family)}; };`,
    `route ${any} via ${gateway}%'${uplink.interface}'${onlink};  # uplinks.${uplink.name}.gateway, uplinks.${uplink.name}.interface`,
  ]);
}

/** `persist`, so that probing goes on while BIRD is away. */
function kernel({ uplink, family }: Session): readonly string[] {
  return block(`protocol kernel ${kernelName(uplink.name, family)}`, [
    `kernel table ${uplink.table};  # uplinks.${uplink.name}.table`,
    'scan time 20; persist;',
    `ipv${family} { table ${probeTableName(uplink.name, family)}; import none; export all; };`,
  ]);
}

/**
 * The pipes that bring learnt routes into master, where LocalPref decides: egress follows the wish through them. Where a
 * service answers by source, they go by a table of the uplink that the kernel has a copy of: with `learn_` disabled that is
 * empty too, and the answers leave by the next uplink of the service, or by main.
 */
import type { NodeConfig } from '../../src/types/config.ts';
import {
  egressKernelName,
  egressPipeName,
  egressTableName,
  learnName,
  tableName,
} from '../../src/types/protocol-names.ts';
import type { FileState } from '../file-states.ts';
import { block, section, statefulBlock } from './block.ts';
import { egressSessionsOf, type Session, sessionsOf } from './parts.ts';

const learnt = 'import where source = RTS_BGP; export none;';

export function renderLearning(config: NodeConfig, stateOf: (name: string) => FileState): readonly string[] {
  const bySource = new Set(
    egressSessionsOf(config).map(({ uplink, family }) => egressTableName(uplink.name, family)),
  );
  const lines = sessionsOf(config).flatMap(({ uplink, family }) => {
    const name = learnName(uplink.name, family);
    const own = egressTableName(uplink.name, family);
    const into = bySource.has(own) ? own : `master${family}`;
    return statefulBlock(`protocol pipe ${name}`, stateOf(name), [
      `table ${into}; peer table ${tableName(uplink.name, family)};`,
      learnt,
    ]);
  });
  return [
    ...section(['learnt routes into master, where the best is chosen by local_pref'], lines),
    ...section(
      ['answers by source (services.*.egress): what is learnt on an uplink, in a kernel table of its own'],
      egressSessionsOf(config).flatMap((session) => egress(session)),
    ),
  ];
}

function egress({ uplink, family }: Session): readonly string[] {
  const table = egressTableName(uplink.name, family);
  return [
    ...block(`protocol pipe ${egressPipeName(uplink.name, family)}`, [
      `table master${family}; peer table ${table};`,
      learnt,
    ]),
    ...block(`protocol kernel ${egressKernelName(uplink.name, family)}`, [
      `kernel table ${uplink.egressTable};  # uplinks.${uplink.name}.egress_table`,
      'scan time 20;  # not persist: without BIRD, answers leave by main',
      `ipv${family} { table ${table}; import none; export where source = RTS_BGP; };`,
    ]),
  ];
}

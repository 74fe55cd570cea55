/** The pipes that bring learnt routes into master, where LocalPref decides: egress follows the wish through them. */
import type { NodeConfig } from '../../src/types/config.ts';
import { learnName, tableName } from '../../src/types/protocol-names.ts';
import type { FileState } from '../file-states.ts';
import { section, statefulBlock } from './block.ts';
import { sessionsOf } from './parts.ts';

export function renderLearning(config: NodeConfig, stateOf: (name: string) => FileState): readonly string[] {
  const lines = sessionsOf(config).flatMap(({ uplink, family }) => {
    const name = learnName(uplink.name, family);
    return statefulBlock(`protocol pipe ${name}`, stateOf(name), [
      `table master${family}; peer table ${tableName(uplink.name, family)};`,
      'import where source = RTS_BGP; export none;',
    ]);
  });
  return section(['learnt routes into master, where the best is chosen by local_pref'], lines);
}

/** The whole owned file from the config and the present wish. Pure: identical input gives identical bytes. */
import type { NodeConfig } from '../../src/types/config.ts';
import { markLine } from '../base-mark.ts';
import { type FileState, type FileStates, lastLine } from '../file-states.ts';
import { renderAnnouncements } from './announcements.ts';
import { renderConstants } from './constants.ts';
import { renderExportPolicy } from './export-policy.ts';
import { renderHeader } from './header.ts';
import { renderImportPolicy } from './import-policy.ts';
import { renderKernel } from './kernel.ts';
import { renderLearning } from './learning.ts';
import { defaultStates } from './parts.ts';
import { renderProbing } from './probing.ts';
import { renderRpki } from './rpki.ts';
import { renderSessions } from './sessions.ts';
import { renderTables } from './tables.ts';

/**
 * BIRD's configuration for this node (DESIGN 6). `states` is the wish by protocol name; a protocol without one has its
 * default (`defaultStates`). `passwords` is by uplink, of keys of TCP-AO by `aoSecretName`; where one is missing, a comment
 * stands in its place. RangeError for a name that the config does not make, and for text that BIRD cannot read.
 */
export function renderConfig(
  config: NodeConfig,
  states: FileStates,
  passwords: ReadonlyMap<string, string> = new Map(),
): string {
  const defaults = defaultStates(config);
  for (const name of states.keys())
    if (!defaults.has(name)) throw new RangeError(`the config makes no protocol ${name}`);
  const stateOf = (name: string): FileState => {
    const state = states.get(name) ?? defaults.get(name);
    if (state === undefined) throw new RangeError(`no state for ${name}`);
    return state;
  };
  const lines = [
    ...renderHeader(config),
    ...renderTables(config),
    ...renderConstants(config),
    ...renderImportPolicy(config),
    ...renderExportPolicy(config),
    ...renderAnnouncements(config, stateOf),
    ...renderRpki(config),
    ...renderSessions(config, stateOf, passwords),
    ...renderLearning(config, stateOf),
    ...renderProbing(config),
    ...renderKernel(config),
    '',
  ];
  return `${[...lines, markLine(lines), lastLine].join('\n')}\n`;
}

/** What `on_boot: hold` writes into the owned file before BIRD starts. Pure. */
import type { FileState, FileStates } from '../../bird/file-states.ts';
import { overrideFor } from '../core/decide/which-override.ts';
import { fileWords } from '../core/plan/file-words.ts';
import { bootWords } from '../core/ready/words.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Override } from '../types/override.ts';
import { announceName, drainName } from '../types/protocol-names.ts';
import { families } from '../types/units.ts';

/**
 * The states that change: every announcement of a service with a check that would come up, drained or not. What a hand or
 * a verdict holds down stays as it is and keeps its reason, and what an override is about stays as the operator wants it.
 */
export function bootStates(config: NodeConfig, file: FileStates, overrides: readonly Override[]): FileStates {
  const held: FileState = { disabled: true, description: `${fileWords.withdrawn}${bootWords}` };
  const changes = new Map<string, FileState>();
  for (const { name: service, ready } of config.services) {
    if (ready.length === 0) continue;
    for (const { name: uplink } of config.uplinks) {
      for (const family of families) {
        const names = [announceName(uplink, service, family), drainName(uplink, service, family)];
        const pair = names.filter((name) => file.has(name));
        const comesUp = pair.some((name) => file.get(name)?.disabled === false);
        if (!comesUp || overrideFor(overrides, service, uplink, family) !== null) continue;
        for (const name of pair) changes.set(name, held);
      }
    }
  }
  return changes;
}

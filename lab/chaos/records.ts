/** What of the nodes' histories the judges need, with times of this machine, whatever the nodes' wall clocks say. */
import { readHistoryFiles, historyFolder } from '../../src/store/history-files.ts';
import type { HistoryEntry } from '../../src/types/wire/history.ts';
import { join } from 'node:path';
import type { FleetNodeName } from '../network/names.ts';
import { nodeFiles } from '../node/config.ts';
import type { Fact, RecordAbout } from './facts.ts';
import type { World } from './world.ts';

/** Reads the files of all nodes, as they lie on the disk. */
export async function readRecords(world: World): Promise<readonly Fact[]> {
  const offsetMillis = Date.now() - Number(process.hrtime.bigint() / 1_000_000n);
  const all = await Promise.all(
    world.nodes.map(async (node) => {
      const folder = join(nodeFiles(world.node(node).lab.network).state, historyFolder);
      const entries = await readHistoryFiles(folder, { limit: 100_000 });
      return recordsOf(node, entries.toReversed(), offsetMillis);
    }),
  );
  return all.flat();
}

/** `offsetMillis`: what CLOCK_MONOTONIC lacks to wall time. Pure. */
export function recordsOf(
  node: FleetNodeName,
  entries: readonly HistoryEntry[],
  offsetMillis: number,
): readonly Fact[] {
  return entries.flatMap((entry): readonly Fact[] => {
    const at = Math.round(entry.monotonicMillis + offsetMillis);
    return aboutOf(entry).map((about) => ({ kind: 'record', at, node, about }));
  });
}

function aboutOf(entry: HistoryEntry): readonly RecordAbout[] {
  switch (entry.kind) {
    case 'decision': {
      const { uplink: carrier, family, to, guard, text } = entry;
      return [
        { kind: 'decision', carrier, family, to, guard },
        { kind: 'acted', carrier, family, text },
      ];
    }
    case 'read-back':
      return [{ kind: 'acted', carrier: entry.uplink, family: entry.family, text: entry.text }];
    case 'command':
    case 'hand': {
      const match = /^(?:announce|drain|bgp)_([a-z]+?)(?:_[a-z]+)?([46])$/.exec(entry.protocol);
      if (match === null) return [];
      const family = match[2] === '6' ? 6 : 4;
      return [{ kind: 'acted', carrier: match[1] ?? '', family, text: entry.text }];
    }
    case 'dropped':
      return [{ kind: 'dropped', count: entry.count }];
    default:
      return [];
  }
}

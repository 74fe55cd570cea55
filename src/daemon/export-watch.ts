/** Whether sessions export as many prefixes as BIRD is configured to: where they do not for a while, that is an alarm. */
import { configuredState } from '../core/views.ts';
import type { BirdSeen, BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { sessionName } from '../types/protocol-names.ts';
import { elapsed, families, type Family, type Instant } from '../types/units.ts';
import type { Alarm } from './alarms.ts';

/** A change of state reaches the count within milliseconds, a reconfiguration of large tables within seconds. */
const patienceMillis = 5000;

export interface ExportWatch {
  /** Alarms of this look; `at` is its time. */
  look(config: NodeConfig, view: BirdView): readonly Alarm[];
}

export function watchExports(): ExportWatch {
  let since: ReadonlyMap<string, Instant> = new Map();
  return {
    look(config, view) {
      if (view.kind === 'unreachable') return [];
      const differing = config.uplinks.flatMap(({ name }) =>
        families.flatMap((family) => differenceOn(config, view, name, family) ?? []),
      );
      since = new Map(differing.map(({ session }) => [session, since.get(session) ?? view.readAt]));
      return differing
        .filter(({ session }) => elapsed(since.get(session) ?? view.readAt, view.readAt) > patienceMillis)
        .map(({ text }) => ({ code: 'export-differs', text }));
    },
  };
}

function differenceOn(
  config: NodeConfig,
  view: BirdSeen,
  uplink: string,
  family: Family,
): { readonly session: string; readonly text: string } | null {
  const session = sessionName(uplink, family);
  const shown = view.protocols.get(session);
  // A session that still has the operator's name exports what the operator says.
  if (shown?.name !== session || shown.info !== 'Established') return null;
  const count = shown.channels.find((channel) => channel.family === family)?.exported ?? null;
  if (count === null) return null;
  const expected = config.services
    .filter(({ name }) => {
      const state = configuredState(view, uplink, name, family);
      return state === 'announce' || state === 'drain';
    })
    .flatMap(({ prefixes }) => prefixes.filter((prefix) => prefix.family === family)).length;
  if (count === expected) return null;
  return {
    session,
    text: `${session} exports ${count} prefixes where ${expected} are configured: \`birdc show route export ${session}\``,
  };
}

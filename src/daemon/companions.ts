/** Who else is told or asked, beside the ticks: the other nodes, the edge, GeoDNS and webhooks. */
import type { Logger } from 'pino';
import type { OtherNodes } from '../core/edge-feed/snapshot.ts';
import type { TellHistory } from '../types/history.ts';
import type { ReadinessFact } from '../types/readiness.ts';
import type { StatusDocument } from '../types/wire/status.ts';
import type { Alarm } from './alarms.ts';
import { monotonicNow } from './clock.ts';
import { type EdgeFeed, openEdgeFeed, standsAlone } from './edge-feed.ts';
import { edgeNodes } from './fleet-edge.ts';
import type { Fleet } from './fleet-alone.ts';
import { openFleet } from './fleet.ts';
import type { SettingsHolder } from './settings.ts';
import { openTelling, type Telling } from './tell.ts';
import type { TickReport, World } from './tick.ts';

export interface CompanionTools {
  readonly settings: SettingsHolder;
  readonly world: World;
  readonly readiness: () => ReadonlyMap<string, ReadinessFact>;
  readonly log: Logger;
  readonly tell: TellHistory;
}

export interface Companions {
  readonly fleet: Fleet;
  readonly edge: EdgeFeed;
  readonly telling: Telling;
  alarms(): readonly Alarm[];
  /** After each tick; none of them waits. `alarms`: all that stand. */
  after(report: TickReport, alarms: StatusDocument['alarms']): void;
  close(): Promise<void>;
}

export async function openCompanions(tools: CompanionTools): Promise<Companions> {
  const { settings, world, readiness, log, tell } = tools;
  const telling = await openTelling({ config: () => settings.now().config, log, tell });
  const fleet = await openFleet({ settings, world, readiness, log, edge: () => edge.view() });
  const others = (): OtherNodes => (fleet.orders === null ? standsAlone : edgeNodes(fleet.others()));
  const edge: EdgeFeed = await openEdgeFeed({ settings, log, now: monotonicNow, others });
  return {
    fleet,
    edge,
    telling,
    alarms: () => [...edge.alarms(), ...telling.alarms(), ...fleet.alarms()],
    after(report, alarms) {
      fleet.after(report);
      edge.after(report, world.operator.decided);
      telling.after(report, world, alarms);
    },
    async close() {
      await Promise.all([fleet.close(), telling.close(), edge.close()]);
    },
  };
}

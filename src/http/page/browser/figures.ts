/** What the status says, put together for the page's tables. Pure. */
import type {
  AnnouncementStatus,
  FamilyStatus,
  StatusDocument,
  UplinkStatus,
} from '../../../types/wire/status.ts';

export interface UplinkFamily {
  readonly uplink: UplinkStatus;
  readonly family: 4 | 6;
  readonly status: FamilyStatus;
}

/** Each uplink in each family that it has, in the order of the config. */
export function uplinkFamilies(status: StatusDocument): readonly UplinkFamily[] {
  return status.uplinks.flatMap((uplink) =>
    ([4, 6] as const).flatMap((family) => {
      const found = uplink.families[family === 4 ? '4' : '6'];
      return found === undefined ? [] : [{ uplink, family, status: found }];
    }),
  );
}

/** All regions of the node, in the order in which they first come. */
export function regionNames(status: StatusDocument): readonly string[] {
  return [...new Set(uplinkFamilies(status).flatMap((one) => Object.keys(one.status.regions)))];
}

export interface RegionFigures {
  /** Mean over the region's targets. */
  readonly loss: number | null;
  /** Of the slowest target. */
  readonly rttP95Millis: number | null;
}

export function regionFigures({ targets }: FamilyStatus, region: string): RegionFigures {
  const of = targets.filter((target) => target.region === region);
  const losses = of.flatMap(({ loss }) => (loss === null ? [] : [loss]));
  const trips = of.flatMap(({ rttP95Millis }) => (rttP95Millis === null ? [] : [rttP95Millis]));
  return {
    loss: losses.length === 0 ? null : losses.reduce((sum, loss) => sum + loss, 0) / losses.length,
    rttP95Millis: trips.length === 0 ? null : Math.max(...trips),
  };
}

/** Whether BIRD shows what is wished. `unknown` and a session that is down say nothing about it. */
export function agreement({ wish, seen }: AnnouncementStatus): 'as-wished' | 'differs' | 'not-seen' {
  if (seen === 'unknown' || seen === 'session-down') return 'not-seen';
  const shown = { exported: 'announce', drained: 'drain', absent: 'withdraw' } as const;
  return shown[seen] === wish ? 'as-wished' : 'differs';
}

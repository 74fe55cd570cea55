/**
 * Regional verdicts: what of an uplink that is not failed itself should be told apart by region. It is for GeoDNS alone
 * and never touches BGP (DESIGN §7.10); of a failed uplink all regions go with it.
 */
import type { UplinkHealth } from '../../types/health.ts';
import type { Family } from '../../types/units.ts';
import type { ToldState } from '../../types/wire/enums.ts';

export interface RegionalVerdict {
  readonly uplink: string;
  readonly family: Family;
  readonly region: string;
  /** down: failed; drain: degraded; up: anything else, unknown too, which adds nothing. */
  readonly state: ToldState;
  readonly text: string;
}

/** Regions that are not up on uplinks that are otherwise fine, in the order of health. */
export function regionalVerdicts(health: readonly UplinkHealth[]): readonly RegionalVerdict[] {
  return health
    .filter(({ uplinkVerdict }) => uplinkVerdict.health !== 'failed')
    .flatMap(({ uplink, family, regions }) =>
      [...regions].flatMap(([region, { health: state, text }]): RegionalVerdict[] => {
        if (state !== 'failed' && state !== 'degraded') return [];
        return [{ uplink, family, region, state: state === 'failed' ? 'down' : 'drain', text }];
      }),
    );
}

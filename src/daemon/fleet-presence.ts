/** What this node tells the fleet of itself: what is wished, seen, ready and measured, in words that change seldom. */
import type { NodeConfig } from '../types/config.ts';
import type { ReadinessFact } from '../types/readiness.ts';
import { uplinkKey } from '../types/keys.ts';
import type { Presence } from '../types/wire/node-to-fleet.ts';
import { seenOf } from './status-document.ts';
import type { TickReport } from './tick.ts';

/** All of a presence but what counts publications. */
export type PresenceBody = Omit<Presence, 'epoch' | 'seq' | 'content' | 'ageMillis' | 'edge'>;

export interface PresenceSource {
  readonly config: NodeConfig;
  readonly report: TickReport;
  readonly readiness: ReadonlyMap<string, ReadinessFact>;
  readonly frozen: boolean;
}

export function presenceBody({ config, report, readiness, frozen }: PresenceSource): PresenceBody {
  const { node, mode } = config;
  const carriers = new Map(config.uplinks.map(({ name, carrier }) => [name, carrier]));
  const healths = new Map(report.health.map((one) => [uplinkKey(one.uplink, one.family), one]));
  const bird = report.view.kind === 'seen' ? report.view : null;
  return {
    schema: 1,
    node: node.name,
    site: node.site,
    mode,
    frozen,
    announcements: report.wish.announcements.map((wish) => {
      const { service, uplink, family, state, reason, held } = wish;
      return {
        service,
        uplink,
        carrier: carriers.get(uplink) ?? uplink,
        family,
        wish: state,
        seen: seenOf(wish, bird),
        // A check that has said nothing yet says nothing against the service.
        ready: readiness.get(service)?.state !== 'not-ready',
        health: healths.get(uplinkKey(uplink, family))?.uplinkVerdict.health ?? 'unknown',
        held: held?.guard ?? null,
        reason,
      };
    }),
    targets: targetsOf(config, healths),
    failedRegions: failedRegions(report, carriers),
  };
}

function failedRegions(
  { health }: TickReport,
  carriers: ReadonlyMap<string, string>,
): NonNullable<Presence['failedRegions']> {
  return health
    .filter(({ uplinkVerdict }) => uplinkVerdict.health !== 'failed')
    .flatMap(({ uplink, family, regions }) =>
      [...regions]
        .filter(([, verdict]) => verdict.health === 'failed')
        .map(([region]) => ({ region, uplink, carrier: carriers.get(uplink) ?? uplink, family })),
    );
}

function targetsOf(
  { uplinks }: NodeConfig,
  healths: ReadonlyMap<string, TickReport['health'][number]>,
): Presence['targets'] {
  return uplinks.flatMap(({ name: uplink, carrier, targets }) =>
    targets.map(({ name, address, family }) => ({
      address,
      uplink,
      carrier,
      family,
      health: healths.get(uplinkKey(uplink, family))?.targets.get(name)?.health ?? 'unknown',
    })),
  );
}

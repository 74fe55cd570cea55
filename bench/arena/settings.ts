/** Causeway's settings in the arena: the defaults of its own config schema, and the impatient setting. */
import { type ProbeTask, type ProbeKind } from '../../src/types/outcome.ts';
import type { Policy } from '../../src/types/policy.ts';
import { millis } from '../../src/types/units.ts';
import { resolvePolicy } from '../../src/config/resolve.ts';
import { policySchema } from '../../src/config/schema/policy.ts';

/** How many targets each region has. */
export type Layout = Readonly<Record<string, number>>;

export const oneRegion: Layout = { ID: 4 };
export const fiveRegions: Layout = { ID: 2, PH: 2, MY: 2, VN: 2, SG: 2 };

export interface Pace {
  readonly intervalMillis: number;
  readonly timeoutMillis: number;
}

const file = policySchema.parse({});

export const defaultPace: Pace = { intervalMillis: file.probe.interval, timeoutMillis: file.probe.timeout };
export const impatientPace: Pace = { intervalMillis: 100, timeoutMillis: 200 };

/** The policy of a config that says nothing about it. */
export const defaultPolicy: Policy = resolvePolicy({ policy: file });
/** No patience: the price for a verdict within a second is the rate of false alarms that the arena prints. */
export const impatientPolicy: Policy = { ...defaultPolicy, patienceMillis: millis(0) };

/** One task for each target and kind, at that pace. */
export function tasksOf(layout: Layout, kinds: readonly ProbeKind[], pace: Pace): readonly ProbeTask[] {
  const targets = Object.entries(layout).flatMap(([region, count]) =>
    Array.from({ length: count }, (_, index) => ({ region, target: `${region.toLowerCase()}-${index + 1}` })),
  );
  return targets.flatMap(({ region, target }, index) =>
    kinds.map(
      (kind, kindIndex): ProbeTask => ({
        id: index * kinds.length + kindIndex,
        uplink: 'cmi',
        interface: 'eth1',
        source: '223.118.10.2',
        family: 4,
        address: `198.51.100.${index + 1}`,
        target,
        region,
        class: 'target',
        kind,
        port: kind === 'tcp' ? 443 : 0,
        intervalMillis: millis(pace.intervalMillis),
        timeoutMillis: millis(pace.timeoutMillis),
      }),
    ),
  );
}

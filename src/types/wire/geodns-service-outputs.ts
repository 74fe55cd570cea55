/**
 * What those commands of `causeway-geodns` print with `--json` that pass on an answer of the running service. The page
 * reads the same answers by the types of geodns-answers.ts; the compiler holds these schemas against them.
 */
import { z } from 'zod';
import { epoch, seq, wallTime } from './common.ts';
import { geodnsDecision, geodnsDecisions, geodnsFacts } from './companion-outputs.ts';
import { family, toldState } from './enums.ts';
import type { GeoDnsDecision, GeoDnsSites, GeoDnsState, GeoDnsSteering } from './geodns-answers.ts';

const count = z.int().min(0);
const texts = z.array(z.string()).readonly();
const nullable = z.string().nullable();

const perFamily = <T extends z.ZodType>(value: T) =>
  z.object({ '4': value.exactOptional(), '6': value.exactOptional() });

const target = z.object({
  target: z.string(),
  carrier: z.string(),
  told: z
    .object({
      families: perFamily(
        z.object({
          state: toldState,
          regions: z.record(z.string(), toldState),
          services: z.record(z.string(), toldState),
        }),
      ),
      order: z.object({ epoch, seq }),
      reason: z.string(),
      expiresAtMillis: count.nullable(),
    })
    .nullable(),
  now: perFamily(z.object({ state: toldState, by: z.string(), text: z.string() })),
});

const override = z.object({
  glob: z.string(),
  family: family.nullable(),
  state: toldState,
  untilMillis: count,
  author: z.string(),
  reason: z.string(),
});

const alarms = z.object({
  held: texts,
  silentNodes: texts,
  oldDatabases: texts,
  unknownRegions: texts,
  halvedShares: texts,
  databases: texts,
  degraded: z
    .array(z.object({ policy: z.string(), rule: count, family, country: nullable, level: z.string() }))
    .readonly(),
});

const state = z.object({
  revision: count,
  networks: z.string(),
  targets: z.array(target).readonly(),
  overrides: z.array(override).readonly(),
  alarms,
}) satisfies z.ZodType<GeoDnsState>;

const site = z.object({
  name: z.string(),
  serial: count.nullable(),
  error: nullable,
  behind: count,
  behindSeconds: z.number().nullable(),
});

const sites = z.object({
  wanted: count,
  kind: z.enum(['idle', 'pushing', 'failing', 'fenced']),
  error: nullable,
  sites: z.array(site).readonly(),
  verification: z.object({ revision: count, asked: count, wrong: texts }).nullable(),
}) satisfies z.ZodType<GeoDnsSites>;

export const geodnsStatusOutput = z.object({ state, sites });

/** The serial of the zone. */
export const geodnsOverrideOutput = z.object({ revision: count });

const decidedNow = geodnsDecision.omit({ facts: true }).extend({
  ...geodnsFacts,
  network: nullable,
  serial: count,
  ttlSeconds: count,
  failOpen: z.boolean(),
}) satisfies z.ZodType<GeoDnsDecision>;

/** By the files, of each policy that was asked about; with a token that of the one name. */
export const geodnsDecideOutput = z.union([geodnsDecisions, decidedNow]);

const databases = z.array(z.object({ path: z.string(), builtAt: z.string() })).readonly();

/** Without a refresh in the configuration the databases alone. */
export const geodnsGeoipOutput = z.union([
  z.object({ isRefreshed: z.literal(false), databases }),
  z.object({
    /** Absent in the answer to `refresh` and `rollback`. */
    isRefreshed: z.literal(true).optional(),
    kind: z.enum(['idle', 'fetching', 'judging', 'rolling', 'going-back']),
    site: nullable,
    current: nullable,
    previous: nullable,
    refused: nullable,
    last: z
      .object({
        kind: z.enum(['refreshed', 'unchanged', 'refused', 'held', 'failed', 'rolled-back']),
        at: z.string(),
        author: z.string(),
        lines: texts,
        changed: z.number().nullable(),
      })
      .nullable(),
    nextAt: nullable,
    databases,
  }),
]);

export const geodnsFreezeOutput = z.object({
  isFrozen: z.boolean(),
  /** null: of nodes alone, or none. */
  freeze: z.object({ author: z.string(), reason: z.string(), atMillis: count }).nullable(),
  frozenNodes: texts,
});

const comparison = z.object({
  surelyMillis: z.number(),
  likelyMillis: z.number(),
  presentMillis: z.number(),
  surelyFailures: z.number(),
  likelyFailures: z.number(),
  samples: count,
  sources: count,
  covered: z.number(),
});

const proposal = z.object({
  policy: z.string(),
  rule: count,
  note: nullable,
  from: texts,
  to: texts,
  share: z.number(),
  evidence: comparison,
  reason: z.string(),
  held: z.enum(['shadow', 'frozen', 'blocked', 'settling', 'reversal', 'step', 'total']).nullable(),
});

const steered = z.object({
  policy: z.string(),
  rule: count,
  base: texts,
  order: texts,
  share: z.number(),
  author: z.string(),
  reason: z.string(),
  isActing: z.boolean(),
  at: wallTime.nullable(),
  until: wallTime.nullable(),
  blockedUntil: wallTime.nullable(),
});

const steering = geodnsFreezeOutput.extend({
  mode: z.enum(['shadow', 'live']),
  limits: z.object({ distrust: z.number(), stepShare: z.number(), totalShare: z.number() }),
  proposals: z.array(proposal).readonly(),
  acting: z.array(steered).readonly(),
  /** What became of beacons; null: none are taken. */
  beacons: z.record(z.string(), count).nullable(),
}) satisfies z.ZodType<GeoDnsSteering>;

/** What is proposed and acts; or the one rule that was accepted or reverted. */
export const geodnsSteeringOutput = z.union([steering, z.object({ revision: count, entry: steered })]);

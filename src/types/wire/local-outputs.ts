/** What commands print with `--json` that need no daemon: check, render, boot, routing, replay and others. */
import { z } from 'zod';
import { notRunReasons } from '../outcome.ts';
import { schemaVersion, wallTime } from './common.ts';
import { examined } from './doctor.ts';
import { announceState, family, guard, wishReason } from './enums.ts';

const count = z.int().min(0);

/** One thing that is wrong with a config, or a warning. */
const problem = z.object({
  file: z.string(),
  line: z.int().min(1),
  column: z.int().min(1),
  path: z.string(),
  found: z.string(),
  allowed: z.string(),
  text: z.string(),
});

export const checkOutput = z.object({
  ok: z.boolean(),
  problems: z.array(problem).readonly(),
  warnings: z.array(problem).readonly(),
  /** With `--host`. */
  findings: z.array(examined).readonly().optional(),
});

export const renderOutput = z.object({
  path: z.string(),
  layout: z.enum(['include', 'whole']),
  written: z.boolean(),
  /** By protocol. */
  states: z.record(z.string(), z.object({ disabled: z.boolean(), description: z.string() })),
  /** Without passwords. */
  text: z.string(),
});

export const bootOutput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('held'), protocols: z.array(z.string()).readonly(), text: z.string() }),
  z.object({ kind: z.literal('left'), text: z.string() }),
  z.object({ kind: z.literal('unable'), code: z.enum(['no-file', 'failed']), text: z.string() }),
]);

export const migrateOutput = z.object({
  /** What each step will do, or did. */
  steps: z.array(z.string()).readonly(),
  /** null: nothing was done. */
  result: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('migrated') }),
      z.object({ kind: z.enum(['refused', 'put-back', 'stuck']), why: z.string() }),
    ])
    .nullable(),
});

const ruleMatch = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('from'), source: z.string() }),
  z.object({ kind: z.literal('oif'), interface: z.string() }),
  z.object({ kind: z.literal('from-prefix'), prefix: z.string(), service: z.string() }),
]);

/** `causeway routing --json`. */
export const routingOutput = z.object({
  rules: z
    .array(z.object({ uplink: z.string(), family, priority: count, match: ruleMatch, table: count }))
    .readonly(),
  /** With `--with-routes`. */
  routes: z
    .array(
      z.object({
        uplink: z.string(),
        family,
        gateway: z.string(),
        interface: z.string(),
        table: count,
        metric: count,
      }),
    )
    .readonly()
    .optional(),
  sysctls: z.array(z.object({ key: z.string(), value: z.string(), why: z.string() })).readonly(),
});

const place = { uplink: z.string(), family };

/** `causeway routing --check --json`. */
export const routingCheckOutput = z.object({
  ok: z.boolean(),
  facts: z
    .array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('ok'), ...place, missing: z.array(z.string()).readonly() }),
        z.object({
          kind: z.literal('wrong'),
          ...place,
          why: z.enum(notRunReasons),
          text: z.string(),
          mend: z.string(),
        }),
      ]),
    )
    .readonly(),
  /** Rules at the plan's priorities that it does not ask for. */
  left: z.array(z.object({ family, priority: count, text: z.string(), mend: z.string() })).readonly(),
});

export const recordOutput = z.object({ file: z.string(), bytes: count });

const recordedWish = z.object({
  service: z.string(),
  uplink: z.string(),
  family,
  state: announceState,
  reason: wishReason,
  guard: guard.nullable(),
});
const side = z.object({ withdrawals: count, changes: count });
const episode = recordedWish.extend({ from: wallTime, to: wallTime });

export const replayOutput = z.object({
  schema: schemaVersion,
  node: z.string(),
  from: wallTime,
  to: wallTime,
  /** The file that was decided by; null: the recorded policy. */
  policy: z.string().nullable(),
  ticks: count,
  samples: count,
  lengthMillis: z.number().min(0),
  happened: side,
  would: side,
  disagreementSeconds: z.number().min(0),
  /** Withdrawals of one side during which the other never withdrew the same announcement. */
  onlyHappened: z.array(episode).readonly(),
  onlyWould: z.array(episode).readonly(),
  rows: z.array(z.object({ at: wallTime, happened: recordedWish, would: recordedWish })).readonly(),
});

const simulation = z.object({
  schema: schemaVersion,
  scenario: z.string(),
  summary: z.string(),
  seed: count,
  lengthMillis: z.number().min(0),
  faults: z.array(z.object({ text: z.string(), fromMillis: z.number(), toMillis: z.number() })).readonly(),
  changes: z.array(recordedWish.extend({ atMillis: z.number().min(0) })).readonly(),
  totals: z.object({
    probes: count,
    badMinutesWithout: z.number().min(0),
    badMinutesWith: z.number().min(0),
    badMinutesAvoided: z.number(),
    withdrawals: count,
    falseWithdrawals: count,
    changes: count,
    mostChangesInAnHour: count,
    darkMinutes: z.number().min(0),
  }),
});

/** Of one scenario, of all, or with `--list` their names. */
export const simulateOutput = z.union([
  simulation,
  z.array(simulation).readonly(),
  z.array(z.object({ scenario: z.string(), summary: z.string() })).readonly(),
]);

export const completionOutput = z.union([
  z.object({ script: z.string() }),
  z.object({ candidates: z.array(z.object({ word: z.string(), meaning: z.string() })).readonly() }),
]);

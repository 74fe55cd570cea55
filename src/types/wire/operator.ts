/** What operators send to the daemon (`POST /v1/overrides` and its like), and what it answers. Version 1. */
import { z } from 'zod';
import { schemaVersion, wallTime, wireName } from './common.ts';
import { announceState, egressState, family, wishReason } from './enums.ts';
import { overrideStatus } from './status.ts';

/** Names that the daemon itself signs with. */
const reservedAuthors: readonly string[] = ['birdc', 'causeway', 'maintenance', 'file'];

const author = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/, {
    error: 'a name of 1 to 64 letters, digits or . _ @ + -',
  })
  .refine((name) => !reservedAuthors.includes(name), {
    error: `a name other than ${reservedAuthors.join(', ')}`,
  });

/** It goes into BIRD's message, the log and the history. */
const reason = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,200}$/u, { error: 'a reason of 1 to 200 characters in one line' });

/** null stands for all of them; three times null is the whole node. */
export const selection = z.strictObject({
  uplink: wireName.nullable(),
  service: wireName.nullable(),
  family: family.nullable(),
});

const longestMillis = 366 * 86_400_000;

/** When an override ends. An override without an end has to say so. */
const ends = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('after'), millis: z.int().min(1000).max(longestMillis) }),
  z.strictObject({ kind: z.literal('at'), time: wallTime }),
  z.strictObject({ kind: z.literal('never') }),
]);

/** `dryRun`: what would change is answered, nothing is done. */
const dryRun = z.boolean().default(false);
/** Said to every node of the fleet. */
const fleet = z.boolean().default(false);

export const overrideRequest = z.strictObject({
  selection,
  state: announceState,
  author,
  reason,
  ends,
  /** Said for what leaves a service of this node without an undrained announcement. */
  last: z.boolean().default(false),
  fleet,
  dryRun,
});
export type OverrideRequest = z.infer<typeof overrideRequest>;

export const releaseRequest = z.strictObject({
  selection,
  /** Ends overrides of these states alone; null: all. */
  states: z.array(announceState).min(1).nullable().default(null),
  author,
  fleet,
  dryRun,
});
export type ReleaseRequest = z.infer<typeof releaseRequest>;

export const freezeRequest = z.strictObject({ author, reason, fleet, dryRun });
export type FreezeRequest = z.infer<typeof freezeRequest>;

export const thawRequest = z.strictObject({ author, fleet, dryRun });
export type ThawRequest = z.infer<typeof thawRequest>;

export const reloadRequest = z.strictObject({ author, dryRun });
export type ReloadRequest = z.infer<typeof reloadRequest>;

const change = z.object({
  uplink: wireName,
  /** null: of egress. */
  service: wireName.nullable(),
  family,
  from: z.union([announceState, egressState]),
  to: z.union([announceState, egressState]),
  reason: wishReason,
  text: z.string(),
});
/** A part of the wish that a command changes. */
export type WishChange = z.infer<typeof change>;

export const operatorAnswer = z.object({
  schema: schemaVersion,
  /** False: a dry run. */
  done: z.boolean(),
  /** In the order of the config. Empty: the wish stays as it is. */
  changes: z.array(change).readonly(),
  /** Overrides that begin. */
  begun: z.array(overrideStatus).readonly(),
  /** Overrides that end. */
  ended: z.array(overrideStatus).readonly(),
  /** What else the operator should know; sentences. */
  notes: z.array(z.string()).readonly(),
});
export type OperatorAnswer = z.infer<typeof operatorAnswer>;

/** `POST /v1/apply` on the control socket: what is asked, and the lines (JSON, one each) that come back. Version 1. */
import { z } from 'zod';

export const applyRequest = z.strictObject({
  /** Only to say what would change. */
  dryRun: z.boolean(),
  /** Sessions may be closed. */
  yesReset: z.boolean(),
  /** Something may be announced on fewer sessions. */
  yesWithdraw: z.boolean(),
  /** The other nodes are not asked whether one of them is in the middle of a change. */
  skipFleet: z.boolean().exactOptional(),
});
export type ApplyRequest = Readonly<z.infer<typeof applyRequest>>;

/** In the order of the sequence; `put-back` is the way out of the last four. */
export const applyStep = z.enum([
  'fleet',
  'render',
  'check',
  'rehearse',
  'diff',
  'baseline',
  'swap',
  'configure',
  'read-back',
  'confirm',
  'put-back',
]);
export type ApplyStep = z.infer<typeof applyStep>;

const texts = z.array(z.string()).readonly();

export const sessionEffect = z.object({
  session: z.string(),
  /**
   * added, removed; reset: closed and opened again; refresh: the carrier is asked to send its routes again;
   * none: told because something of it changes, but the session and its routes stay
   */
  kind: z.enum(['added', 'removed', 'reset', 'refresh', 'none']),
  /** One for each option that changes, without secrets. */
  reasons: texts,
});
export type SessionEffect = Readonly<z.infer<typeof sessionEffect>>;

/** Of one prefix on one session. */
export const prefixEffect = z.object({
  session: z.string(),
  prefix: z.string(),
  kind: z.enum(['starts', 'stops', 'changes']),
  /** Of `changes`: `MED 100 → 50`. */
  changes: texts,
});
export type PrefixEffect = Readonly<z.infer<typeof prefixEffect>>;

export const baseDiff = z.object({
  /** Whether the texts differ in nothing but states. */
  same: z.boolean(),
  sessions: z.array(sessionEffect).readonly(),
  prefixes: z.array(prefixEffect).readonly(),
  /** Other protocols: `protocol k_cmi4 changes`. */
  others: texts,
});
export type BaseDiff = Readonly<z.infer<typeof baseDiff>>;

/** reset: a session is closed, for a while or for good; withdraw: something is announced on fewer sessions. */
export const consent = z.object({ reset: z.boolean(), withdraw: z.boolean() });
export type Consent = Readonly<z.infer<typeof consent>>;

export const applyResult = z.discriminatedUnion('kind', [
  /** The config and the confirmed text are the same. */
  z.object({ kind: z.literal('nothing') }),
  /** It was only asked what would change. */
  z.object({ kind: z.literal('differs'), diff: baseDiff }),
  /** Nothing was changed: these effects want an option of their own. */
  z.object({ kind: z.literal('needs-consent'), diff: baseDiff, lacking: consent }),
  /** Nothing was changed, or all of it was put back before BIRD took it. */
  z.object({ kind: z.literal('refused'), step: applyStep, problems: texts }),
  /** by: `foreign` where somebody's `configure` confirmed it before we could. */
  z.object({ kind: z.literal('applied'), diff: baseDiff, by: z.enum(['causeway', 'foreign']) }),
  /** BIRD had it for a while; the last confirmed text is back in the file and in BIRD. */
  z.object({ kind: z.literal('undone'), diff: baseDiff, problems: texts }),
  /** It could not be put back yet; a running daemon goes on trying, and the next start does it first. */
  z.object({ kind: z.literal('stuck'), problems: texts }),
]);
export type ApplyResult = Readonly<z.infer<typeof applyResult>>;

/** A line of the answer: steps as they happen, and the result as the last one. */
export const applyLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), step: applyStep, text: z.string() }),
  /** Nothing is new; a silent connection would be closed. */
  z.object({ kind: z.literal('alive') }),
  z.object({ kind: z.literal('result'), result: applyResult }),
]);
export type ApplyLine = Readonly<z.infer<typeof applyLine>>;

/** Told as it happens. */
export interface ApplyProgress {
  readonly step: ApplyStep;
  readonly text: string;
}

/** What the commands of the companions, `causeway-geodns` and `causeway-edge`, print with `--json`. */
import { z } from 'zod';
import { wallTime } from './common.ts';
import { family, toldState } from './enums.ts';

const count = z.int().min(0);
const texts = z.array(z.string()).readonly();

/** One thing that is wrong with a file that people wrote. */
const problem = z.object({
  file: z.string(),
  /** null: the file cannot be read. */
  line: count.nullable(),
  column: count.nullable(),
  /** Empty: the whole file. */
  path: z.string(),
  message: z.string(),
});

export const edgeCheckOutput = z.object({
  config: z.string(),
  /** Version of networks.yaml; null: there are problems. */
  networks: z.string().nullable(),
  problems: z.array(problem).readonly(),
});
export type EdgeCheckOutput = z.infer<typeof edgeCheckOutput>;

export const edgeRenderOutput = z.object({
  out: z.string(),
  /** With any of these nothing is rendered. */
  problems: z.array(problem).readonly(),
  /** What `nginx -t` says against what was rendered; null: nothing, or nothing was rendered. */
  refusal: z.string().nullable(),
});
export type EdgeRenderOutput = z.infer<typeof edgeRenderOutput>;

export const geodnsCheckOutput = z.object({
  zone: z.string(),
  rrsets: count,
  /** Version of networks.yaml. */
  networks: z.string(),
  /** With `--sites`: settings of PowerDNS that are missing. */
  problems: texts,
});

const nullable = z.string().nullable();

export const geodnsFacts = {
  asn: count.nullable(),
  organisation: nullable,
  country: nullable,
  subdivision: nullable,
  continent: nullable,
};

/** By the files alone; the running service tells the same and more of it. */
export const geodnsDecision = z.object({
  ip: z.string(),
  facts: z.object(geodnsFacts),
  classification: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('known'),
      network: z.string(),
      by: z.enum(['prefix', 'asn']),
      evidence: z.string(),
    }),
    z.object({ kind: z.literal('unknown'), why: z.enum(['excluded', 'unlisted', 'no-asn']) }),
  ]),
  level: z.enum(['normal', 'short', 'drained', 'fail-open', 'all-down', 'none']),
  pool: nullable,
  targets: texts,
  answer: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('all'), addresses: texts }),
    z.object({
      kind: z.literal('weighted'),
      choices: z.array(z.object({ address: z.string(), weight: z.number() })).readonly(),
    }),
  ]),
  seen: z
    .array(
      z.object({
        pool: z.string(),
        target: z.string(),
        state: toldState,
        by: z.enum(['unreported', 'override', 'guard', 'uplink', 'region', 'service']),
        text: z.string(),
      }),
    )
    .readonly(),
  policy: z.string(),
  /** null: the default. */
  rule: z.object({ number: count, note: nullable }).nullable(),
  why: texts,
});

/** Of each policy that was asked about. */
export const geodnsDecisions = z.array(geodnsDecision).readonly();

export const geodnsRevision = z.object({
  number: count,
  /** null: written while the service was stopped. */
  serial: count.nullable(),
  author: z.string(),
  reason: z.string(),
  at: wallTime,
  /** The revision that it brings back. */
  of: count.nullable(),
});

/** All of them, the newest first; with a number that one and its texts. */
export const geodnsRevisionsOutput = z.union([
  z.array(geodnsRevision).readonly(),
  geodnsRevision.extend({ texts: z.object({ rules: z.string(), networks: z.string() }) }),
]);

const place = z.object({ file: z.string(), line: count, column: count, path: z.string(), text: z.string() });

const moved = z.object({
  by: z.enum(['databases', 'statistics', 'nothing']),
  share: z.number(),
  policies: z
    .array(
      z.object({
        policy: z.string(),
        family,
        share: z.number(),
        largest: z
          .array(
            z.object({
              asn: count.nullable(),
              network: nullable,
              country: nullable,
              from: nullable,
              to: nullable,
              share: z.number(),
            }),
          )
          .readonly(),
      }),
    )
    .readonly(),
  names: z.object({ added: texts, removed: texts }),
});

/** Why other rules are refused, or whom they would move; with `--yes` the revision in force. */
export const geodnsApplyOutput = z.union([
  z.object({ ok: z.literal(false), problems: texts, places: z.array(place).readonly() }),
  z.object({ ok: z.literal(true), problems: texts, moved, degraded: count, rrsets: count }),
  z.object({ changed: z.boolean(), revision: geodnsRevision }),
]);

/** The same; with `--offline` whether the files were written. */
export const geodnsRollbackOutput = z.union([
  ...geodnsApplyOutput.options,
  z.object({ number: count, written: z.boolean() }),
]);

export const geodnsPromoteOutput = z.object({
  primary: z.string(),
  secondaries: texts,
  untold: z.array(z.object({ name: z.string(), reason: z.string() })).readonly(),
});

const named = { asn: count, organisation: z.string() };

export const geodnsProposeOutput = z.object({
  add: z.array(z.object({ ...named, network: z.string(), pattern: z.string() })).readonly(),
  unclear: z.array(z.object({ ...named, networks: texts })).readonly(),
  check: z.array(z.object({ ...named, network: z.string() })).readonly(),
  absent: z.array(z.object({ asn: count, network: z.string() })).readonly(),
});

/** Parts of the status document that say what was measured, by whom, and how BIRD is reached. */
import { z } from 'zod';
import { notRunReasons } from '../outcome.ts';
import { healthState } from './enums.ts';

const share = z.number().min(0).max(1).nullable();
const durationMillis = z.number().min(0);

export const prober = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('starting') }),
  z.object({
    kind: z.literal('running'),
    engine: z.string(),
    pid: z.int(),
    /** Longest delay of its own event loop in the last report. */
    lagMillis: durationMillis,
    strays: z.int().min(0),
    rssBytes: z.number().min(0),
  }),
  /** It says that it cannot probe at all. */
  z.object({ kind: z.literal('unable'), code: z.string(), text: z.string() }),
  /** It died or does not speak. */
  z.object({ kind: z.literal('silent'), text: z.string() }),
]);

export const bird = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('seen'),
    version: z.string(),
    path: z.string(),
    /** Present where the socket is a restricted one, over which nothing can be changed. */
    restricted: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('unreachable'), path: z.string(), code: z.string(), text: z.string() }),
  /** Not asked yet. */
  z.object({ kind: z.literal('starting'), path: z.string() }),
]);

/** Figures of the verdict's window; they explain, they never decide. */
export const evidence = z.object({
  loss: share,
  rttP50Millis: durationMillis.nullable(),
  rttP95Millis: durationMillis.nullable(),
  answered: z.int().min(0),
  lost: z.int().min(0),
  notRun: z.int().min(0),
  targets: z.int().min(0),
  badTargets: z.int().min(0),
});

const windowFigures = z.object({
  probes: z.int().min(0),
  loss: share,
  rttP50Millis: durationMillis.nullable(),
  rttP95Millis: durationMillis.nullable(),
  rttP99Millis: durationMillis.nullable(),
  /** Mean difference of successive round trips. */
  jitterMillis: durationMillis.nullable(),
});

/** Figures for people; they never decide. */
export const rollingFigures = z.object({ '1min': windowFigures, '5min': windowFigures, '1h': windowFigures });

export const target = z.object({
  name: z.string(),
  address: z.string(),
  region: z.string(),
  health: healthState,
  loss: share,
  rttP50Millis: durationMillis.nullable(),
  rttP95Millis: durationMillis.nullable(),
  /** Why its latest probe did not run; null: it ran. */
  notRun: z.enum(notRunReasons).nullable(),
  figures: rollingFigures.optional(),
});

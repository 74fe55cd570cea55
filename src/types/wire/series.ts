/** `GET /v1/series`: what each second measured, for charts. Version 1. */
import { z } from 'zod';
import { schemaVersion, wallTime, wireName } from './common.ts';
import { family } from './enums.ts';

const counts = z.array(z.int().min(0)).readonly();
/** null: nothing was answered. */
const roundTrips = z.array(z.number().min(0).nullable()).readonly();

const track = z.object({
  uplink: wireName,
  family,
  answered: counts,
  lost: counts,
  rttP50Millis: roundTrips,
  rttP95Millis: roundTrips,
});

export const seriesAnswer = z.object({
  schema: schemaVersion,
  /** Seconds in one point; more than 1 where there would be too many points. */
  stepSeconds: z.int().min(1),
  /** Seconds of the monotonic clock: where the first point begins. */
  first: z.int().min(0),
  /** The same in wall time, by the clock of now. */
  firstAt: wallTime,
  /** What to ask for as `since` next time: points from there on may still change. */
  next: z.int().min(0),
  series: z.array(track).readonly(),
});
/** Of `GET /v1/series`. */
export const seriesParams = z.object({
  since: z
    .string()
    .optional()
    .describe(
      'A time back such as 15min (s, min, h), or the `next` of an earlier answer; default: the last hour.',
    ),
});

export type SeriesAnswer = z.infer<typeof seriesAnswer>;
export type SeriesTrack = z.infer<typeof track>;

/** The message of `POST /v1/rum`: what browsers or edges measured to each carrier. Nothing in it says who it was. */
import { z } from 'zod';
import { schemaVersion, wireName } from '../../src/types/wire/common.ts';
import { continentCodes, isCountry, isSubdivision } from '../rules/places.ts';

const most = 50;

const beacon = z.object({
  /** Whose path was measured: a carrier of the rules' targets. */
  carrier: wireName,
  /** Round trip, ms; left out where `ok` is false. */
  rttMillis: z.number().min(0).max(60_000).optional(),
  ok: z.boolean(),
  /** Of the user, as an edge knows them; what a browser says of itself here is not read. */
  country: z.string().refine(isCountry, 'must be an ISO 3166 country code in capitals').optional(),
  subdivision: z.string().refine(isSubdivision, 'must be an ISO 3166-2 code such as CN-GD').optional(),
  continent: z.enum(continentCodes).optional(),
  asn: z.int().min(1).max(4_294_967_295).optional(),
  /** From an edge: a word that is the same for users of one /24 or /48, such as a salted hash; no address. */
  source: z
    .string()
    .regex(/^[A-Za-z0-9_-]{4,32}$/)
    .optional(),
});
export type Beacon = z.output<typeof beacon>;

export const beaconBatch = z.object({
  schema: schemaVersion,
  beacons: z
    .array(
      beacon.refine(({ ok, rttMillis }) => ok === (rttMillis !== undefined), {
        message: 'rttMillis belongs to ok: true, and to nothing else',
      }),
    )
    .min(1)
    .max(most),
});

/** Small answers of the HTTP endpoint, and the parameters of its routes. Version 1. */
import { z } from 'zod';
import { schemaVersion, wireName } from './common.ts';
import { family } from './enums.ts';

/** `GET /healthz`. */
export const healthAnswer = z.object({
  ok: z.boolean().describe('The process lives and its ticks run.'),
  node: wireName,
  mode: z.enum(['observe', 'live']),
  tickAgeMillis: z.number().min(0),
});
export type HealthAnswer = Readonly<z.infer<typeof healthAnswer>>;

/** `GET /readyz`. */
export const readyAnswer = z.object({
  ready: z.boolean().describe('All of the checks are.'),
  node: wireName,
  checks: z
    .array(
      z.object({
        name: z.enum(['tick', 'bird', 'prober', 'first-window']),
        ok: z.boolean(),
        text: z.string(),
      }),
    )
    .readonly(),
});
export type ReadyAnswer = Readonly<z.infer<typeof readyAnswer>>;

/** `GET /v1/explain/:uplink`. */
export const explainAnswer = z.object({
  schema: schemaVersion,
  uplink: wireName,
  announcements: z
    .array(
      z.object({
        service: wireName,
        uplink: wireName,
        family,
        lines: z.array(z.string()).readonly().describe('What is done, why, and what would change it.'),
      }),
    )
    .readonly(),
});
/** Of one announcement. */
export type Explanation = Readonly<z.infer<typeof explainAnswer>['announcements'][number]>;

export const uplinkParams = z.object({ uplink: wireName.describe('Name of an uplink in the config.') });

/** Of `GET /v1/history`; what they mean is decided in types/history-query.ts. */
export const historyParams = z.object({
  since: z.string().optional().describe('A time back such as 2h (s, min, h, d), or a time in ISO 8601.'),
  limit: z.string().optional().describe('The newest so many, 1 to 10000; default 200.'),
  uplink: z.string().optional().describe('Entries about this uplink.'),
  kind: z.string().optional().describe('Entries of this kind.'),
});

export const eventHeaders = z.object({
  'last-event-id': z
    .string()
    .optional()
    .describe('The id of the last entry that was seen; what was missed comes first.'),
});

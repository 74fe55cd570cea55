/** An operator's word for every node of the fleet, as it lies in Redis (hash `orders`) behind its version. */
import { z } from 'zod';
import { schemaVersion, wallTime, wireName } from './common.ts';
import { freezeWord, overrideStatus } from './status.ts';

const said = {
  schema: schemaVersion,
  /** Where it was said, by whom and when; for people. */
  node: wireName,
  author: z.string().max(64),
  at: wallTime,
};

export const fleetOrder = z.discriminatedUnion('kind', [
  /** null: thawed. */
  z.object({ kind: z.literal('freeze'), ...said, freeze: freezeWord.nullable() }),
  z.object({
    kind: z.literal('override'),
    ...said,
    /** subjectKey of what it is about. */
    subject: z.string().max(200),
    /** null: it has ended. */
    override: overrideStatus.nullable(),
    /** Whether it may leave a service of a node without an undrained announcement. */
    last: z.boolean(),
  }),
]);
export type FleetOrder = z.infer<typeof fleetOrder>;

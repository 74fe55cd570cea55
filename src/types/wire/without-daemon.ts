/** What `causeway status --json` and `causeway explain UPLINK --json` print where the daemon does not answer. Version 1. */
import { z } from 'zod';
import { schemaVersion } from './common.ts';
import { announceState, family, seenState } from './enums.ts';
import { historyEntry } from './history.ts';
import { overrideStatus } from './status.ts';

const birdShown = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('seen'), version: z.string(), path: z.string() }),
  z.object({ kind: z.literal('unreachable'), path: z.string(), code: z.string(), text: z.string() }),
]);

const announcement = z.object({
  uplink: z.string(),
  service: z.string(),
  family,
  /** What BIRD does with it now. */
  seen: seenState,
  /** What the owned file makes of it at BIRD's next `configure` or start; null: it does not have it. */
  file: announceState.nullable(),
  /** Why, as it stands in the owned file. */
  description: z.string().nullable(),
});

export const withoutDaemon = z.object({
  schema: schemaVersion,
  daemon: z.literal('unreachable'),
  /** What was tried, and what happened. */
  tried: z.array(z.string()).readonly(),
  config: z.object({
    file: z.string(),
    /** Empty: it loads. */
    problems: z.array(z.string()).readonly(),
  }),
  /** null: the config does not load. */
  node: z.string().nullable(),
  mode: z.enum(['observe', 'live']).nullable(),
  /** null: the config does not load, so that BIRD's socket is not known. */
  bird: birdShown.nullable(),
  /** `state` as BIRD writes it: Established, Active, …; null: BIRD does not have the session. */
  sessions: z.array(z.object({ uplink: z.string(), family, state: z.string().nullable() })).readonly(),
  announcements: z.array(announcement).readonly(),
  /** From the state folder, as the next start reads them. */
  overrides: z.array(overrideStatus).readonly(),
  frozen: z.boolean(),
  /** The last ones, oldest first, from the state folder. */
  history: z.array(historyEntry).readonly(),
  /** What could not be read, and why. */
  unread: z.array(z.string()).readonly(),
});
export type WithoutDaemon = z.infer<typeof withoutDaemon>;

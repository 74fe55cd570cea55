/** What `causeway explain UPLINK --json` makes of `GET /v1/explain/:uplink`, status and history. Version 1. */
import { z } from 'zod';
import { explainAnswer } from './answers.ts';
import { schemaVersion, wireName } from './common.ts';
import { historyEntry } from './history.ts';
import { uplinkStatus } from './status.ts';

export const uplinkExplained = z.object({
  schema: schemaVersion,
  uplink: wireName,
  announcements: explainAnswer.shape.announcements,
  status: uplinkStatus,
  /** About the uplink, oldest first. */
  history: z.array(historyEntry).readonly(),
  /** What can be typed now, the most urgent first. */
  advice: z.array(z.object({ command: z.string(), effect: z.string() })).readonly(),
});
export type UplinkExplained = z.infer<typeof uplinkExplained>;

/** `statistics` of geodns.yaml. */
import { z } from 'zod';

export const statisticsConfig = z.strictObject({
  /** Days are removed after so long; at most 4 MB each. */
  keep_days: z.int().min(8).max(3650).default(90),
});

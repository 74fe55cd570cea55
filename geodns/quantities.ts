/** Values with units, as the service's files have them. */
import { z } from 'zod';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `30s`, `5min`, `1h`, `21d` → milliseconds. */
export const span = z
  .string()
  .regex(/^\d{1,6}(?:ms|s|min|h|d)$/, 'must be a duration with its unit: 500ms, 30s, 5min, 1h or 21d')
  .transform((text) => Number.parseInt(text, 10) * (units[text.replace(/^\d+/, '')] ?? 1));

/** The same, not shorter and not longer than these texts say. */
export function spanWithin(least: string, most: string): z.ZodType<number, string> {
  const [low, high] = [span.parse(least), span.parse(most)];
  return span.refine((millis) => millis >= low && millis <= high, `must be from ${least} to ${most}`);
}

/** `20%` → 0.2; `least` and `most` in percent. */
export function percent(least = 0, most = 100): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,3}(?:\.\d+)?%$/, 'must be a percentage with its sign, such as 50%')
    .transform((text) => Number.parseFloat(text) / 100)
    .refine((share) => share >= least / 100 && share <= most / 100, `must be from ${least}% to ${most}%`);
}

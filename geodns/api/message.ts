/** Bodies and queries against their schemas; a Problem names every fault and its place. */
import type { z } from 'zod';
import { Problem } from './problem.ts';

export function readMessage<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: 'bad-message' | 'bad-query' = 'bad-message',
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'body'}: ${issue.message}`,
  );
  throw new Problem(400, code, faults.join('; '));
}

/** A mapping with known keys. Others are refused with the nearest known one as a hint. */
import { z } from 'zod';
import { notBuiltShape } from './not-built.ts';

/** `at` names the section as the table of keys that are not built does, with `*` for any name or index. */
export function section<S extends z.ZodRawShape>(
  at: string,
  sentence: string,
  shape: S,
): z.ZodObject<S, z.core.$strict> {
  const keys = Object.keys(shape);
  return z
    .strictObject({ ...shape, ...notBuiltShape(at) }, { error: (issue) => saySection(issue, keys) })
    .meta({ description: sentence });
}

/** A mapping from names that the operator gives. */
export function named<V extends z.ZodType>(what: string, sentence: string, value: V) {
  const allowed = `a name for the ${what}: a small letter, then up to 14 small letters or digits`;
  return z
    .record(z.string().regex(/^[a-z][a-z0-9]{0,14}$/), value, {
      error: (issue) =>
        issue.code === 'invalid_key' ? allowed : `a mapping with at least one ${what}: a name and what it is`,
    })
    .refine((map) => Object.keys(map).length > 0, { error: `at least one ${what}` })
    .meta({ description: sentence });
}

/** One line for each unknown key, in the order of `issue.keys`. */
function saySection(issue: z.core.$ZodRawIssue, keys: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => sayUnknown(key, keys)).join('\n');
  return `a mapping with the keys ${keys.join(', ')}`;
}

function sayUnknown(key: string, keys: readonly string[]): string {
  const near = keys.find((known) => isNear(key.toLowerCase(), known));
  return `one of ${keys.join(', ')}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

/** Whether one slip of the finger lies between the two: a letter more, less, other, or two swapped; or - for _. */
function isNear(typed: string, known: string): boolean {
  if (typed.replaceAll(/[-_]/g, '') === known.replaceAll('_', '')) return true;
  if (known.length < 3 || Math.abs(typed.length - known.length) > 1) return false;
  let start = 0;
  while (start < typed.length && typed[start] === known[start]) start += 1;
  const [restTyped, restKnown] = [typed.slice(start), known.slice(start)];
  return (
    restTyped.slice(1) === restKnown.slice(1) ||
    restTyped.slice(1) === restKnown ||
    restTyped === restKnown.slice(1) ||
    (restTyped.slice(2) === restKnown.slice(2) &&
      restTyped[0] === restKnown[1] &&
      restTyped[1] === restKnown[0])
  );
}

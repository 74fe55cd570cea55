/** A benchmark's one option that is a number: `--rounds N` and the like. */
import { parseArgs } from 'node:util';

/** `otherwise` where it is not given. Throws where it is no number above 0. */
export function numberOption(args: readonly string[], name: string, otherwise: number): number {
  const { values } = parseArgs({
    args: [...args],
    options: { [name]: { type: 'string', default: String(otherwise) } },
    // The others are `report`'s.
    strict: false,
  });
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value <= 0) throw new RangeError(`--${name} takes a number above 0`);
  return value;
}

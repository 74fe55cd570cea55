/**
 * Keys of the contract whose part is not built yet. They are refused by name, never ignored: a config that asks for
 * something must get it. To build one, delete its row and give the key a schema in its section.
 */
import { bad, leaf, ok } from './leaf.ts';

/** A row of the table below. */
export interface NotBuilt {
  /** The section as the schema names it; `*` stands for any name or index. */
  readonly section: string;
  readonly key: string;
  /** Values that mean "off", which may stand in a file today. */
  readonly off: readonly unknown[];
}

/** All keys that are not built, in the order of the contract. */
export const notBuilt: readonly NotBuilt[] = [];

/** Parts "which values" from "what to do" in the message of an issue for a key that is not built. */
export const notBuiltMark = 'is not built yet: ';

/** The schemas of a section's keys that are not built. */
export function notBuiltShape(section: string) {
  return Object.fromEntries(
    notBuilt.filter((row) => row.section === section).map((row) => [row.key, notBuiltLeaf(row)]),
  );
}

function notBuiltLeaf({ off }: NotBuilt) {
  const word = off.find((value) => typeof value === 'string' || typeof value === 'boolean');
  const which = word === undefined ? '' : `other than ${word} `;
  const advice = word === undefined ? 'leave it out' : `write ${word} or leave it out`;
  const editor = off.length === 0 ? { not: {} } : { enum: off };
  return leaf(`Not built yet: ${advice}.`, editor, (value) =>
    off.some((one) => JSON.stringify(one) === JSON.stringify(value))
      ? ok(undefined)
      : bad<undefined>(`${which}${notBuiltMark}${advice}`),
  ).optional();
}

/** The end of an exhaustive switch: a new member of a union makes the compiler point here. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

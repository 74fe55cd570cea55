/** The last gate before a value stands in an nginx file: the schema allows less than this, and this allows no injection. */

/** A word of an nginx directive; throws for anything that could end it or be read as a variable. */
export function word(value: string | number): string {
  const text = String(value);
  if (!/^[A-Za-z0-9._/:[\]@+~,=-]+$/.test(text))
    throw new Error(`not a plain word for nginx: ${JSON.stringify(text)}`);
  return text;
}

/** A directive with its words. */
export function directive(name: string, ...words: readonly (string | number)[]): string {
  return `${[name, ...words.map(word)].join(' ')};`;
}

/** Lines inside a block, indented. */
export function block(head: string, lines: readonly string[]): readonly string[] {
  return [`${head} {`, ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '}'];
}

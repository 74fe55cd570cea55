/** How deep a YAML text is nested, found without recursion: composing a hostile depth would overflow the stack. */
import { CST, Parser } from 'yaml';

/** The contract's deepest value lies seven deep. */
const mostDeep = 50;

/** Whether lists and mappings stand more than 50 deep in each other. */
export function isTooDeep(text: string): boolean {
  const waiting: { readonly token: CST.Token; readonly depth: number }[] = [];
  for (const token of new Parser().parse(text)) waiting.push({ token, depth: 0 });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > mostDeep) return true;
    if (token.type === 'document' && token.value !== undefined) waiting.push({ token: token.value, depth });
    if (token.type !== 'flow-collection' && token.type !== 'block-map' && token.type !== 'block-seq')
      continue;
    for (const item of token.items)
      for (const part of [item.key, item.value])
        if (part !== null && part !== undefined) waiting.push({ token: part, depth: depth + 1 });
  }
  return false;
}

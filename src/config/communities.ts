/** Communities as carriers document them, `64500:100` and `64500:1:2`, read into numbers: no text of theirs reaches BIRD. */
import type { Community } from '../types/community.ts';
import { communityText } from '../types/community.ts';
import { bad, leaf, ok, type EditorSchema, type Flaw, type Parsed } from './leaf.ts';

const most = 32;
const allowed =
  'a community such as "64500:100", both halves up to 65535 (RFC 1997), or a large one such as "4200000001:1:2", each part up to 4294967295 (RFC 8092)';

/** What would undo the announcement that carries it. */
const undoing: ReadonlyMap<string, string> = new Map([
  ['65535:0', 'GRACEFUL_SHUTDOWN drains; that is what policy.drain.gshut adds'],
  ['65535:666', 'BLACKHOLE (RFC 7999) asks the carrier to drop the traffic'],
  ['65535:65282', 'NO_ADVERTISE (RFC 1997) keeps the prefix from everybody but the carrier itself'],
]);

const editor: EditorSchema = {
  type: 'array',
  maxItems: most,
  items: { type: 'string', pattern: String.raw`^\d{1,10}(:\d{1,10}){1,2}$` },
};

/** A list of communities without duplicates; may be empty. */
export function communities(sentence: string) {
  return leaf(sentence, editor, parseCommunities);
}

function parseCommunities(value: unknown): Parsed<readonly Community[]> {
  if (!Array.isArray(value) || value.length > most) return bad(`a list of at most ${most} communities`);
  const flaws: Flaw[] = [];
  const found = new Map<string, Community>();
  for (const [index, entry] of value.entries()) {
    const parsed = parseCommunity(entry);
    if (parsed.kind === 'bad') {
      flaws.push(...parsed.flaws.map((flaw) => ({ ...flaw, path: [index, ...flaw.path] })));
      continue;
    }
    const text = communityText(parsed.value);
    if (found.has(text)) flaws.push({ path: [index], allowed: 'each community once' });
    found.set(text, parsed.value);
  }
  return flaws.length > 0 ? { kind: 'bad', flaws } : ok([...found.values()]);
}

/** One community. The halves decide its kind: an AS number above 65535 fits into a large one alone. */
export function parseCommunity(value: unknown): Parsed<Community> {
  const parts = typeof value === 'string' ? value.split(':') : [];
  if (!parts.every((part) => /^(0|[1-9]\d{0,9})$/.test(part))) return bad(allowed);
  const [a, b, c] = parts.map(Number);
  if (a === undefined || b === undefined || parts.length > 3) return bad(allowed);
  if (c === undefined) {
    if (a > 65_535 || b > 65_535) return bad(allowed);
    const why = undoing.get(`${a}:${b}`);
    return why === undefined
      ? ok({ kind: 'standard', numbers: [a, b] })
      : bad(`a community that leaves the announcement in force: ${why}`);
  }
  const fits = [a, b, c].every((number) => number <= 4_294_967_295);
  return fits ? ok({ kind: 'large', numbers: [a, b, c] }) : bad(allowed);
}

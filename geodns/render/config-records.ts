/**
 * The records that hold tables: `_gr` those of the rules, under a stamp of their text, and `_g` the answers of a revision.
 * `_g` includes `_gr` where a thread does not have that stamp, so a change of state sends and loads the answers alone.
 *
 * Either is one record where it fits, else one that includes others (`_g1`, `_g2`…). What they fill becomes the zone's
 * (`G_…`) only when all parts have the same stamp, so that parts of two revisions in a cache are never mixed.
 */
import { createHash } from 'node:crypto';
import type { Answers } from './answers.ts';
import { luaList, luaNumber, luaString, RenderError } from './lua-text.ts';
import { fill } from './policy-tables.ts';

export interface ConfigText {
  /** Below the zone. */
  readonly label: string;
  readonly text: string;
}

/** Text of one record; above 64 KB of rdata the API says 204 and then the AXFR of the whole zone dies. */
const defaultPartBytes = 48_000;
const mostParts = 20;

/** Throws a RenderError when the rules are too large for DNS. */
export function rulesRecords(
  suffix: string,
  statements: readonly string[],
  partBytes = defaultPartBytes,
): { readonly stamp: string; readonly texts: readonly ConfigText[] } {
  const parts = pack(statements, partBytes);
  const stamp = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  const table = `N_${suffix}`;
  const texts = inRecords('_gr', parts, {
    table,
    head: `${table}={V=newNMG({}), m=newNMG({}), N={}, O={}, R={}, c={}} `,
    stamp: luaString(stamp),
    whole: `${table}.s=${luaString(stamp)}`,
  });
  return { stamp, texts };
}

/** Throws a RenderError when the answers are too large for DNS. */
export function answerRecords(
  zone: { readonly suffix: string; readonly stamp: string; readonly revision: number },
  { policies, texts }: Answers,
  partBytes = defaultPartBytes,
): readonly ConfigText[] {
  const table = `A_${zone.suffix}`;
  const global = `G_${zone.suffix}`;
  const [stamp, revision] = [luaString(zone.stamp), luaNumber(zone.revision)];
  const statements = [
    ...policies.map(({ name, text }) => `${table}.Q[${luaString(name)}]=${luaList([text])}`),
    ...fill(
      `${table}.P`,
      texts.map((text, index) => `[${index + 1}]=${text}`),
    ),
  ];
  return inRecords('_g', pack(statements, partBytes), {
    table,
    head: `${table}={P={[0]={}}, Q={}, c={}} `,
    stamp: revision,
    whole:
      `local n=${global} if not n or n.s~=${stamp} then include('_gr') n=N_${zone.suffix} end ` +
      `if n and n.s==${stamp} then n.P=${table}.P n.Q=${table}.Q n.v=${revision} ${global}=n end`,
  });
}

interface Lua {
  /** The global that the statements fill. */
  readonly table: string;
  /** Makes it, empty. */
  readonly head: string;
  /** As a Lua value; parts of another one do not belong together. */
  readonly stamp: string;
  /** What is done when all parts are there. */
  readonly whole: string;
}

function inRecords(
  label: string,
  parts: readonly string[],
  { table, head, stamp, whole }: Lua,
): readonly ConfigText[] {
  if (parts.length > mostParts)
    throw new RenderError(`the rules need ${parts.length} records; at most ${mostParts} are allowed`);
  const texts = parts.map((text, index) => `${text} ${table}.c[${index + 1}]=${stamp} `);
  const all = parts.map((_, index) => `${table}.c[${index + 1}]==${stamp}`).join(' and ');
  const tail = `if ${all} then ${whole} end `;
  if (texts.length === 1) return [{ label, text: `${head}${texts[0]}${tail}` }];
  const includes = texts.map((_, index) => `include('${label}${index + 1}') `).join('');
  return [
    { label, text: `${head}${includes}${tail}` },
    ...texts.map((text, index) => ({ label: `${label}${index + 1}`, text })),
  ];
}

/** Never none: without policies there is still a record. */
function pack(statements: readonly string[], partBytes: number): readonly string[] {
  const parts: string[] = [];
  for (const statement of statements) {
    if (statement.length > partBytes) throw new RenderError('one policy is too large for a record');
    const last = parts.at(-1);
    if (last === undefined || last.length + statement.length > partBytes) parts.push(statement);
    else parts[parts.length - 1] = `${last} ${statement}`;
  }
  return parts.length === 0 ? [''] : parts;
}

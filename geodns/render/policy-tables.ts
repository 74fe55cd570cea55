/**
 * Rules as tables. The first rule that matches wins; so for each set of kinds that rules ask for together (`n`, `nc`…)
 * one table says which is the first rule for a joined key, and the smallest of all tables' findings is the rule. That
 * is exact for any mixture of conditions, and costs a look-up for each set instead of a walk over all rules.
 * Rules that ask for subnets are walked in order, each with one prefix tree, for users whom the tree of all of them (`m`) holds.
 */
import type { Conditions, Policy, Rule } from '../rules/model.ts';
import { formatSubnet } from '../address.ts';
import { luaList, luaMap, luaNumber, luaString } from './lua-text.ts';

/** About the length of the statements that fill a table. */
const statementBytes = 1200;

/** Letters of the kinds in the Lua text: ASN, network, country, subdivision, continent. */
type Letter = 'a' | 'n' | 'c' | 'u' | 't';

const letters: readonly Letter[] = ['a', 'n', 'c', 'u', 't'];

/** Values as PowerDNS gives them: text, and codes in small letters. */
function valuesOf(when: Conditions): Readonly<Record<Letter, readonly string[]>> {
  return {
    a: when.asns.map(String),
    n: when.networks,
    c: when.countries.map((code) => code.toLowerCase()),
    u: when.subdivisions.map((code) => code.toLowerCase()),
    t: when.continents.map((code) => code.toLowerCase()),
  };
}

interface Keys {
  /** The kinds asked for, such as `nc`; empty for subnets alone. */
  readonly kinds: string;
  /** Joined values, such as `ct|cn`. */
  readonly keys: readonly string[];
}

export function keysOf(when: Conditions): Keys {
  const values = valuesOf(when);
  const asked = letters.filter((letter) => values[letter].length > 0);
  let keys: readonly string[] = [];
  for (const letter of asked) {
    keys =
      keys.length === 0
        ? values[letter]
        : keys.flatMap((key) => values[letter].map((value) => `${key}|${value}`));
  }
  return { kinds: asked.join(''), keys };
}

/** kinds → key → number of the first rule. */
export function firstRules(rules: readonly Rule[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const tables = new Map<string, Map<string, number>>();
  for (const rule of rules) {
    if (rule.when.subnets.length > 0) continue;
    const { kinds, keys } = keysOf(rule.when);
    const table = tables.get(kinds) ?? new Map<string, number>();
    tables.set(kinds, table);
    for (const key of keys) if (!table.has(key)) table.set(key, rule.number);
  }
  return tables;
}

/** Statements that make one policy's `t`, `s` and `m` at `place`, each small enough to be packed into records. */
export function policyStatements(place: string, policy: Policy): readonly string[] {
  const tables = [...firstRules(policy.rules)].flatMap(([kinds, table], index) => {
    const entries = [...table].map(([key, rule]) => `[${luaString(key)}]=${luaNumber(rule)}`);
    const at = `${place}.t[${index + 1}]`;
    return [[`${at}={${luaString(kinds)}, {}}`], fill(`${at}[2]`, entries)].flat();
  });
  const subnets = policy.rules
    .filter((rule) => rule.when.subnets.length > 0)
    .flatMap((rule, index) => {
      const { kinds, keys } = keysOf(rule.when);
      const at = `${place}.s[${index + 1}]`;
      const conditions = keys.map((key) => `[${luaString(key)}]=1`);
      return [
        [`${at}={${luaNumber(rule.number)}, newNMG({}), ${luaString(kinds)}, {}}`],
        addSubnets([`${at}[2]`, `${place}.m`], rule.when.subnets.map(formatSubnet)),
        fill(`${at}[4]`, conditions),
      ].flat();
    });
  return [`${place}={t={}, s={}, m=newNMG({}), ${wanted(policy)}}`, ...tables, ...subnets];
}

/** A look-up that no rule asks for is not made: `y` for the continent, `u` the countries whose subdivisions matter. */
function wanted({ rules }: Policy): string {
  const continents = rules.some((rule) => rule.when.continents.length > 0);
  const divided = new Set(rules.flatMap((rule) => valuesOf(rule.when).u.map((code) => code.slice(0, 2))));
  return `y=${continents}, u=${luaMap([...divided].map((country) => [country, '1']))}`;
}

/** Statements that put subnets into prefix trees (a Lua loop over prefixes costs a hundred times as much). */
export function addSubnets(trees: readonly string[], subnets: readonly string[]): readonly string[] {
  return chunked(subnets.map(luaString)).map(
    (some) => `for _, m in pairs(${luaList(trees)}) do m:addMasks(${luaList(some)}) end`,
  );
}

/** A table in several statements, since one record may not grow without end. */
export function fill(table: string, entries: readonly string[]): readonly string[] {
  return chunked(entries).map((some) => `for k, v in pairs(${luaList(some)}) do ${table}[k]=v end`);
}

function chunked(entries: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  let length = Infinity;
  for (const entry of entries) {
    if (length + entry.length > statementBytes) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(entry);
    length += entry.length + 2;
  }
  return chunks;
}

/**
 * Rules as tables. The first rule that matches wins; so for each set of kinds that rules ask for together (`n`, `nc`…)
 * one table says which is the first rule for a joined key, and the smallest of all tables' findings is the rule. That
 * is exact for any mixture of conditions, and costs a look-up for each set instead of a walk over all rules.
 * Rules that ask for subnets are walked in order, each with one prefix tree.
 */
import type { Conditions, Policy, Rule } from '../rules/model.ts';
import { formatSubnet } from '../address.ts';
import { luaList, luaNumber, luaString } from './lua-text.ts';

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

/** Statements that make one policy's `t` and `s` at `place`, each small enough to be packed into records. */
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
      const [first, ...more] = groupStatements(`${at}[2]`, rule.when.subnets.map(formatSubnet));
      const conditions = keys.map((key) => `[${luaString(key)}]=1`);
      return [
        [`${at}={${luaNumber(rule.number)}, ${first}, ${luaString(kinds)}, {}}`],
        more,
        fill(`${at}[4]`, conditions),
      ].flat();
    });
  // A look-up that no rule asks for is not made.
  const wanted = `y=${asks(policy, 'continents')}, u=${asks(policy, 'subdivisions')}`;
  return [`${place}={t={}, s={}, ${wanted}}`, ...tables, ...subnets];
}

/**
 * The first: an expression for a new prefix tree (a Lua loop over prefixes costs a hundred times as much); the others: statements that add the rest to it at `place`.
 */
export function groupStatements(place: string, subnets: readonly string[]): readonly string[] {
  const [first = [], ...more] = chunked(subnets.map(luaString));
  return [`newNMG(${luaList(first)})`, ...more.map((some) => `${place}:addMasks(${luaList(some)})`)];
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

function asks({ rules }: Policy, kind: 'continents' | 'subdivisions'): boolean {
  return rules.some((rule) => rule.when[kind].length > 0);
}

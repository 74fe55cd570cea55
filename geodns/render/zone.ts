/**
 * Rules and state → the records of the zone. Pure: the same input gives the same bytes. A change of state changes three
 * small rrsets (SOA, `_gv`, `_g`) however many names and rules there are: names hold a constant stub, and `_gr` what
 * follows from rules and networks alone.
 *
 * Names load `_g` once for each revision and thread into a global of the zone; a broken or missing `_g` leaves the tables
 * of before, and a thread that never had any answers the literal addresses inside the stub.
 */
import { families } from '../../src/types/units.ts';
import type { View } from '../decision/availability.ts';
import type { Networks } from '../networks/load.ts';
import type { Policy, Rules } from '../rules/model.ts';
import { type Answers, answersIn, type Degraded } from './answers.ts';
import { answerRecords, type ConfigText, rulesRecords } from './config-records.ts';
import { luaList, luaNumber, luaString, quoted } from './lua-text.ts';
import { ruleStatements } from './rule-tables.ts';

export interface Rrset {
  /** With the final dot. */
  readonly name: string;
  readonly type: string;
  readonly ttlSeconds: number;
  readonly records: readonly string[];
}

export interface RenderedZone {
  readonly zone: string;
  readonly revision: number;
  readonly rrsets: readonly Rrset[];
  readonly degraded: readonly Degraded[];
}

/** What of the zone depends on rules and networks alone; made once for each pair of files. */
export interface CompiledZone {
  readonly rules: Rules;
  readonly suffix: string;
  /** Of the tables in `_gr`. */
  readonly stamp: string;
  readonly constant: readonly Rrset[];
}

/** Throws a RenderError when a token is not plain, or the rules are too large for DNS. */
export function compileZone(rules: Rules, networks: Networks, partBytes?: number): CompiledZone {
  const suffix = rules.zone.replaceAll(/[^a-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}`);
  const tables = rulesRecords(suffix, ruleStatements(rules, networks, suffix), partBytes);
  return {
    rules,
    suffix,
    stamp: tables.stamp,
    constant: [
      ...tables.texts.map((one) => configRrset(rules, one)),
      canary(rules.zone, rules.ttlSeconds),
      ...[...rules.names].flatMap(([name, policy]) => stubs(name, policy, suffix, rules.ttlSeconds)),
    ],
  };
}

/** What of a zone's text is not rules and state. */
export interface Stamp {
  /** Whose zone it is (`writerOf`): a token of plain letters; empty: nobody's. */
  readonly writer?: string;
  readonly partBytes?: number;
}

/** The whole zone. Throws a RenderError when it is too large for DNS. */
export function assembleZone(
  { rules, suffix, stamp, constant }: CompiledZone,
  answers: Answers,
  revision: number,
  { writer = '', partBytes }: Stamp = {},
): RenderedZone {
  const soa = `${rules.nameservers[0] ?? rules.zone} ${rules.hostmaster} ${luaNumber(revision)} 60 30 1209600 30`;
  const version = {
    label: '_gv',
    text: `V_${suffix}=${luaNumber(revision)} ${writer === '' ? '' : `W_${suffix}=${luaString(writer)} `}`,
  };
  const texts = [version, ...answerRecords({ suffix, stamp, revision }, answers, partBytes)];
  return {
    zone: rules.zone,
    revision,
    degraded: answers.degraded,
    rrsets: [
      { name: rules.zone, type: 'SOA', ttlSeconds: 30, records: [soa] },
      { name: rules.zone, type: 'NS', ttlSeconds: 3600, records: rules.nameservers },
      ...texts.map((one) => configRrset(rules, one)),
      ...constant,
    ],
  };
}

function configRrset({ zone, ttlSeconds }: Rules, { label, text }: ConfigText): Rrset {
  return { name: `${label}.${zone}`, type: 'LUA', ttlSeconds, records: [`LUA ${quoted(text)}`] };
}

/** All of it in one step. */
export function renderZone(
  view: View,
  networks: Networks,
  revision: number,
  partBytes?: number,
): RenderedZone {
  return assembleZone(
    compileZone(view.rules, networks, partBytes),
    answersIn(view),
    revision,
    partBytes === undefined ? {} : { partBytes },
  );
}

/** The service that these records are of; null where they do not say. */
export function writerOf(rrsets: readonly Rrset[]): string | null {
  const stamp = rrsets.find(({ name, type }) => type === 'LUA' && name.toLowerCase().startsWith('_gv.'));
  return /\bW_\w+='([^']*)'/.exec(stamp?.records[0] ?? '')?.[1] ?? null;
}

function stubs(name: string, policy: Policy, suffix: string, ttlSeconds: number): readonly Rrset[] {
  const global = `G_${suffix}`;
  const records = families.flatMap((family) => {
    const pool = policy.otherwise.find((one) =>
      one.targets.some((target) => target.addresses[family] !== undefined),
    );
    const literal = (pool?.targets ?? []).flatMap((target) => target.addresses[family] ?? []);
    const anywhere = [...policy.rules.flatMap((rule) => rule.use), ...policy.otherwise].some((one) =>
      one.targets.some((target) => target.addresses[family] !== undefined),
    );
    if (!anywhere) return [];
    const type = family === 4 ? 'A' : 'AAAA';
    const text =
      `;include('_gv') if not ${global} or ${global}.v~=V_${suffix} then include('_g') end ` +
      `if ${global} then local ok, r=pcall(${global}.f, ${luaString(policy.name)}, '${type}') if ok then return r end end ` +
      `return ${luaList(literal.map(luaString))}`;
    return [`${type} ${quoted(text)}`];
  });
  return records.length === 0 ? [] : [{ name, type: 'LUA', ttlSeconds, records }];
}

/** What the site's databases say of the asker, to be compared with our own before a database is trusted. */
function canary(zone: string, ttlSeconds: number): Rrset {
  const look = [0, 3, 2].map((attribute) => `geoiplookup(bestwho:toString(), ${attribute})`).join("..' '..");
  return { name: `_geo.${zone}`, type: 'LUA', ttlSeconds, records: [`TXT ${quoted(look)}`] };
}

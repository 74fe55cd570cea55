/**
 * Rules and state → the records of the zone. Pure: the same input gives the same bytes. A change of state changes three
 * rrsets (SOA, `_gv`, `_g`) however many names there are; names hold a constant stub.
 *
 * Names load `_g` once for each revision and thread into a global of the zone; a broken or missing `_g` leaves the tables
 * of before, and a thread that never had any answers the literal addresses inside the stub.
 */
import { families } from '../../src/types/units.ts';
import { formatSubnet } from '../address.ts';
import type { View } from '../decision/availability.ts';
import type { Networks } from '../networks/load.ts';
import type { Policy, Rules } from '../rules/model.ts';
import { type Answers, answersIn, type Degraded } from './answers.ts';
import { decideLua } from './decide-lua.ts';
import { luaList, luaNumber, luaString, quoted, RenderError } from './lua-text.ts';
import { fill, groupStatements, policyStatements } from './policy-tables.ts';

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

/** Text of one config record; above 64 KB of rdata the API says 204 and then the AXFR of the whole zone dies. */
const defaultPartBytes = 48_000;
const mostParts = 20;

const privateRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/128',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/** What of the zone depends on rules and networks alone; made once for each pair of files. */
export interface CompiledZone {
  readonly rules: Rules;
  readonly suffix: string;
  readonly statements: readonly string[];
  readonly constant: readonly Rrset[];
}

/** Throws a RenderError when a token is not plain. */
export function compileZone(rules: Rules, networks: Networks): CompiledZone {
  const suffix = rules.zone.replaceAll(/[^a-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}`);
  const fresh = `N_${suffix}`;
  const policies = [...rules.policies.values()];
  return {
    rules,
    suffix,
    statements: [
      ...tableStatements(fresh, networks),
      ...policies.flatMap((policy) => policyStatements(`${fresh}.R[${luaString(policy.name)}]`, policy)),
      decideLua(fresh, `G_${suffix}`),
    ],
    constant: [
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
  { rules, suffix, statements, constant }: CompiledZone,
  answers: Answers,
  revision: number,
  { writer = '', partBytes = defaultPartBytes }: Stamp = {},
): RenderedZone {
  const fresh = `N_${suffix}`;
  const own = [
    ...answers.policies.flatMap(({ name, text }) => fill(`${fresh}.R[${luaString(name)}]`, [text])),
    ...fill(
      `${fresh}.P`,
      answers.texts.map((text, index) => `[${index + 1}]=${text}`),
    ),
  ];
  const soa = `${rules.nameservers[0] ?? rules.zone} ${rules.hostmaster} ${luaNumber(revision)} 60 30 1209600 30`;
  const config = (label: string, text: string): Rrset => ({
    name: `${label}.${rules.zone}`,
    type: 'LUA',
    ttlSeconds: rules.ttlSeconds,
    records: [`LUA ${quoted(text)}`],
  });
  return {
    zone: rules.zone,
    revision,
    degraded: answers.degraded,
    rrsets: [
      { name: rules.zone, type: 'SOA', ttlSeconds: 30, records: [soa] },
      { name: rules.zone, type: 'NS', ttlSeconds: 3600, records: rules.nameservers },
      config(
        '_gv',
        `V_${suffix}=${luaNumber(revision)} ${writer === '' ? '' : `W_${suffix}=${luaString(writer)} `}`,
      ),
      ...configParts([...statements, ...own], suffix, revision, partBytes).map(({ label, text }) =>
        config(label, text),
      ),
      ...constant,
    ],
  };
}

/** All of it in one step. */
export function renderZone(
  view: View,
  networks: Networks,
  revision: number,
  partBytes?: number,
): RenderedZone {
  return assembleZone(
    compileZone(view.rules, networks),
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

function tableStatements(fresh: string, networks: Networks): readonly string[] {
  const asns = [...networks.byAsn].filter(([asn]) => !networks.excluded.has(asn));
  return [
    `${fresh}.V=${groupStatements(`${fresh}.V`, privateRanges).join(' ')}`,
    ...fill(
      `${fresh}.N`,
      asns.map(([asn, network]) => `[${luaString(String(asn))}]=${luaString(network)}`),
    ),
    ...overrideStatements(`${fresh}.O`, networks),
  ];
}

/** Prefix overrides, the longest first; those of one length and network share a prefix tree. */
function overrideStatements(place: string, networks: Networks): readonly string[] {
  const groups = new Map<string, { readonly network: string; readonly subnets: string[] }>();
  for (const { subnet, network } of networks.prefixes) {
    const key = `${subnet.length} ${network}`;
    const group = groups.get(key) ?? { network, subnets: [] };
    groups.set(key, group);
    group.subnets.push(formatSubnet(subnet));
  }
  return [...groups.values()].flatMap(({ network, subnets }, index) => {
    const at = `${place}[${index + 1}]`;
    const [first, ...more] = groupStatements(`${at}[1]`, subnets);
    return [[`${at}={${first}, ${luaString(network)}}`], more].flat();
  });
}

/**
 * One record where it fits, else `_g` that includes `_g1`, `_g2`…. The new tables become the zone's only when all parts
 * are of this revision, so that parts of two revisions in a cache are never mixed.
 */
function configParts(
  statements: readonly string[],
  suffix: string,
  revision: number,
  partBytes: number,
): readonly { readonly label: string; readonly text: string }[] {
  const fresh = `N_${suffix}`;
  const head = `${fresh}={P={[0]={}}, N={}, O={}, R={}, c={}} `;
  const tail = (count: number): string => {
    const whole = Array.from({ length: count }, (_, index) => `${fresh}.c[${index + 1}]==${revision}`).join(
      ' and ',
    );
    return `if ${whole} then ${fresh}.v=${revision} G_${suffix}=${fresh} end `;
  };
  const parts = pack(statements, partBytes).map(
    (text, index) => `${text} ${fresh}.c[${index + 1}]=${revision} `,
  );
  if (parts.length > mostParts)
    throw new RenderError(
      `the rules need ${parts.length} records of ${partBytes} bytes; at most ${mostParts} are allowed`,
    );
  if (parts.length === 1) return [{ label: '_g', text: `${head}${parts[0]}${tail(1)}` }];
  const includes = parts.map((_, index) => `include('_g${index + 1}') `).join('');
  return [
    { label: '_g', text: `${head}${includes}${tail(parts.length)}` },
    ...parts.map((text, index) => ({ label: `_g${index + 1}`, text })),
  ];
}

function pack(statements: readonly string[], partBytes: number): readonly string[] {
  const parts: string[] = [];
  for (const statement of statements) {
    if (statement.length > partBytes) throw new RenderError('one policy is too large for a record');
    const last = parts.at(-1);
    if (last === undefined || last.length + statement.length > partBytes) parts.push(statement);
    else parts[parts.length - 1] = `${last} ${statement}`;
  }
  return parts;
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

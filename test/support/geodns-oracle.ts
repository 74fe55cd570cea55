/**
 * Who should be answered with what, computed a second time from the raw files, with other means than the product: plain
 * YAML, the net module's block lists, a linear reading of the rules. Knows nothing of states but a set of dead targets.
 */
import { BlockList, isIPv4 } from 'node:net';
import { type CountryResponse, Reader } from 'maxmind';
import { parse } from 'yaml';

interface RawRule {
  readonly subnets?: readonly string[];
  readonly asns?: readonly number[];
  readonly networks?: readonly string[];
  readonly countries?: readonly string[];
  readonly subdivisions?: readonly string[];
  readonly regions?: readonly string[];
  readonly continents?: readonly string[];
  readonly use: readonly string[];
}
interface RawRules {
  readonly regions: Readonly<Record<string, readonly string[]>>;
  readonly targets: Readonly<Record<string, { v4?: string[]; v6?: string[] }>>;
  readonly pools: Readonly<Record<string, { targets: string[]; min_healthy?: number; pick?: string }>>;
  readonly policies: Readonly<
    Record<string, { default: string[]; carrier_pools?: Record<string, string>; rules?: RawRule[] }>
  >;
  readonly names: Readonly<Record<string, string>>;
}
interface RawNetworks {
  readonly networks: Readonly<
    Record<
      string,
      { kind?: string; carriers?: string[]; asns?: number[]; exclude?: number[]; prefixes?: string[] }
    >
  >;
}

export interface Expected {
  /** Any one of these, or all of them. */
  readonly kind: 'one-of' | 'all';
  readonly addresses: readonly string[];
}

/** Dead: targets that are down for everybody, or for users of one country (`hk1/cmi ID`). */
export type Oracle = (
  name: string,
  family: 4 | 6,
  client: string,
  resolver: string,
  dead: ReadonlySet<string>,
) => Expected;

export function oracleOf(
  rulesText: string,
  networksText: string,
  asnFile: Buffer,
  countryFile: Buffer,
): Oracle {
  const rules: RawRules = parse(rulesText);
  const { networks }: RawNetworks = parse(networksText);
  const asnReader = new Reader<Record<string, never>>(asnFile);
  const countryReader = new Reader<CountryResponse>(countryFile);
  return (name, family, client, resolver, dead) => {
    const policy = rules.policies[rules.names[name] ?? ''];
    if (policy === undefined) throw new Error(`no policy for ${name}`);
    const looked = client !== resolver && isPrivate(client) ? resolver : client;
    const asn: unknown = Reflect.get(asnReader.get(looked) ?? {}, 'autonomous_system_number');
    const found: unknown = countryReader.get(looked);
    const place = JSON.parse(JSON.stringify(found ?? {})) as {
      country?: { iso_code?: string };
      continent?: { code?: string };
      subdivisions?: { iso_code: string }[];
    };
    const country = place.country?.iso_code;
    const user = {
      client,
      asn: typeof asn === 'number' ? asn : undefined,
      network: networkOf(networks, client, typeof asn === 'number' ? asn : undefined),
      country,
      subdivision:
        place.subdivisions?.[0] && country ? `${country}-${place.subdivisions[0].iso_code}` : undefined,
      continent: place.continent?.code,
    };
    const written = (policy.rules ?? []).find((rule) => fits(rule, user, rules));
    const network = user.network === undefined ? undefined : networks[user.network];
    const byCarrier =
      network?.kind === 'hosting'
        ? []
        : (network?.carriers ?? []).flatMap((carrier) => policy.carrier_pools?.[carrier] ?? []);
    return answer(rules, [...(written?.use ?? byCarrier), ...policy.default], family, country, dead);
  };
}

function answer(
  rules: RawRules,
  order: readonly string[],
  family: 4 | 6,
  country: string | undefined,
  dead: ReadonlySet<string>,
): Expected {
  const addressesOf = (target: string): readonly string[] =>
    rules.targets[target]?.[family === 4 ? 'v4' : 'v6'] ?? [];
  const pools = order
    .map((name) => {
      const pool = rules.pools[name];
      const globs = (pool?.targets ?? []).map(
        (glob) => new RegExp(`^${glob.replaceAll('*', '[a-z0-9-]+')}$`),
      );
      const members = Object.keys(rules.targets).filter(
        (target) => globs.some((glob) => glob.test(target)) && addressesOf(target).length > 0,
      );
      const live = members.filter((target) => !dead.has(target) && !dead.has(`${target} ${country}`));
      return {
        members,
        live,
        least: Math.min(pool?.min_healthy ?? 1, members.length),
        weighted: pool?.pick === 'weighted',
      };
    })
    .filter((pool) => pool.members.length > 0);
  const enough = pools.find((pool) => pool.live.length >= pool.least);
  const some = pools.find((pool) => pool.live.length > 0);
  const chosen = enough ?? some;
  const targets = chosen?.live ?? pools[0]?.members ?? [];
  const addresses = targets.flatMap((target) => addressesOf(target));
  return { kind: (chosen ?? pools[0])?.weighted ? 'one-of' : 'all', addresses };
}

interface User {
  readonly client: string;
  readonly asn: number | undefined;
  readonly network: string | undefined;
  readonly country: string | undefined;
  readonly subdivision: string | undefined;
  readonly continent: string | undefined;
}

function fits(rule: RawRule, user: User, rules: RawRules): boolean {
  const countries = [
    ...(rule.countries ?? []),
    ...(rule.regions ?? []).flatMap((name) => rules.regions[name] ?? []),
  ];
  const one = <T>(list: readonly T[] | undefined, value: T | undefined): boolean =>
    list === undefined || list.length === 0 || (value !== undefined && list.includes(value));
  return (
    (rule.subnets === undefined || rule.subnets.some((subnet) => inside(user.client, subnet))) &&
    one(rule.asns, user.asn) &&
    one(rule.networks, user.network) &&
    one(countries, user.country) &&
    one(rule.subdivisions, user.subdivision) &&
    one(rule.continents, user.continent)
  );
}

function networkOf(
  networks: RawNetworks['networks'],
  client: string,
  asn: number | undefined,
): string | undefined {
  const prefixes = Object.entries(networks).flatMap(([name, network]) =>
    (network.prefixes ?? []).map((prefix) => ({ name, prefix })),
  );
  // One question to a list of all spares most clients the walk over each.
  const overrides = (insideAny(networks, client) ? prefixes : [])
    .filter(({ prefix }) => inside(client, prefix))
    .sort((a, b) => Number(b.prefix.split('/')[1]) - Number(a.prefix.split('/')[1]));
  if (overrides[0] !== undefined) return overrides[0].name;
  if (asn === undefined || Object.values(networks).some((network) => network.exclude?.includes(asn)))
    return undefined;
  return Object.entries(networks).find(([, network]) => network.asns?.includes(asn))?.[0];
}

const lists = new Map<string, { readonly list: BlockList; readonly family: 'ipv4' | 'ipv6' }>();

function inside(client: string, subnet: string): boolean {
  const family = isIPv4(client) ? 'ipv4' : 'ipv6';
  let known = lists.get(subnet);
  if (known === undefined) {
    const [base = '', length] = subnet.split('/');
    known = { list: new BlockList(), family: isIPv4(base) ? 'ipv4' : 'ipv6' };
    known.list.addSubnet(base, Number(length), known.family);
    lists.set(subnet, known);
  }
  return known.family === family && known.list.check(client, family);
}

const overrideLists = new WeakMap<object, BlockList>();

function insideAny(networks: RawNetworks['networks'], client: string): boolean {
  let list = overrideLists.get(networks);
  if (list === undefined) {
    list = new BlockList();
    overrideLists.set(networks, list);
    for (const prefix of Object.values(networks).flatMap((network) => network.prefixes ?? [])) {
      const [base = '', length] = prefix.split('/');
      list.addSubnet(base, Number(length), isIPv4(base) ? 'ipv4' : 'ipv6');
    }
  }
  return list.check(client, isIPv4(client) ? 'ipv4' : 'ipv6');
}

function isPrivate(client: string): boolean {
  return (
    ['0.0.0.0/8', '10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'].some(
      (subnet) => inside(client, subnet),
    ) || ['::/127', 'fc00::/7', 'fe80::/10'].some((subnet) => inside(client, subnet))
  );
}

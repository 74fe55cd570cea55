/** `networks.yaml` checked and made ready for classification. The text comes in; the caller reads the file. */
import type { z } from 'zod';
import { networksFile, type NetworksFile } from '../../src/types/wire/networks.ts';
import { formatSubnet, parseSubnet, type Subnet } from '../address.ts';
import { type Loaded, type Problem, readYaml } from '../yaml-file.ts';

export type AccessNetwork = z.output<typeof networksFile>['networks'][string];

/** An address range that belongs to a network whatever its ASN says. */
export interface PrefixOverride {
  readonly subnet: Subnet;
  readonly network: string;
}

export interface Networks {
  readonly version: string;
  readonly byName: ReadonlyMap<string, AccessNetwork>;
  readonly byAsn: ReadonlyMap<number, string>;
  readonly excluded: ReadonlySet<number>;
  /** Longest first. */
  readonly prefixes: readonly PrefixOverride[];
}

/** No networks at all: everybody is unknown. */
export const noNetworks: Networks = {
  version: '0',
  byName: new Map(),
  byAsn: new Map(),
  excluded: new Set(),
  prefixes: [],
};

export function loadNetworks(file: string, text: string): Loaded<Networks> {
  const loaded = readYaml(file, text, networksFile, lintNetworks);
  return loaded.kind === 'loaded' ? { kind: 'loaded', value: indexNetworks(loaded.value) } : loaded;
}

function indexNetworks(data: NetworksFile): Networks {
  const entries = Object.entries(data.networks);
  return {
    version: data.version,
    byName: new Map(entries),
    byAsn: new Map(
      entries.flatMap(([name, network]) => network.asns.map((asn): [number, string] => [asn, name])),
    ),
    excluded: new Set(entries.flatMap(([, network]) => network.exclude)),
    prefixes: entries
      .flatMap(([network, { prefixes }]) => prefixes.map((text) => ({ subnet: parseSubnet(text), network })))
      .filter((override): override is PrefixOverride => override.subnet !== undefined)
      .sort((a, b) => b.subnet.length - a.subnet.length),
  };
}

/**
 * What the schema cannot see. An ASN that is excluded is unknown everywhere (the classification asks for exclusions
 * first), so listing it as well would be a list that never acts.
 */
function lintNetworks(data: NetworksFile): readonly Problem[] {
  const problems: Problem[] = [];
  const owners = new Map<string, string>();
  const claim = (key: string, name: string, path: readonly PropertyKey[], text: string): void => {
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, name);
    else problems.push({ path, text: `${text} is already listed by ${owner}` });
  };
  const listed = new Set(Object.values(data.networks).flatMap((network) => network.asns));
  for (const [name, network] of Object.entries(data.networks)) {
    const base = ['networks', name];
    if (network.asns.length + network.prefixes.length + network.organisations.length === 0)
      problems.push({
        path: base,
        text: 'has neither asns, prefixes nor organisations, so nobody can belong to it',
      });
    network.asns.forEach((asn, index) => claim(`AS${asn}`, name, [...base, 'asns', index], `AS${asn}`));
    network.exclude.forEach((asn, index) => {
      if (listed.has(asn))
        problems.push({
          path: [...base, 'exclude', index],
          text: `AS${asn} is excluded here and listed in asns; excluded ASNs are unknown, so take one of them out`,
        });
    });
    network.prefixes.forEach((text, index) => {
      const subnet = parseSubnet(text);
      const path = [...base, 'prefixes', index];
      if (subnet === undefined)
        problems.push({
          path,
          text: `"${text}" is not a prefix such as 192.0.2.0/24 or 2001:db8::/32 without host bits`,
        });
      else claim(formatSubnet(subnet), name, path, formatSubnet(subnet));
    });
    network.organisations.forEach((pattern, index) => {
      if (compilePattern(pattern) === undefined)
        problems.push({
          path: [...base, 'organisations', index],
          text: `"${pattern}" is not a regular expression`,
        });
    });
  }
  return problems;
}

/** An organisation pattern as it is meant: case-insensitive, anywhere in the name. */
export function compilePattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'i');
  } catch {
    return undefined;
  }
}

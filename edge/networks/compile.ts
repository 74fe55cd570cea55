/** networks.yaml as the tables that Lua looks up: ASN → network, excluded ASNs, prefix overrides as bytes. */
import type { NetworksFile } from '../../src/types/wire/networks.ts';
import { parsePrefix } from '../conf/values.ts';
import type { Parsed } from '../conf/document.ts';
import type { Checked, Problem } from '../conf/problem.ts';

/** What `networks.json` holds; read by edge/lua/edge/networks.lua. */
export interface CompiledNetworks {
  readonly version: string;
  readonly networks: Readonly<
    Record<string, { readonly kind: 'access' | 'hosting'; readonly carriers: readonly string[] }>
  >;
  readonly asns: Readonly<Record<string, string>>;
  readonly excluded: readonly number[];
  /** [bytes in hex, length, network] */
  readonly prefixes: readonly (readonly [string, number, string])[];
}

/** Compiles a checked networks.yaml; refuses what two networks both claim and prefixes that are none. */
export function compileNetworks(parsed: Parsed<NetworksFile>): Checked<CompiledNetworks> {
  const problems: Problem[] = [];
  const asns = new Map<string, string>();
  const prefixes = new Map<string, readonly [string, number, string]>();
  const networks: Record<string, CompiledNetworks['networks'][string]> = {};
  const excluded = new Set<number>();
  for (const [name, network] of Object.entries(parsed.value.networks)) {
    networks[name] = { kind: network.kind, carriers: network.carriers };
    for (const asn of network.exclude) excluded.add(asn);
    for (const [index, asn] of network.asns.entries()) {
      const owner = asns.get(String(asn));
      if (owner !== undefined) {
        problems.push(
          parsed.problemAt(
            ['networks', name, 'asns', index],
            `AS${asn} is in ${owner} already; an ASN has one network`,
          ),
        );
      }
      asns.set(String(asn), name);
    }
    for (const [index, text] of network.prefixes.entries()) {
      const at = ['networks', name, 'prefixes', index];
      const prefix = parsePrefix(text);
      const id = prefix ? `${hexBytes(prefix.bytes)}/${prefix.length}` : '';
      const owner = prefixes.get(id)?.[2];
      if (!prefix) problems.push(parsed.problemAt(at, `"${text}" is not a prefix without host bits`));
      else if (owner !== undefined) problems.push(parsed.problemAt(at, `${text} is in ${owner} already`));
      else prefixes.set(id, [hexBytes(prefix.bytes), prefix.length, name]);
    }
  }
  for (const [name, network] of Object.entries(parsed.value.networks)) {
    for (const [index, asn] of network.exclude.entries()) {
      const owner = asns.get(String(asn));
      if (owner === undefined) continue;
      const why = `AS${asn} is excluded here and listed in ${owner}; excluded ASNs are unknown, so take one of them out`;
      problems.push(parsed.problemAt(['networks', name, 'exclude', index], why));
    }
  }
  if (problems.length > 0) return { kind: 'wrong', problems };
  return {
    kind: 'ok',
    value: {
      version: parsed.value.version,
      networks,
      asns: Object.fromEntries(asns),
      excluded: [...excluded].sort((a, b) => a - b),
      prefixes: [...prefixes.values()],
    },
  };
}

/** Bytes as hex, two digits each: how prefixes go to Lua. */
export function hexBytes(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

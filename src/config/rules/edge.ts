/** The edge against uplinks: origins that can be probed, each once, and paths of its own. */
import type { z } from 'zod';
import { families } from '../../types/units.ts';
import type { Finding } from '../problem.ts';
import type { edgeSchema } from '../schema/edge.ts';
import type { UplinkView, View } from '../view.ts';

type Edge = NonNullable<z.output<typeof edgeSchema>>;
type OriginEntry = Edge['origins'][string][number];

/** Probes through all uplinks together; more would crowd out those of the uplinks themselves. */
const mostProbes = 1000;

/** Problems of `edge` beside the rest of the config. */
export function checkEdge({ root, uplinks }: View): readonly Finding[] {
  const { edge } = root;
  if (edge === undefined) return [];
  const pools = Object.entries(edge.origins);
  const findings = pools.flatMap(([pool, entries]) => [
    ...checkTwice(pool, entries),
    ...entries.flatMap((entry, index) => checkOrigin(['edge', 'origins', pool, index], entry, uplinks)),
  ]);
  const probes = pools
    .flatMap(([, entries]) => entries)
    .reduce((sum, { via }) => sum + (via?.length ?? uplinks.length), 0);
  if (probes <= mostProbes) return findings;
  const allowed = `at most ${mostProbes}, one for each origin and uplink`;
  return [
    ...findings,
    { path: ['edge', 'origins'], where: 'key', found: `${probes} probes of origins`, allowed },
  ];
}

/** Both files of the edge have a name of their own. */
export function checkEdgePaths({ root }: View): readonly Finding[] {
  const { paths } = root;
  if (paths === undefined) return [];
  const at = ['paths', 'edge', 'socket'];
  const { edge, control } = paths;
  if (edge.socket === control)
    return [{ path: at, where: 'value', allowed: 'another socket than paths.control' }];
  if (edge.socket === edge.file)
    return [{ path: at, where: 'value', allowed: 'another path than paths.edge.file' }];
  return [];
}

function checkTwice(pool: string, entries: readonly OriginEntry[]): readonly Finding[] {
  const seen = new Set<string>();
  return entries.flatMap(({ address, port }, index): readonly Finding[] => {
    const key = `${address.text} ${port}`;
    const isTwice = seen.has(key);
    seen.add(key);
    const path = ['edge', 'origins', pool, index];
    const found = `${address.text} port ${port}`;
    return isTwice ? [{ path, where: 'value', found, allowed: 'each origin once in a pool' }] : [];
  });
}

function checkOrigin(
  path: readonly (string | number)[],
  { address, via }: OriginEntry,
  uplinks: readonly UplinkView[],
): readonly Finding[] {
  if (uplinks.length === 0) return [];
  const able = uplinks.filter(({ self }) => self.source?.[address.family] !== undefined);
  const names = able.map(({ name }) => name);
  const unread = uplinks.some(({ self }) => self.source === undefined);
  if (unread) return [];
  const allowed = `uplinks with an IPv${address.family} source: ${names.join(', ')}`;
  if (via === undefined) {
    const family = families.find((one) => one !== address.family) ?? address.family;
    const missing = `an IPv${family} address: no uplink has an IPv${address.family} source`;
    return names.length > 0 ? [] : [{ path: [...path, 'address'], where: 'value', allowed: missing }];
  }
  return via.flatMap((name, index): readonly Finding[] => {
    const at = [...path, 'via', index];
    if (!names.includes(name)) return [{ path: at, where: 'value', allowed }];
    return via.indexOf(name) === index ? [] : [{ path: at, where: 'value', allowed: 'each uplink once' }];
  });
}

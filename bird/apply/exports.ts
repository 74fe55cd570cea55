/** Routes as `show route … all` prints them, as far as it matters what a carrier gets. Pure. */
import type { Reply } from '../codec.ts';

/** What a carrier gets of a prefix. */
export interface ExportedRoute {
  readonly med: number | null;
  /** Copies of AS numbers that the filter put in front. */
  readonly path: readonly number[];
  /** Standard ones as `65535:0`, large ones as `64500:1:2`, sorted. */
  readonly communities: readonly string[];
}

/** By prefix. */
export type Exported = ReadonlyMap<string, ExportedRoute>;

/** The routes of one table, the best of each prefix. 2.x writes `BGP.med`, 3.x `bgp_med`. */
export function readRoutes(reply: Reply): Exported {
  const routes = new Map<string, ExportedRoute>();
  let prefix: string | null = null;
  for (const { code, text } of reply.lines) {
    const head = /^([0-9a-f.:]+\/\d+)?\s+\w+ \[/.exec(text);
    if (code !== '1012' && head !== null) {
      // A line without a prefix is a further route of the last one, which is not exported.
      prefix = head[1] ?? null;
      if (prefix !== null) routes.set(prefix, { med: null, path: [], communities: [] });
      continue;
    }
    const route = prefix === null ? undefined : routes.get(prefix);
    if (route !== undefined && prefix !== null) routes.set(prefix, withAttribute(route, text));
  }
  return routes;
}

function withAttribute(route: ExportedRoute, line: string): ExportedRoute {
  const [, name, value = ''] = /^\s*(?:BGP\.|bgp_)(\w+):\s*(.*)$/.exec(line) ?? [];
  switch (name) {
    case 'med':
      return { ...route, med: Number(value) };
    case 'as_path':
    case 'path':
      return { ...route, path: [...value.matchAll(/\d+/g)].map(([digits]) => Number(digits)) };
    case 'community':
    case 'large_community': {
      const added = [...value.matchAll(/\(([^)]*)\)/g)].map(([, inside = '']) =>
        inside.replace(/,\s*/g, ':'),
      );
      return { ...route, communities: [...route.communities, ...added].toSorted() };
    }
    default:
      return route;
  }
}

/** What differs between two routes of a prefix, in words; empty: they are the same to the carrier. */
export function attributeChanges(was: ExportedRoute, is: ExportedRoute): readonly string[] {
  const changes: string[] = [];
  if (was.med !== is.med) changes.push(`MED ${was.med ?? 'none'} → ${is.med ?? 'none'}`);
  if (was.path.join(' ') !== is.path.join(' '))
    changes.push(`prepend ${was.path.length} → ${is.path.length}`);
  const added = is.communities.filter((one) => !was.communities.includes(one));
  const gone = was.communities.filter((one) => !is.communities.includes(one));
  if (added.length > 0) changes.push(`community ${added.join(', ')} added`);
  if (gone.length > 0) changes.push(`community ${gone.join(', ')} removed`);
  return changes;
}

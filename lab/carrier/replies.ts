/** Reads the parts of BIRD's replies that the lab asserts on; words of 2.x (`BGP.med`) and 3.x (`bgp_med`) alike. */

export interface RouteHeld {
  readonly prefix: string;
  readonly med: number | null;
  /** AS numbers from the neighbour to the origin. */
  readonly path: readonly number[];
  /** Standard communities as `65535:0`. */
  readonly communities: readonly string[];
}

export interface SessionSeen {
  readonly established: boolean;
  /** The text of BIRD's Since column: unchanged text is unchanged uptime. */
  readonly since: string;
  /** Routes and withdrawals that came in UPDATEs since the session came up. */
  readonly updates: number;
  readonly withdraws: number;
}

/** The routes of a `show route all`, in its order; best and other copies alike. */
export function readRoutes(lines: readonly string[]): readonly RouteHeld[] {
  const routes: RouteHeld[] = [];
  let prefix = '';
  for (const line of lines) {
    const head = /^([0-9a-f.:]+\/\d+)?\s+(?:unicast|blackhole|unreachable|prohibit) \[/.exec(line);
    if (head !== null) {
      prefix = head[1] ?? prefix;
      routes.push({ prefix, med: null, path: [], communities: [] });
      continue;
    }
    const last = routes.pop();
    if (last !== undefined) routes.push(withAttribute(last, line));
  }
  return routes;
}

function withAttribute(route: RouteHeld, line: string): RouteHeld {
  const match = /^\s+(?:BGP\.|bgp_)(\w+):\s*(.*)$/.exec(line);
  if (match === null) return route;
  const value = match[2] ?? '';
  switch (match[1]) {
    case 'med':
      return { ...route, med: Number(value) };
    case 'as_path':
    case 'path':
      return { ...route, path: asNumbers(value) };
    case 'community':
      return { ...route, communities: communityTexts(value) };
    default:
      return route;
  }
}

/** A BGP session from `show protocols all NAME`; throws when the reply does not hold one. */
export function readSession(lines: readonly string[]): SessionSeen {
  const row = lines.find((line) => / BGP +\S+ +/.test(line));
  const since = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?/.exec(row ?? '')?.[0];
  if (row === undefined || since === undefined) throw new Error(`no BGP session in: ${lines.join(' | ')}`);
  return {
    established: row.includes('Established'),
    since,
    updates: received(lines, 'Import updates'),
    withdraws: received(lines, 'Import withdraws'),
  };
}

/** `Import updates:  2  0  0  0  2`: the first number is what came; a session that is down shows none. */
function received(lines: readonly string[], label: string): number {
  const line = lines.find((text) => text.trim().startsWith(`${label}:`));
  return Number(/:\s+(\d+)/.exec(line ?? '')?.[1] ?? 0);
}

export function asNumbers(text: string): readonly number[] {
  return [...text.matchAll(/\d+/g)].map((match) => Number(match[0]));
}

/** `(65535,0) (1,2)` as `65535:0`, `1:2`. */
export function communityTexts(text: string): readonly string[] {
  return [...text.matchAll(/\((\d+),\s*(\d+)\)/g)].map((match) => `${match[1]}:${match[2]}`);
}

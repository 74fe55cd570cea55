/**
 * Replies to `show route … [all]`. Rows (code 1007) are `PREFIX TYPE [PROTOCOL TIME] * (PREFERENCE) [AS…]`; a further route
 * of the same network has no prefix; next hops (1007) and attributes (1008, 1012) stand behind their route, at a tab. 2.x
 * writes `BGP.as_path`, 3.x `bgp_path`. A line of a form that is not known is kept as it is, and nothing is read from it.
 */
import type { Reply } from '../codec.ts';

export type RouteKind = 'unicast' | 'blackhole' | 'unreachable' | 'prohibited' | 'unknown';

/** One route of one network, primary or not. */
export interface RouteSeen {
  readonly prefix: string;
  /** The table's name where BIRD says it. */
  readonly table: string | null;
  readonly kind: RouteKind;
  /** Protocol that brought it. */
  readonly protocol: string;
  /** The best of its network, which alone is exported. */
  readonly primary: boolean;
  readonly preference: number | null;
  /** As BIRD writes them: `via 198.51.100.1 on cmi`, `dev cmi`. */
  readonly nextHops: readonly string[];
  /** Only with `all`; null: not shown. */
  readonly med: number | null;
  readonly localPref: number | null;
  /** AS numbers from the neighbour to the origin; those of sets among them. */
  readonly path: readonly number[];
  /** Standard ones as `65535:0`, large ones as `64500:1:2`. */
  readonly communities: readonly string[];
  /** Everything else that stands behind the route, by name, as BIRD writes it. */
  readonly attributes: ReadonlyMap<string, string>;
}

export interface RoutesRead {
  readonly routes: readonly RouteSeen[];
  /** Lines of no known form. Where there are any, a route that is missing above may be one of these. */
  readonly unread: readonly string[];
}

interface Draft {
  readonly route: Omit<RouteSeen, 'nextHops' | 'attributes'>;
  readonly nextHops: string[];
  readonly attributes: Map<string, string>;
}

/** null where it is no whole reply to `show route` (1007, 1008, 1012, at the end 0000). */
export function parseRoutes(reply: Reply): RoutesRead | null {
  if (reply.code !== '0000' || reply.lines.at(-1)?.text !== '') return null;
  const drafts: Draft[] = [];
  const unread: string[] = [];
  let table: string | null = null;
  for (const { code, text } of reply.lines.slice(0, -1)) {
    if (!['1007', '1008', '1012', '8000'].includes(code)) return null;
    if (text === '' || (code === '1007' && takeHop(drafts.at(-1), text))) continue;
    if (code !== '1007') {
      if (code === '8000' || !takeAttribute(drafts.at(-1), text)) unread.push(text);
      continue;
    }
    const named = /^Table (\S+):$/.exec(text)?.[1];
    if (named !== undefined) {
      table = named;
      continue;
    }
    const draft = rowOf(text, table, drafts.at(-1));
    if (draft === null) unread.push(text);
    else drafts.push(draft);
  }
  return { routes: drafts.map((draft) => finish(draft)), unread };
}

const kinds: readonly RouteKind[] = ['unicast', 'blackhole', 'unreachable', 'prohibited'];
const row = /^(\S*)\s+(\w+) \[(\S+) ([^\]]*)\](?: ([*!]))?(?: \((\d+)[^)]*\))?(?: \[[^\]]*\])?\s*$/;

function rowOf(text: string, table: string | null, before: Draft | undefined): Draft | null {
  const match = row.exec(text);
  if (match === null) return null;
  const [, written = '', word = '', protocol = '', , mark, preference] = match;
  const prefix = written === '' ? before?.route.prefix : written;
  if (prefix === undefined || (written !== '' && !/^[0-9a-f.:]+\/\d{1,3}$/i.test(written))) return null;
  return {
    route: {
      prefix,
      table,
      kind: kinds.find((kind) => kind === word) ?? 'unknown',
      protocol,
      primary: mark === '*',
      preference: preference === undefined ? null : Number(preference),
      med: null,
      localPref: null,
      path: [],
      communities: [],
    },
    nextHops: [],
    attributes: new Map(),
  };
}

function takeHop(draft: Draft | undefined, text: string): boolean {
  const hop = /^\t((?:via|dev) .+)$/.exec(text)?.[1];
  if (hop === undefined || draft === undefined) return false;
  draft.nextHops.push(hop);
  return true;
}

function takeAttribute(draft: Draft | undefined, text: string): boolean {
  const match = /^\t([\w.-]+(?: [\w]+)*):\s*(.*)$/.exec(text);
  if (match?.[1] === undefined || draft === undefined) return false;
  draft.attributes.set(match[1], match[2] ?? '');
  return true;
}

function finish({ route, nextHops, attributes }: Draft): RouteSeen {
  const found = (name: string, three = name): string | null =>
    attributes.get(`BGP.${name}`) ?? attributes.get(`bgp_${three}`) ?? null;
  return {
    ...route,
    nextHops,
    attributes,
    med: whole(found('med')),
    localPref: whole(found('local_pref')),
    path: [...(found('as_path', 'path') ?? '').matchAll(/\d+/g)].map(([digits]) => Number(digits)),
    communities: [...tuples(found('community')), ...tuples(found('large_community'))],
  };
}

/** `(65535,0) (64500, 1, 2)`: what stands in each pair of parentheses, with colons. */
function tuples(text: string | null): readonly string[] {
  return [...(text ?? '').matchAll(/\((\d+(?:,\s*\d+)+)\)/g)].map(([, inside = '']) =>
    inside.replaceAll(/,\s*/g, ':'),
  );
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

/** YAML as a tree of plain values in which everything knows where it stands. No tags, no merge keys. */
import { Alias, isMap, isPair, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';

/** `at` is the offset in the text; `flow` is true where the value itself is a better place than its key. */
export type Tree =
  | {
      readonly kind: 'scalar';
      readonly value: string | number | boolean | null;
      readonly source: string;
      readonly at: number;
      readonly flow: boolean;
    }
  | { readonly kind: 'list'; readonly items: readonly Tree[]; readonly at: number; readonly flow: boolean }
  | {
      readonly kind: 'map';
      readonly entries: ReadonlyMap<string, Entry>;
      readonly at: number;
      readonly flow: boolean;
    };

/** A key and its value; `keyAt` is the offset of the key. */
export interface Entry {
  readonly keyAt: number;
  readonly value: Tree;
}

/** Something that is no config, whatever its keys are. `said` is the whole statement. */
export interface TreeFlaw {
  readonly at: number;
  readonly said: string;
}

/** A place for people. */
export interface Place {
  /** Both count from 1; a column is one UTF-16 unit. */
  readonly line: number;
  readonly column: number;
}

/** A text that was read, with what is wrong with it as YAML. */
export interface TreeRead {
  /** Null where nothing can be said of the values. */
  readonly tree: Tree | null;
  readonly flaws: readonly TreeFlaw[];
  readonly place: (at: number) => Place;
}

/** More than any real config; bounds what aliases of aliases can grow to. */
const mostNodes = 200_000;

/** The tree of a document without errors; null where it grows beyond all bounds. */
export function treeOfDocument(
  contents: unknown,
  place: (at: number) => Place,
): { readonly tree: Tree | null; readonly flaws: readonly TreeFlaw[] } {
  const walk: Walk = { place, flaws: [], anchors: new Map(), meant: new Map(), open: new Set(), count: 0 };
  const tree = treeOf(walk, contents, 0);
  return { tree: walk.count > mostNodes ? null : tree, flaws: walk.flaws };
}

interface Walk {
  readonly place: (at: number) => Place;
  readonly flaws: TreeFlaw[];
  /** What each anchor names so far, and what each alias meant when it was first come upon. */
  readonly anchors: Map<string, Node>;
  readonly meant: Map<Alias, Node>;
  /** Collections that the walk is inside of, to find an alias of its own parent. */
  readonly open: Set<Node>;
  count: number;
}

const nothing = (at: number): Tree => ({ kind: 'scalar', value: null, source: '', at, flow: true });

function treeOf(walk: Walk, node: unknown, fallback: number): Tree {
  walk.count += 1;
  if (walk.count > mostNodes) {
    if (walk.count === mostNodes + 1)
      walk.flaws.push({ at: fallback, said: `with its aliases the file has more than ${mostNodes} values` });
    return nothing(fallback);
  }
  if (node instanceof Alias) return aliasTree(walk, node, fallback);
  if (!isScalar(node) && !isSeq(node) && !isMap(node)) return nothing(fallback);
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  const at = node.range?.[0] ?? fallback;
  if (node.tag !== undefined)
    walk.flaws.push({
      at,
      said: `the tag ${node.tag.replace('tag:yaml.org,2002:', '!!')} is not allowed: write the value without a tag`,
    });
  if (isScalar(node)) {
    const { value } = node;
    const plain =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', value: plain, source: node.source ?? '', at, flow: true };
  }
  walk.open.add(node);
  const flow = node.flow === true;
  const tree: Tree = isSeq(node)
    ? { kind: 'list', items: node.items.map((item) => treeOf(walk, item, at)), at, flow }
    : { kind: 'map', entries: entriesOf(walk, node, at), at, flow };
  walk.open.delete(node);
  return tree;
}

function aliasTree(walk: Walk, alias: Alias, fallback: number): Tree {
  const at = alias.range?.[0] ?? fallback;
  const target = resolveAlias(walk, alias);
  if (target === undefined || walk.open.has(target)) {
    const why = target === undefined ? 'names no anchor above it' : 'stands inside what it names';
    walk.flaws.push({ at, said: `the alias *${alias.source} ${why}` });
    return nothing(at);
  }
  return { ...treeOf(walk, target, at), at, flow: true };
}

/**
 * What an alias means: the last anchor of its name above it. It is first come upon in the order of the text, and what
 * was found then holds when another alias leads here again.
 */
function resolveAlias(walk: Walk, alias: Alias): Node | undefined {
  const target = walk.meant.get(alias) ?? walk.anchors.get(alias.source);
  if (target !== undefined) walk.meant.set(alias, target);
  return target;
}

function entriesOf(walk: Walk, map: YAMLMap, fallback: number): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const pair of map.items) {
    if (!isPair(pair)) continue;
    const named = pair.key instanceof Alias ? resolveAlias(walk, pair.key) : pair.key;
    const own: unknown = pair.key;
    if (isScalar(own) && own.anchor !== undefined) walk.anchors.set(own.anchor, own);
    const keyAt =
      (isScalar(own) || isMap(own) || isSeq(own) || own instanceof Alias ? own.range?.[0] : undefined) ??
      fallback;
    const key = isScalar(named) ? String(named.value) : null;
    const first = key === null ? undefined : entries.get(key);
    const said = flawOfKey(key, first === undefined ? null : walk.place(first.keyAt));
    if (said !== null) walk.flaws.push({ at: keyAt, said });
    if (key !== null && said === null) entries.set(key, { keyAt, value: treeOf(walk, pair.value, keyAt) });
  }
  return entries;
}

function flawOfKey(key: string | null, first: Place | null): string | null {
  if (key === null) return 'a key is a list or a mapping: write a name';
  if (key === '<<') return 'merge keys (<<) are not read: repeat the keys, or use an alias for a whole value';
  if (key === '__proto__') return 'the key "__proto__" is unknown: leave it out';
  if (first === null) return null;
  return `the key ${JSON.stringify(key)} stands here a second time, first in line ${first.line}: keep one of the two`;
}

/** What is wrong with a config, as one line that says where, what was found and what is allowed. */
import type { ConfigPath } from './leaf.ts';
import type { Place, Tree, TreeRead } from './yaml-tree.ts';

/** One thing that is wrong, or one warning, at its place. */
export interface Problem {
  readonly file: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /** Such as `uplinks.cmi.targets[0].ping`; empty for the file itself. */
  readonly path: string;
  /** What stands there, as it is written; `nothing` where something is missing. */
  readonly found: string;
  /** What may stand there. */
  readonly allowed: string;
  /** All of it in one line: `causeway.yaml:12:5: uplinks.cmi.source: found …, allowed: …`. */
  readonly text: string;
}

/** A problem before it has a place. */
export interface Finding {
  readonly path: ConfigPath;
  /** Whether the key or the value is what is wrong. */
  readonly where: 'key' | 'value';
  readonly allowed: string;
  /** Instead of what stands at the path. */
  readonly found?: string;
  /** A statement of its own, instead of "found …, allowed: …". */
  readonly said?: string;
}

/** A finding with the place of its path in the file, or of the nearest part of it that is there. */
export function placeFinding(file: string, read: TreeRead, finding: Finding): Problem {
  const spot = locate(read.tree, finding.path, finding.where);
  const path = formatPath(finding.path);
  const found = finding.found ?? formatFound(spot.found);
  const said = finding.said ?? `found ${found}, allowed: ${finding.allowed}`;
  return problemAt(file, read.place(spot.at), { path, found, allowed: finding.allowed, said });
}

/** A problem whose statement is whole already. */
export function problemAt(
  file: string,
  place: Place,
  parts: { readonly path: string; readonly found: string; readonly allowed: string; readonly said: string },
): Problem {
  const { path, found, allowed } = parts;
  const joint = parts.said.startsWith(' ') ? '' : ': ';
  const statement = path === '' ? parts.said.trimStart() : `${path}${joint}${parts.said}`;
  const text = printable(`${file}:${place.line}:${place.column}: ${statement}`);
  return { file, ...place, path, found, allowed, text };
}

/** One line whatever the file holds, and nothing that a terminal would obey. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (control) => {
    const code = control.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** In the order of the file. What an alias brings to several places is said once, where it is written. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  const said = new Set<string>();
  return problems
    .toSorted((a, b) => a.line - b.line || a.column - b.column || a.path.localeCompare(b.path))
    .filter((problem) => {
      const lastStep = /[^.[]*$/.exec(problem.path)?.[0] ?? '';
      const statement = problem.text.replace(problem.path, () => lastStep);
      const fresh = !said.has(statement);
      said.add(statement);
      return fresh;
    });
}

/** Where a path stands: a scalar or a flow collection itself, else its key. Missing: the nearest parent. */
export function locate(
  tree: Tree | null,
  path: ConfigPath,
  where: 'key' | 'value',
): { readonly at: number; readonly found: Tree | null } {
  if (tree === null) return { at: 0, found: null };
  let [here, at]: [Tree, number] = [tree, tree.at];
  for (const [depth, step] of path.entries()) {
    const last = depth === path.length - 1;
    if (here.kind === 'map') {
      const entry = here.entries.get(String(step));
      if (entry === undefined) return { at, found: null };
      here = entry.value;
      at = here.flow && !(last && where === 'key') ? here.at : entry.keyAt;
    } else if (here.kind === 'list' && typeof step === 'number') {
      const item = here.items[step];
      if (item === undefined) return { at, found: null };
      here = item;
      at = item.at;
    } else return { at, found: null };
  }
  return { at, found: here };
}

/** Keys joined by dots, list indexes in brackets. */
export function formatPath(path: ConfigPath): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[A-Za-z0-9_-]+$/.test(step) ? `.${step}` : `.${clip(JSON.stringify(step))}`;
    })
    .join('')
    .replace(/^\./, '');
}

/** What stands in the file, short and without the password of a URL. */
export function formatFound(tree: Tree | null): string {
  if (tree === null) return 'nothing';
  if (tree.kind === 'map') return tree.entries.size === 0 ? 'an empty mapping' : 'a mapping';
  if (tree.kind === 'list') return tree.items.length === 0 ? 'an empty list' : 'a list';
  if (tree.value === null) return 'nothing';
  if (typeof tree.value === 'string')
    return clip(JSON.stringify(tree.value.replace(/\/\/[^/@]*@/, '//***@')));
  return clip(tree.source);
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** YAML files of people: every problem at once, each with file, line, column and path. Pure: the text comes in. */
import { isMap, LineCounter, type Document, isScalar, parseDocument } from 'yaml';
import type { z } from 'zod';
import { messageOf } from '../src/types/message-of.ts';

/** A place in a document and what is wrong there. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /** What was found and what is allowed. */
  readonly text: string;
}

export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly text: string;
}

export type Loaded<T> =
  | { readonly kind: 'loaded'; readonly value: T }
  | { readonly kind: 'refused'; readonly problems: readonly FileProblem[] };

/**
 * Parses and checks. All problems of form are reported at once; a text without them goes to `lint`, which reports at once
 * all that a schema cannot say. An empty file, a duplicate or an unknown key is a problem like any other.
 */
export function readYaml<S extends z.ZodType>(
  file: string,
  text: string,
  schema: S,
  lint: (value: z.output<S>) => readonly Problem[],
): Loaded<z.output<S>> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number, path: readonly PropertyKey[], message: string): FileProblem => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col, path: path.map(String).join('.'), text: message };
  };
  if (document.errors.length > 0) {
    return { kind: 'refused', problems: document.errors.map((error) => at(error.pos[0], [], error.message)) };
  }
  if (document.contents === null) return { kind: 'refused', problems: [at(0, [], 'the file is empty')] };
  const plain = plainOf(document);
  if (plain.kind === 'error') return { kind: 'refused', problems: [at(0, [], plain.text)] };
  const parsed = schema.safeParse(plain.value);
  const found = parsed.success
    ? lint(parsed.data)
    : parsed.error.issues.flatMap((issue) => issueProblems(issue, document));
  if (parsed.success && found.length === 0) return { kind: 'loaded', value: parsed.data };
  const problems = found.map((problem) => at(offsetOf(document, problem.path), problem.path, problem.text));
  return { kind: 'refused', problems: problems.sort((a, b) => a.line - b.line || a.column - b.column) };
}

/** An alias without its anchor, or a few that stand for millions, is told only when the whole is made plain. */
function plainOf(
  document: Document,
): { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'error'; readonly text: string } {
  try {
    return { kind: 'value', value: document.toJS() };
  } catch (error) {
    return { kind: 'error', text: messageOf(error) };
  }
}

/** `rules.yaml:12:5: policies.cdn.default: …`, as editors understand it. */
export function formatProblem(problem: FileProblem): string {
  const path = problem.path === '' ? '' : ` ${problem.path}:`;
  return `${problem.file}:${problem.line}:${problem.column}:${path} ${problem.text}`;
}

function issueProblems(issue: z.core.$ZodIssue, document: Document): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...issue.path, key], text: `unknown key "${key}"` }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => ({ path: issue.path, text: `the name ${inner.message}` }));
  }
  const value: unknown = document.getIn(issue.path);
  const shown =
    value === undefined || typeof value === 'object' ? '' : ` (found ${JSON.stringify(value).slice(0, 80)})`;
  return [{ path: issue.path, text: `${issue.message}${shown}` }];
}

/** Where the key of the path stands, or its nearest parent that is there; items of a list stand where they begin. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent: unknown = document.getIn(path.slice(0, depth - 1), true);
    const key = path[depth - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
    }
    const node: unknown = document.getIn(path.slice(0, depth), true);
    if (hasRange(node)) return node.range[0];
  }
  return 0;
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** YAML text with places: values checked by a schema, each problem at its line and column. */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { messageOf } from '../../src/types/message-of.ts';
import type { Checked, Problem } from './problem.ts';

type Path = readonly PropertyKey[];

/** A checked document: its value, and a way to speak of places in it. */
export interface Parsed<T> {
  readonly value: T;
  /** A problem at a path; the nearest place that exists in the file is named. */
  readonly problemAt: (path: Path, message: string) => Problem;
}

/** Checks `text` against a schema; every problem of the text, or every problem of the schema, at once. */
export function checkDocument<T>(file: string, text: string, schema: z.ZodType<T>): Checked<Parsed<T>> {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true, prettyErrors: false });
  const at = (offset: number, path: Path, message: string): Problem => {
    const place = counter.linePos(offset);
    return { file, line: place.line, column: place.col, path: path.map(String).join('.'), message };
  };
  if (document.errors.length > 0) {
    return { kind: 'wrong', problems: document.errors.map((error) => at(error.pos[0], [], error.message)) };
  }
  const problemAt = (path: Path, message: string): Problem => at(offsetOf(document, path), path, message);
  let plain: unknown;
  try {
    plain = document.toJS();
  } catch (error) {
    // An alias without its anchor, or a few that stand for millions, is told only here.
    const message = messageOf(error);
    return { kind: 'wrong', problems: [at(0, [], message)] };
  }
  if (plain === null || plain === undefined) {
    return {
      kind: 'wrong',
      problems: [at(0, [], 'the file is empty; it needs at least node, host, networks, geo and servers')],
    };
  }
  const checked = schema.safeParse(plain);
  if (checked.success) return { kind: 'ok', value: { value: checked.data, problemAt } };
  const problems = checked.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [problemAt(issue.path, found(document, issue.path, issue.message))];
    return issue.keys.map((key) => problemAt([...issue.path, key], 'this key is not known here'));
  });
  return { kind: 'wrong', problems };
}

/** The message with the value that was found, when it is a plain one. */
function found(document: Document, path: Path, message: string): string {
  const value: unknown = document.getIn([...path], false);
  if (value === undefined && path.length > 0) return 'is missing, and has no default';
  if (value === undefined || value === null || typeof value === 'object') return message;
  const text = JSON.stringify(value);
  return `${text.length > 60 ? `${text.slice(0, 60)}…` : text}: ${message}`;
}

function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair && isScalar(pair.key) && pair.key.range) return pair.key.range[0];
    }
    const node = document.getIn(path.slice(0, length), true);
    if (node && typeof node === 'object' && 'range' in node && Array.isArray(node.range))
      return Number(node.range[0]);
  }
  return document.contents?.range?.[0] ?? 0;
}

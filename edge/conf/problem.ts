/** What is wrong in a config file, where a person finds it. */
export interface Problem {
  readonly file: string;
  /** From 1; null where there is no place in the file (it cannot be read). */
  readonly line: number | null;
  readonly column: number | null;
  /** `limits.login.rate`; empty for the whole file. */
  readonly path: string;
  /** What was found, why it is wrong and what is allowed. */
  readonly message: string;
}

/** One line for a terminal: `edge.yaml:12:9: limits.login.rate: …`. */
export function describeProblem(problem: Problem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}:${problem.column}`;
  return problem.path === ''
    ? `${place}: ${problem.message}`
    : `${place}: ${problem.path}: ${problem.message}`;
}

/** A result of reading something that people wrote: the value, or all that is wrong with it. */
export type Checked<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'wrong'; readonly problems: readonly Problem[] };

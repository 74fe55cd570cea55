/** Errors of the API as problem+json (RFC 9457): what happened, why, and what to do next. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** A word for programs; part of the contract. */
  readonly code: ProblemCode;
  /** More members of the answer, such as the order that a receiver holds. */
  readonly more: Readonly<Record<string, unknown>>;
  constructor(
    status: number,
    code: ProblemCode,
    detail: string,
    more: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export type ProblemCode =
  | 'token-missing'
  | 'token-refused'
  | 'bad-message'
  | 'bad-query'
  | 'unknown-target'
  | 'unknown-name'
  | 'stale'
  | 'order-required'
  | 'not-durable'
  | 'internal';

/** The body of the answer. */
export function problemBody(problem: Problem): Readonly<Record<string, unknown>> {
  return {
    type: 'about:blank',
    title: problem.code,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    ...problem.more,
  };
}

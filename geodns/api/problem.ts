/** Errors of the API as problem+json (RFC 9457): what happened, why, and what to do next. */

/** Each code with its HTTP status and what it means; part of the contract, listed in docs/geodns.md. */
export const problemCodes = {
  'bad-message': { status: 400, meaning: 'the body is wrong; the detail names each fault and its place' },
  'bad-query': { status: 400, meaning: 'a parameter is wrong; the detail names it' },
  'bad-request': { status: 400, meaning: 'this is not an HTTP request that is read here' },
  'token-missing': { status: 401, meaning: 'the header Authorization: Bearer is missing' },
  'token-refused': { status: 403, meaning: 'the token is unknown (401), or may not do this (403)' },
  'unknown-route': { status: 404, meaning: 'there is nothing at this path' },
  'unknown-target': { status: 404, meaning: 'the rules have no such target' },
  'unknown-name': { status: 404, meaning: 'the rules have no such name' },
  'unknown-revision': { status: 404, meaning: 'there is no revision of this number, or it is forgotten' },
  'unknown-day': { status: 404, meaning: 'nothing is kept of this day' },
  'not-configured': { status: 404, meaning: 'geodns.yaml has no such part' },
  'nothing-to-do': { status: 404, meaning: 'there is nothing to accept, take back or go back to' },
  'method-not-allowed': { status: 405, meaning: 'the path exists; the header Allow has its methods' },
  'not-acceptable': { status: 406, meaning: 'the header Accept excludes what this route answers' },
  timeout: { status: 408, meaning: 'the request did not come to its end in time' },
  stale: { status: 409, meaning: 'something newer stands; epoch and seq of it are in the body' },
  'order-required': {
    status: 409,
    meaning: 'this uplink is told in order; calls without it no longer count',
  },
  'under-way': { status: 409, meaning: 'databases are just being refreshed' },
  'files-edited': {
    status: 409,
    meaning: 'a file holds what was never put in force; reload it or take it back',
  },
  'files-unwritable': {
    status: 409,
    meaning: 'the service may not write its rules file; nothing was changed',
  },
  outdated: { status: 412, meaning: 'another revision is in force than the one of If-Match' },
  'too-large': { status: 413, meaning: 'the body is larger than this route takes' },
  'uri-too-long': { status: 414, meaning: 'the path is too long' },
  'unsupported-media-type': { status: 415, meaning: 'this route wants another Content-Type' },
  'rules-refused': { status: 422, meaning: 'the rules have problems; the body lists them with their places' },
  'precondition-required': {
    status: 428,
    meaning: 'If-Match must say which revision the change is made from',
  },
  'too-many': { status: 429, meaning: 'this network has told enough beacons for this minute' },
  'headers-too-large': { status: 431, meaning: 'too many or too large header fields' },
  internal: { status: 500, meaning: 'a fault of the service; its log has it' },
  fenced: { status: 503, meaning: 'another service writes the zone; tell that one' },
  'not-durable': { status: 503, meaning: 'the disk takes nothing, so nothing was changed' },
  busy: { status: 503, meaning: 'too many ask for the same at once; try again after Retry-After' },
} as const;

/** A word for programs. */
export type ProblemCode = keyof typeof problemCodes;

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
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

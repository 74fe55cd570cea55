/** What the HTTP endpoint answers where it refuses: problem+json (RFC 9457). Version 1; codes may be added. */
import { z } from 'zod';

/** Each code with its HTTP status and what it means. The first of a status is its usual one. */
export const problemCodes = {
  'bad-request': {
    status: 400,
    meaning: 'the request, a parameter or the body is wrong; the detail names the place',
  },
  unauthorized: { status: 401, meaning: 'a command over the port without the token, or with another one' },
  'no-token': { status: 403, meaning: 'the port takes no commands: the config names no `http.token_file`' },
  'socket-only': { status: 403, meaning: 'this goes over the control socket alone' },
  'unknown-route': { status: 404, meaning: 'there is nothing at this path' },
  'unknown-name': {
    status: 404,
    meaning: 'no uplink or service of this name; the detail has those that are',
  },
  'method-not-allowed': { status: 405, meaning: 'the path exists; the header `Allow` has its methods' },
  'not-acceptable': { status: 406, meaning: 'the header `Accept` excludes what this route answers' },
  timeout: { status: 408, meaning: 'the request did not come to its end in time' },
  conflict: { status: 409, meaning: 'the command is refused as things are; the detail says what to do' },
  'too-large': { status: 413, meaning: 'the body is larger than this route takes' },
  'uri-too-long': { status: 414, meaning: 'the path or one of its parts is too long' },
  'unsupported-media-type': { status: 415, meaning: 'commands are `application/json`' },
  'expectation-failed': { status: 417, meaning: 'of `Expect` only `100-continue` is known' },
  misdirected: { status: 421, meaning: 'the header `Host` is a foreign name, as after DNS rebinding' },
  'headers-too-large': { status: 431, meaning: 'too many or too large header fields' },
  internal: { status: 500, meaning: 'a fault of the daemon; its log has it' },
  busy: { status: 503, meaning: 'too many ask for the same at once; try again after `Retry-After`' },
  'not-yet': { status: 503, meaning: 'no tick has ended yet' },
  'token-unreadable': { status: 503, meaning: '`http.token_file` cannot be read; the log says why' },
} as const;

export type ProblemCode = keyof typeof problemCodes;

export const problemDocument = z.object({
  type: z.literal('about:blank').describe('The HTTP status says what it is (RFC 9457, 4.2.1).'),
  title: z.string(),
  status: z.int().min(400).max(599),
  code: z.string().describe('A word for programs; listed in docs/errors.md.'),
  detail: z.string().describe('One sentence for people.'),
});

export interface Problem extends Readonly<z.infer<typeof problemDocument>> {
  readonly code: ProblemCode;
}

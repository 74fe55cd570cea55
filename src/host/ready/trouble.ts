/** Errors of a check as outcomes: what is our own fault is `not-run`, everything else is a failure of what was asked. */
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { messageOf } from '../../types/message-of.ts';

/** No descriptors, memory or buffers, or no permission: it says nothing of the service. */
const ownFaults: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'EACCES',
  'EPERM',
  'EADDRNOTAVAIL',
]);

/** Of an error that stopped a question to the service itself. */
export function outcomeOfError(error: unknown): ReadyOutcome {
  const text = errorText(error);
  return ownFaults.has(codeOf(error)) ? { kind: 'not-run', text } : { kind: 'fail', text };
}

/** The errno or a code of a library; empty: it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Short, and the same each time: it goes into BIRD's file. */
export function errorText(error: unknown): string {
  const code = codeOf(error);
  return sayings[code] ?? (code === '' ? messageOf(error).slice(0, 120) : code);
}

const sayings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOENT: 'no such file or socket',
  EACCES: 'no permission (EACCES)',
  EMFILE: 'no file descriptor left (EMFILE)',
  EHOSTUNREACH: 'no route to it (EHOSTUNREACH)',
  ENETUNREACH: 'no route to it (ENETUNREACH)',
};

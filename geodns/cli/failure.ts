/** Errors of commands: what is printed, and the exit code: 1 the answer is no, 2 usage or files, 3 not reachable. */
import { CommanderError } from 'commander';
import { TlsError } from '../api/listener.ts';
import { MmdbError } from '../mmdb/geo.ts';
import { FilesError } from '../service/files.ts';
import { RefusedError } from './service-call.ts';
import { messageOf } from '../../src/types/message-of.ts';

export function linesOf(error: unknown): readonly string[] {
  // Commander has said it already.
  if (error instanceof CommanderError) return [];
  return error instanceof FilesError ? error.lines : [messageOf(error)];
}

/** `command`: the subcommand; to `check`, a bad file is the answer, not a mistake in asking. */
export function exitCodeOf(error: unknown, command: string | undefined): 0 | 1 | 2 | 3 {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof RefusedError) return 1;
  const refused = error instanceof FilesError || error instanceof MmdbError || error instanceof TlsError;
  return !refused ? 3 : command === 'check' ? 1 : 2;
}

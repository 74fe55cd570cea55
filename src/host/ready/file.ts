/** `file` and `file_absent`: whether a path is there. */
import { stat } from 'node:fs/promises';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { codeOf, errorText } from './trouble.ts';

/** Looks once. It cannot be ended: a file system that hangs keeps one thread, so the caller never starts a second look. */
export async function checkFile(path: string, wanted: 'present' | 'absent'): Promise<ReadyOutcome> {
  try {
    await stat(path);
    return { kind: wanted === 'present' ? 'pass' : 'fail', text: `${path} is there` };
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      return { kind: 'not-run', text: `${path}: ${errorText(error)}` };
    return { kind: wanted === 'absent' ? 'pass' : 'fail', text: `${path} is not there` };
  }
}

/** What `bird -p` said of a text, in a sentence. Pure. */
import { unreachable } from '../../src/types/unreachable.ts';
import type { SyntaxCheck } from '../owned-file.ts';

/** null: it was accepted. */
export function syntaxProblem(check: SyntaxCheck): string | null {
  switch (check.kind) {
    case 'ok':
      return null;
    case 'refused': {
      const place = check.line === null ? '' : ` at line ${check.line}, column ${check.column}`;
      return `bird -p refuses the new text${place}: ${check.text}`;
    }
    case 'died':
      return `bird -p was ended by ${check.signal} on the new text`;
    case 'no-bird':
      return `${check.text}; install BIRD or name it with --bird`;
    default:
      return unreachable(check);
  }
}

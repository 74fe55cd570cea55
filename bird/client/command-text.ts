/** What may be sent to BIRD as one command, on the socket and through birdc alike. */
import { BirdError } from '../bird-error.ts';
import type { Reply } from '../codec.ts';

/** Longest command in bytes: BIRD takes 1022, and closes the connection or hangs beyond. */
export const commandLimitBytes = 1000;

/**
 * Why a command is not sent; null: it may be. BIRD answers an empty line with an error and `help` not at all; birdc keeps
 * `help`, `?`, `quit` and `exit` for itself, and given one of them as its only command it waits for ever.
 */
export function commandProblem(text: string): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > commandLimitBytes) return `${bytes} bytes, and ${commandLimitBytes} is the most`;
  if (/[\r\n\0]/.test(text)) return 'a command is one line, and this one holds a line end or NUL';
  if (/^\s*((help|quit|exit)\b.*|\?.*)?$/i.test(text))
    return `${JSON.stringify(text)} is no command of the daemon`;
  if (text.trimEnd().endsWith('?')) return `${JSON.stringify(text)} asks birdc for help`;
  return null;
}

/** The reply, unless BIRD refused: then `refused` is thrown, and says what a restricted socket means. */
export function accepted(reply: Reply): Reply {
  if (!/^[89]/.test(reply.code)) return reply;
  const text = reply.lines.at(-1)?.text ?? '';
  const meaning =
    reply.code === '8007' ? ': this socket is restricted, so BIRD can be read over it but not changed' : '';
  throw new BirdError('refused', `BIRD refused: ${reply.code} ${text}${meaning}`, { reply });
}

/** Commands to the daemon, with the token that the reader gave. */
import type { OperatorAnswer } from '../../../types/wire/operator.ts';
import { token } from './remembered.ts';

/** Which route, and the body as src/types/wire/operator.ts has it, but for dryRun. */
export interface Command {
  readonly path: 'v1/overrides' | 'v1/release' | 'v1/freeze' | 'v1/thaw';
  readonly body: Readonly<Record<string, unknown>>;
}

export type CommandAnswer =
  | { readonly kind: 'answered'; readonly answer: OperatorAnswer }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  /** Whether it acted is not known. */
  | { readonly kind: 'no-answer' };

const answerMillis = 15_000;

/** Sends it; with `dryRun` the daemon only says what would change. A token that the daemon refuses is forgotten. */
export async function sendCommand(
  { path, body }: Command,
  { dryRun }: { readonly dryRun: boolean },
): Promise<CommandAnswer> {
  const kept = token.read();
  try {
    const response = await fetch(path, {
      method: 'POST',
      cache: 'no-store',
      headers: {
        'content-type': 'application/json',
        ...(kept === null ? {} : { authorization: `Bearer ${kept}` }),
      },
      body: JSON.stringify({ ...body, dryRun }),
      signal: AbortSignal.timeout(answerMillis),
    });
    if (response.status === 401) token.forget();
    const found: unknown = await response.json();
    if (response.ok) return { kind: 'answered', answer: found as OperatorAnswer };
    const { detail } = found as { readonly detail?: unknown };
    return { kind: 'refused', status: response.status, detail: typeof detail === 'string' ? detail : '' };
  } catch {
    return { kind: 'no-answer' };
  }
}

/** Whether BIRD's socket takes commands. Since 2.16 one may be restricted: `cli "/run/bird/ro.ctl" { restrict; };`. */
import { BirdError } from './bird-error.ts';
import type { BirdClient } from './client.ts';

/**
 * A protocol that nobody has: enabling it changes nothing. A restricted socket refuses (8007) before it looks for the name;
 * any other one finds none (8003).
 */
const harmless = 'enable "causeway_nobody_has_this_name"';
const denied = '8007';
const noMatch = '8003';

/** null: BIRD does not answer, or something else. Rejects for a bug alone. */
export async function isRestricted(client: BirdClient): Promise<boolean | null> {
  try {
    await client.command(harmless);
    return null;
  } catch (error) {
    if (!(error instanceof BirdError)) throw error;
    if (error.replyCode === denied) return true;
    return error.replyCode === noMatch ? false : null;
  }
}

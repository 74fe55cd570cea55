/** Who took a protocol down: Causeway, the file that BIRD parsed, or somebody's hand. */
import type { BirdSeen, ProtocolSeen } from '../../types/bird-view.ts';
import { ownMessagePrefix } from '../../types/protocol-names.ts';
import { isDownDescription } from '../plan/file-words.ts';

export type Who = 'causeway' | 'file' | 'hand';

/** Whose words BIRD shows of a protocol; null: nobody's. Each command of ours leaves some. */
export function whoseMessage({ message }: ProtocolSeen): 'causeway' | 'hand' | null {
  if (message === null || message === '') return null;
  return message.startsWith(ownMessagePrefix) ? 'causeway' : 'hand';
}

/** A protocol that the file holds down changes its state while BIRD parses it, not later. */
const parseMillis = 500;

/**
 * A message tells by its beginning. Without one, a state that is younger than the last configure was made by a hand
 * that gave no reason; an older one comes from the file if the description that BIRD parsed says so.
 */
export function whoTookDown(shown: ProtocolSeen, seen: BirdSeen): Who {
  const byMessage = whoseMessage(shown);
  if (byMessage !== null) return byMessage;
  if (shown.sinceMillis !== null && seen.configuredMillis !== null) {
    if (shown.sinceMillis > seen.configuredMillis + parseMillis) return 'hand';
  }
  return isDownDescription(shown.description) ? 'file' : 'hand';
}

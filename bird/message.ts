/** Text that goes into BIRD: messages of `disable` and `enable`, descriptions. BIRD's strings know no escape. */
import { ownMessagePrefix } from '../src/types/protocol-names.ts';

/** Longer lines would not be shown, and of a session's message the peer gets 255 bytes (RFC 9003). */
export const textLimitBytes = 200;

/** What must not stand between double quotes, and what could play tricks on a terminal (controls, bidi marks). */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text as it can stand between double quotes: one line, no `"`, at most `limitBytes` of UTF-8, cut at a character. */
export function cleanText(text: string, limitBytes: number = textLimitBytes): string {
  const clean = text.replace(unsafe, ' ').replaceAll('"', "'");
  if (Buffer.byteLength(clean) <= limitBytes) return clean;
  let cut = '';
  let bytes = Buffer.byteLength('…');
  for (const character of clean) {
    bytes += Buffer.byteLength(character);
    if (bytes > limitBytes) break;
    cut += character;
  }
  return `${cut}…`;
}

/** A message of our own: begins with the prefix that tells it from anybody else's. */
export function ownMessage(reason: string): string {
  const bare = reason.startsWith(ownMessagePrefix) ? reason.slice(ownMessagePrefix.length) : reason;
  return cleanText(`${ownMessagePrefix}${bare}`);
}

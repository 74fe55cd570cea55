/** The token of the HTTP endpoint, read from its file at each use, so that a new one counts without a restart. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../types/message-of.ts';

export type TokenVerdict =
  /** `none`: the config names no file, so nobody commands over the port. */
  { readonly kind: 'fits' | 'differs' | 'none' } | { readonly kind: 'unreadable'; readonly text: string };

/** Shorter ones are guessed. */
const shortest = 16;

/** `path` null: no file is named. Compares in the same time whatever was sent, and never says how far it fits. */
export async function checkToken(path: string | null, sent: string): Promise<TokenVerdict> {
  if (path === null) return { kind: 'none' };
  let token: string;
  try {
    token = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    return { kind: 'unreadable', text: messageOf(error) };
  }
  if (token.length < shortest)
    return { kind: 'unreadable', text: `${path} holds a token of less than ${shortest} characters` };
  return { kind: timingSafeEqual(digest(token), digest(sent)) ? 'fits' : 'differs' };
}

/** Of one length, whatever the text. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

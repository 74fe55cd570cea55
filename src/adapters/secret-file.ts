/** A secret from its file, read at each use, so that a new one counts without a restart. It is never printed. */
import { open } from 'node:fs/promises';
import { messageOf } from '../types/message-of.ts';

export type Secret =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly text: string };

const mostBytes = 16 * 1024;

/** One line, without blanks around it. Never rejects. */
export async function readSecret(path: string): Promise<Secret> {
  const read = await readSmall(path);
  if (read.kind === 'unreadable') return read;
  const text = read.text.trim();
  if (text === '') return { kind: 'unreadable', text: `${path} is empty` };
  if (/\p{Cc}/u.test(text)) return { kind: 'unreadable', text: `${path} holds more than one line` };
  return { kind: 'read', text };
}

/** The whole of a small file, such as a list of authorities. Never rejects. */
export async function readSmall(path: string): Promise<Secret> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(mostBytes * 64);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      if (bytesRead === buffer.length) return { kind: 'unreadable', text: `${path} is too large` };
      return { kind: 'read', text: buffer.toString('utf8', 0, bytesRead) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { kind: 'unreadable', text: messageOf(error) };
  }
}

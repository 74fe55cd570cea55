/**
 * The two commands that move announcements. BIRD ends both with `0000` whatever came before, so success is the line for
 * this very protocol: 0009 disabled, 0008 already disabled, 0011 enabled, 0010 already enabled.
 */
import { BirdError } from './bird-error.ts';
import type { BirdClient } from './client.ts';
import { ownMessage } from './message.ts';

/** already: it was in that state before; BIRD then keeps the message that it had. */
export type Done = 'done' | 'already';

/** Takes a protocol down, with our reason. Rejects with a BirdError. */
export function disable(client: BirdClient, protocol: string, message: string): Promise<Done> {
  return set(client, 'disable', protocol, message, { done: '0009', already: '0008' });
}

/** Takes a protocol up, with our reason. Rejects with a BirdError. */
export function enable(client: BirdClient, protocol: string, message: string): Promise<Done> {
  return set(client, 'enable', protocol, message, { done: '0011', already: '0010' });
}

async function set(
  client: BirdClient,
  verb: 'disable' | 'enable',
  protocol: string,
  message: string,
  codes: Readonly<Record<Done, string>>,
): Promise<Done> {
  const reply = await client.command(`${verb} ${quoteName(protocol)} "${ownMessage(message)}"`);
  const lines = reply.lines.filter(({ text }) => text.startsWith(`${protocol}: `));
  if (lines.some(({ code }) => code === codes.done)) return 'done';
  if (lines.some(({ code }) => code === codes.already)) return 'already';
  const answer = reply.lines.map(({ code, text }) => `${code} ${text}`).join(' / ');
  throw new BirdError('bad-reply', `BIRD did not say that it did ${verb} ${protocol}: ${answer}`);
}

/** A name as BIRD's command line takes it: bare, or in single quotes if it has dots, dashes or colons. */
export function quoteName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) return name;
  if (/^[A-Za-z0-9_.:-]{1,64}$/.test(name)) return `'${name}'`;
  throw new BirdError('bad-command', `not sent to BIRD: ${JSON.stringify(name)} cannot be a protocol's name`);
}

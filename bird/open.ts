/** BIRD as the config reaches it: over its socket, or through a command. */
import type { BirdConfig } from '../src/types/config.ts';
import { openBirdc } from './birdc.ts';
import { type BirdClient, openClient } from './client.ts';

export interface OpenOptions {
  /** For the whole of one command. */
  readonly timeoutMillis: number;
  /** Lines that BIRD sends unasked. */
  readonly onAsync?: (line: string) => void;
}

/** A client of the configured BIRD. Nothing is opened or run before its first command. */
export function openBird({ socket, command }: BirdConfig, options: OpenOptions): BirdClient {
  return command === null ? openClient({ path: socket, ...options }) : openBirdc({ command, ...options });
}

/** How BIRD is reached, for people: the socket's path, or the command. */
export function wayToBird({ socket, command }: Pick<BirdConfig, 'socket' | 'command'>): string {
  return command === null ? socket : command.join(' ');
}

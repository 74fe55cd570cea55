/** `bird` after loading: one way to BIRD in force. */
import type { BirdConfig } from '../types/config.ts';
import { defaultBirdSocket } from './schema/bird-way.ts';
import type { ConfigFile } from './schema/root.ts';

export function resolveBird(bird: ConfigFile['bird']): BirdConfig {
  return {
    socket: bird.socket ?? defaultBirdSocket,
    command: bird.command ?? null,
    adopt: new Map(Object.entries(bird.adopt)),
    config: bird.config,
    layout: bird.layout,
    rpki: bird.rpki ?? null,
  };
}

/** A BIRD view made up for tests of the core, from the up and down of each protocol. */
import type { BirdSeen, ProtocolSeen, ProtocolState } from '../../src/types/bird-view.ts';
import { instant } from '../../src/types/units.ts';

export interface Shown {
  readonly state: ProtocolState;
  readonly message?: string;
  readonly description?: string;
  /** BIRD's time in ms; BIRD was configured at 1000. */
  readonly sinceMillis?: number;
  readonly info?: string;
}

export const configuredAt = 1000;

export function birdShowing(
  protocols: Readonly<Record<string, Shown>>,
  more: Partial<BirdSeen> = {},
): BirdSeen {
  return {
    kind: 'seen',
    readAt: instant(0),
    version: '2.0.12',
    serverMillis: 100_000,
    bootMillis: configuredAt,
    configuredMillis: configuredAt,
    running: true,
    protocols: new Map(
      Object.entries(protocols).map(([name, shown]) => [name, protocolShowing(name, shown)]),
    ),
    ...more,
  };
}

function protocolShowing(name: string, shown: Shown): ProtocolSeen {
  return {
    name,
    proto: name.startsWith('bgp_') ? 'BGP' : name.startsWith('learn_') ? 'Pipe' : 'Static',
    state: shown.state,
    sinceMillis: shown.sinceMillis ?? configuredAt,
    info: shown.info ?? (name.startsWith('bgp_') && shown.state === 'up' ? 'Established' : ''),
    description: shown.description ?? null,
    message: shown.message ?? null,
    channels: [],
  };
}

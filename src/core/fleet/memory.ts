/**
 * What one node knows of its fleet: the other nodes as they were heard, the master of Redis as it was met, and the tokens
 * that were given. Plain data; every time in it is this node's own monotonic one, never anybody's wall time.
 */
import type { Instant } from '../../types/units.ts';
import type { Presence } from '../../types/wire/node-to-fleet.ts';

/** The few words that a node says with each publication. */
export interface Beat {
  readonly node: string;
  readonly epoch: number;
  readonly seq: number;
  /** The seq at which its presence last changed. */
  readonly content: number;
  /** How old its presence was by its own clock. */
  readonly ageMillis: number;
}

/** Another node. */
export interface Heard {
  readonly beat: Beat;
  /** When its epoch or seq was last seen to go on; null: it was seen once, and may have lain there for long. */
  readonly advancedAt: Instant | null;
  /** Since when it has been known, or silent. */
  readonly since: Instant;
  /** Its presence, of whatever content; null: not read yet. */
  readonly presence: Presence | null;
}

/** The connection to Redis, as far as decisions rest on it. */
export interface LinkMemory {
  /** Process, replication history and data of the master that answers; null: none has yet. */
  readonly master: string | null;
  /** Since when it has been this one. */
  readonly masterSince: Instant | null;
  /** Since when every cycle has both published and read. */
  readonly goodSince: Instant | null;
  readonly lastGood: Instant | null;
  /** Why the last cycle failed; null: it did not. */
  readonly trouble: string | null;
  /** When another daemon was last seen to speak under this node's name. */
  readonly namesakeAt: Instant | null;
}

/** A token as this node holds it. */
export interface Token {
  /** The master that gave it. */
  readonly master: string;
  /** When it was last asked for with success: the time of the question, not of the answer. */
  readonly at: Instant;
  /** False: it only says that this node is out. */
  readonly granted: boolean;
}

/** Why the last question about a group was not answered with a token. */
export interface Refusal {
  readonly at: Instant;
  readonly text: string;
}

export interface FleetMemory {
  readonly nodes: ReadonlyMap<string, Heard>;
  readonly link: LinkMemory;
  /** By groupKey. */
  readonly tokens: ReadonlyMap<string, Token>;
  /** groupKeys of tokens that may stand in Redis, whatever is known here. */
  readonly maybeHeld: ReadonlySet<string>;
  readonly refusals: ReadonlyMap<string, Refusal>;
}

export const emptyFleetMemory: FleetMemory = {
  nodes: new Map(),
  link: {
    master: null,
    masterSince: null,
    goodSince: null,
    lastGood: null,
    trouble: 'not reached yet',
    namesakeAt: null,
  },
  tokens: new Map(),
  maybeHeld: new Set(),
  refusals: new Map(),
};

/** What the config says of the fleet, as this node uses it. */
export interface FleetRules {
  readonly node: string;
  readonly site: string;
  readonly keepNodes: number;
  /** Whether keepNodes is to be met within the site as well. */
  readonly perSite: boolean;
  readonly expireMillis: number;
  readonly lifeMillis: number;
  /** Nodes that may leave a group within the window. */
  readonly leavers: number;
  readonly windowMillis: number;
}

/**
 * Which BGP sessions are up, and which are surely down: not for a moment, and not because BIRD has just started. One that
 * BFD, its hold timer or the loss of its link ended is so at once.
 */
import type { BirdView, ProtocolSeen } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import type { SessionFact } from '../core/decide/member.ts';
import { uplinkKey } from '../types/keys.ts';
import type { Override } from '../types/override.ts';
import { sessionName } from '../types/protocol-names.ts';
import { families, type Family, type Instant, instant } from '../types/units.ts';

/** A restart of BIRD or a reset takes a session down for some seconds. */
const surelyMillis = 10_000;

/** Since when each session is seen down; by uplinkKey. */
export type SessionMemory = ReadonlyMap<string, Instant>;

export interface SessionFacts {
  /** uplinkKeys over which a default is learnt, or may be for all that is known. */
  readonly usableDefaults: ReadonlySet<string>;
  readonly facts: ReadonlyMap<string, SessionFact>;
  readonly memory: SessionMemory;
}

export function sessionFacts(
  config: NodeConfig,
  view: BirdView,
  overrides: readonly Override[],
  before: SessionMemory,
  now: Instant,
): SessionFacts {
  const facts = new Map<string, SessionFact>();
  const memory = new Map<string, Instant>();
  const usableDefaults = new Set<string>();
  for (const { name, source } of config.uplinks) {
    for (const family of families.filter((one) => source[one] !== undefined)) {
      const key = uplinkKey(name, family);
      const shown = view.kind === 'seen' ? view.protocols.get(sessionName(name, family)) : undefined;
      const byHand = overrides.some(
        ({ subject }) => subject.kind === 'session' && subject.uplink === name && subject.family === family,
      );
      if (shown === undefined) facts.set(key, 'unknown');
      else if (isUp(shown)) facts.set(key, 'up');
      else {
        const isLost = shown.lostBy !== undefined && othersUp(config, view, name, family);
        const since = isLost ? instant(now - surelyMillis) : (before.get(key) ?? now);
        memory.set(key, since);
        facts.set(key, byHand || now - since >= surelyMillis ? 'down' : 'unknown');
      }
      const imported = shown?.channels.find((channel) => channel.family === family)?.imported ?? null;
      if (facts.get(key) !== 'down' && !(facts.get(key) === 'up' && imported === 0)) usableDefaults.add(key);
    }
  }
  return { facts, usableDefaults, memory };
}

function isUp({ state, info }: ProtocolSeen): boolean {
  return state === 'up' && info === 'Established';
}

/**
 * Where BIRD itself found a neighbour gone, nothing more is waited for, as long as another uplink's session is
 * up: a machine that stood still loses all of them by the same words.
 */
function othersUp(config: NodeConfig, view: BirdView, but: string, family: Family): boolean {
  if (view.kind !== 'seen') return false;
  return config.uplinks.some(({ name }) => {
    const shown = view.protocols.get(sessionName(name, family));
    return name !== but && shown !== undefined && isUp(shown);
  });
}

/**
 * What maintenance, the boot and readiness take away: the most that they leave of an announcement. They never give; a
 * failed uplink is withdrawn in a drain window too. Maintenance stands above the boot, the boot above readiness.
 *
 *   maintenance window                          drain or withdraw, as it says; the lesser of several
 *   booting, and not ready since                withdraw
 *   not ready, no fleet configured              services.*.alone
 *   not ready, the fleet consents               drain, then withdraw
 *   not ready, no consent or no answer          drain, held: no-consent
 *   not ready, and withdrawn already            withdraw: no return comes before readiness
 */
import type { Service } from '../../types/config.ts';
import type { FleetWord } from '../../types/fleet-word.ts';
import type { Override } from '../../types/override.ts';
import type { ReadinessFact } from '../../types/readiness.ts';
import type { AnnounceState, WishReason } from '../../types/wire/enums.ts';
import type { Held } from '../../types/wish.ts';
import { bootWords, notReadyWords } from '../ready/words.ts';
import { drawsMore } from './attraction.ts';
import type { Readied } from './memory.ts';

export interface Ceiling {
  readonly state: AnnounceState;
  readonly reason: WishReason;
  readonly text: string;
  readonly author: string;
  readonly held: Held | null;
}

/** The author of overrides that maintenance windows make. */
export const maintenanceAuthor = 'maintenance';

/** What a check has said until now; `unknown` says nothing. */
export function noteReadiness(before: Readied | undefined, fact: ReadinessFact): Readied | undefined {
  switch (fact.state) {
    case 'unknown':
      return before;
    case 'ready':
      return { ready: true, once: true };
    case 'not-ready':
      return { ready: false, once: before?.once ?? false };
  }
}

/** Of the windows that are open for an announcement. */
export function maintenanceCeiling(windows: readonly Override[]): Ceiling | null {
  const least = windows.reduce<Override | null>(
    (found, one) => (found === null || isLesser(one, found) ? one : found),
    null,
  );
  if (least === null) return null;
  const text = `${least.state} for maintenance: ${least.reason}`;
  return { state: least.state, reason: 'maintenance', text, author: least.author, held: null };
}

/** Equal ones by their words, whatever the order of the list. */
function isLesser(one: Override, other: Override): boolean {
  if (one.state !== other.state) return drawsMore(other.state, one.state);
  return `${one.at} ${one.reason}` < `${other.at} ${other.reason}`;
}

/** Of a service with a check. `was`: the state until now. */
export function readinessCeiling(
  service: Service,
  fact: ReadinessFact,
  readied: Readied | undefined,
  booting: boolean,
  fleet: FleetWord | undefined | null,
  was: AnnounceState,
): Ceiling | null {
  if (booting && readied?.once !== true) {
    const text = `${bootWords}: ${fact.text}`;
    return { state: 'withdraw', reason: 'booting', text, author: 'causeway', held: null };
  }
  if (readied?.ready !== false) return null;
  const text = `${notReadyWords}${fact.text}`;
  const made = { reason: 'not-ready', text, author: 'causeway' } as const;
  if (was === 'withdraw') return { ...made, state: 'withdraw', held: null };
  if (fleet === null) return { ...made, state: service.alone, held: null };
  if (fleet?.consent === 'given') {
    return { ...made, state: was === 'drain' ? 'withdraw' : 'drain', held: null };
  }
  const why = fleet?.text ?? 'the fleet was not heard';
  const held = {
    guard: 'no-consent',
    text: `drained until the fleet consents: ${why}`,
    until: null,
  } as const;
  return { ...made, state: 'drain', text: `${text}; ${held.text}`, held };
}

/** The one that leaves less; of equal ones the first. */
export function lowest(ceilings: readonly (Ceiling | null)[]): Ceiling | null {
  return ceilings.reduce<Ceiling | null>((found, one) => {
    if (one === null || found === null) return found ?? one;
    return drawsMore(found.state, one.state) ? one : found;
  }, null);
}

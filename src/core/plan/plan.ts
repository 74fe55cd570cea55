/**
 * The steps from what BIRD shows to what is wished; none where they agree. Steps of one announcement are ordered so
 * that no better route flashes up on the way (drain before announce on the way out of withdrawn, announce before the
 * drain goes), and the steps of a group so that a repair is announced before anything leaves.
 */
import type { BirdSeen, ProtocolSeen } from '../../types/bird-view.ts';
import { announceName, drainName, learnName, sessionName } from '../../types/protocol-names.ts';
import type { AnnouncementWish, Wish } from '../../types/wish.ts';
import type { ProtocolWish } from './protocols.ts';

/**
 * withdraw, drain and avoid never wait for a disk; a return never precedes its file. avoid is a pipe of learnt routes,
 * which goes just before the announcements.
 */
export type StepPurpose = 'return' | 'avoid' | 'withdraw' | 'drain';

export interface Step {
  readonly command: 'enable' | 'disable';
  readonly protocol: string;
  readonly message: string;
  readonly purpose: StepPurpose;
  /** `web4`: a withdrawal of a group waits for the returns of its group that stand before it. */
  readonly group: string;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** Protocols of the config that BIRD does not have. */
  readonly missing: readonly string[];
}

export function plan(wish: Wish, protocols: ReadonlyMap<string, ProtocolWish>, seen: BirdSeen): Plan {
  const planned = wish.announcements.map((one) => ({ one, steps: announcementSteps(one, protocols, seen) }));
  const pipes = wish.egress.flatMap(({ uplink, family, state }) =>
    switchTo(
      learnName(uplink, family),
      protocols,
      seen,
      state === 'use' ? 'return' : 'avoid',
      `${uplink}${family}`,
    ),
  );
  const sessions = wish.egress.flatMap(({ uplink, family }) =>
    switchTo(sessionName(uplink, family), protocols, seen, 'return', `${uplink}${family}`),
  );
  const leaving = new Set(
    planned.flatMap(({ steps }) => steps.filter((s) => s.purpose === 'withdraw').map((s) => s.group)),
  );
  const rank = (step: Step): number => rankOf(step, leaving);
  const unsettled = unsettledGroups(wish, protocols, seen);
  const steps = [...planned.flatMap((one) => one.steps), ...pipes, ...sessions]
    .filter(({ purpose, group }) => purpose !== 'withdraw' || !unsettled.has(group))
    .toSorted((one, other) => rank(one) - rank(other));
  const missing = [...protocols.keys()].filter((name) => !seen.protocols.has(name));
  return { steps, missing };
}

/** Groups of which a return waits for a protocol that is going down: nothing leaves them meanwhile. */
function unsettledGroups(
  wish: Wish,
  protocols: ReadonlyMap<string, ProtocolWish>,
  seen: BirdSeen,
): ReadonlySet<string> {
  const waiting = wish.announcements.filter(({ uplink, service, family }) =>
    [announceName(uplink, service, family), drainName(uplink, service, family)].some(
      (name) => protocols.get(name)?.up === true && isGoingDown(seen.protocols.get(name)),
    ),
  );
  return new Set(waiting.map(({ service, family }) => `${service}${family}`));
}

/** A return of a group from which something leaves comes first, any other one last. */
function rankOf({ purpose, group }: Step, leaving: ReadonlySet<string>): number {
  switch (purpose) {
    case 'return':
      return leaving.has(group) ? 0 : 4;
    case 'avoid':
      return 1;
    case 'withdraw':
      return 2;
    case 'drain':
      return 3;
  }
}

function announcementSteps(
  wish: AnnouncementWish,
  protocols: ReadonlyMap<string, ProtocolWish>,
  seen: BirdSeen,
): readonly Step[] {
  const announce = announceName(wish.uplink, wish.service, wish.family);
  const drain = drainName(wish.uplink, wish.service, wish.family);
  const group = `${wish.service}${wish.family}`;
  const order = wish.state === 'drain' ? [drain, announce] : [announce, drain];
  const purpose = purposeOf(wish, isUp(seen.protocols.get(announce)), isUp(seen.protocols.get(drain)));
  return order.flatMap((name) => switchTo(name, protocols, seen, purpose, group));
}

/** By what the carrier gets now: a drain of what is withdrawn is a return. */
function purposeOf(wish: AnnouncementWish, announceUp: boolean, drainUp: boolean): StepPurpose {
  switch (wish.state) {
    case 'withdraw':
      return 'withdraw';
    case 'drain':
      return announceUp || drainUp ? 'drain' : 'return';
    case 'announce':
      return 'return';
  }
}

function switchTo(
  name: string,
  protocols: ReadonlyMap<string, ProtocolWish>,
  seen: BirdSeen,
  purpose: StepPurpose,
  group: string,
): readonly Step[] {
  const wished = protocols.get(name);
  const shown = seen.protocols.get(name);
  if (wished === undefined || shown === undefined || isUp(shown) === wished.up) return [];
  if (isGoingDown(shown)) return [];
  return [
    { command: wished.up ? 'enable' : 'disable', protocol: name, message: wished.message, purpose, group },
  ];
}

/** Somebody takes it down just now; whose hand that is shows when it is down. A matter of milliseconds. */
function isGoingDown(shown: ProtocolSeen | undefined): boolean {
  return shown !== undefined && (shown.state === 'stop' || shown.state === 'flush');
}

/** Whether a protocol is switched on, whatever became of it: a BGP session that is still connecting is. */
export function isUp(shown: ProtocolSeen | undefined): boolean {
  return shown !== undefined && (shown.state === 'up' || shown.state === 'start');
}

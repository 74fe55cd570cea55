/**
 * The interface and source address that an uplink's probes leave by, watched so that a fault of our own machine is
 * seen before the silence that it causes is taken for the carrier's.
 *
 *   fit ──(interface gone, down, re-created; address gone)──▶ unfit ──(looked at again)──▶ fit
 *
 * Looking is cheap, so there is no event to miss: it is done again when the last look is older than the caller allows.
 */
import type { Family, Instant } from '../src/types/units.ts';
import type { NotRun } from './flight.ts';
import { notRun } from './flight.ts';
import { type Footing, inspectFooting } from './socket/interface.ts';

export interface WayOut {
  readonly uplink: string;
  readonly interface: string;
  readonly source: string;
  readonly family: Family;
  /** The state at `now`, looked up again if the last look is older than `maxAgeMillis`. */
  footing(now: Instant, maxAgeMillis: number): Footing;
  /** The next question looks again, whatever the age. */
  forget(): void;
  /** Called with the fault when everything that was opened before is dead. */
  onBroken(listener: (fault: NotRun) => void): void;
}

/** How often a fit or unfit one is looked at in passing. */
export const routineAgeMillis = 500;
/** How old a look may be when a loss hangs on it. */
export const strictAgeMillis = 100;

export interface WayOutOptions {
  readonly uplink: string;
  readonly interface: string;
  readonly source: string;
  readonly family: Family;
}

/** `inspect` is the kernel's word; tests may give another one. */
export function makeWayOut(options: WayOutOptions, inspect: typeof inspectFooting = inspectFooting): WayOut {
  const listeners: ((fault: NotRun) => void)[] = [];
  let last: { readonly at: Instant; readonly footing: Footing } | null = null;
  let stale = true;
  const look = (now: Instant): Footing => {
    const footing = inspect(options.interface, options.family, options.source);
    const fault = last === null ? null : faultBetween(last.footing, footing);
    last = { at: now, footing };
    stale = false;
    if (fault !== null) for (const listener of listeners) listener(fault);
    return footing;
  };
  return {
    ...options,
    footing: (now, maxAgeMillis) => {
      if (last === null || stale || now - last.at > maxAgeMillis) return look(now);
      return last.footing;
    },
    forget: () => {
      stale = true;
    },
    onBroken: (listener) => {
      listeners.push(listener);
    },
  };
}

function faultBetween(before: Footing, after: Footing): NotRun | null {
  if (before.kind === 'unfit') return null;
  if (after.kind === 'unfit') return notRun(after.why, after.errno);
  return before.index === after.index ? null : notRun('interface-missing', 'ENODEV');
}

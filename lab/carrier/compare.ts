/** Whether a carrier's view is still what it was. */
import { isDeepStrictEqual } from 'node:util';
import { families } from '../../src/types/units.ts';
import type { CarrierView } from './observer.ts';

/** The same sessions since the same time, the same counts of UPDATEs, the same routes. */
export function sameView(now: CarrierView, before: CarrierView): boolean {
  return (
    sameSessions(now, before) &&
    families.every((family) => isDeepStrictEqual(now.routes[family], before.routes[family]))
  );
}

/** The same sessions since the same time, with the same counts of UPDATEs. */
export function sameSessions(now: CarrierView, before: CarrierView): boolean {
  return families.every((family) => {
    const [is, was] = [now.sessions[family], before.sessions[family]];
    return sameTime(is.since, was.since) && isDeepStrictEqual({ ...is, since: '' }, { ...was, since: '' });
  });
}

/** BIRD computes the wall time of Since anew for each reply, and rounds it: it wavers by a millisecond. */
export function sameTime(a: string, b: string): boolean {
  return Math.abs(new Date(a).getTime() - new Date(b).getTime()) <= 20;
}

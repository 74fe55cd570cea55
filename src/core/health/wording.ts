/** Pieces of the sentences that verdicts carry. */
import type { Ratio } from '../../types/units.ts';
import { unreachable } from '../../types/unreachable.ts';
import type { Subject } from './memory.ts';

/** ` on 3 targets in ID`; nothing for a single target, which the reader knows. */
export function placeText(subject: Subject): string {
  switch (subject.who.kind) {
    case 'uplink':
      return ` on ${countText(subject.streams.length, 'target')}`;
    case 'region':
      return ` on ${countText(subject.streams.length, 'target')} in ${subject.who.region}`;
    case 'target':
    case 'gateway':
      return '';
    default:
      return unreachable(subject.who);
  }
}

/** `34 %`, `0.51 %`; `unknown` where nothing was counted. */
export function percentText(share: Ratio | null): string {
  if (share === null) return 'unknown';
  const value = share * 100;
  return `${value >= 10 || value === 0 ? Math.round(value) : Number(value.toPrecision(2))} %`;
}

/** `41 ms`, `0.52 ms`; `no` where nothing was answered. */
export function rttText(millis: number | null): string {
  return millis === null ? 'no' : `${millis >= 10 ? Math.round(millis) : Number(millis.toPrecision(2))} ms`;
}

/** `1 target`, `4 targets`. */
export function countText(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/**
 * Echoes that fill the link, sent now and then and never fragmented (RFC 4821 explains the black hole they find). Their
 * loss is no loss of the path. It is a fault where they passed before: small packets still pass, users' full ones do not.
 */
import type { Sample } from '../../types/outcome.ts';
import type { Group, Stream } from './memory.ts';

/** Changed in place; belongs to one stream. */
export interface FullSize {
  /** Whether one was ever answered: a target that never answers one says nothing. */
  passed: boolean;
  lostInRow: number;
  /** Sent time of the latest; 0: none yet. */
  at: number;
}

/** Losses in a row that one burst does not explain. */
const enoughLosses = 4;
/** Targets that must agree, and their share of those that ever answered one. */
const fewestTargets = 2;
const share = 0.5;

export function newFullSize(): FullSize {
  return { passed: false, lostInRow: 0, at: 0 };
}

/** Takes one outcome; older ones than the latest, and those that did not run, say nothing. */
export function noteFullSize(full: FullSize, { sentAt, outcome }: Sample): void {
  if (outcome.kind === 'not-run' || sentAt <= full.at) return;
  full.at = sentAt;
  full.lostInRow = outcome.kind === 'lost' ? full.lostInRow + 1 : 0;
  if (outcome.kind === 'answered') full.passed = true;
}

/** How many targets no longer answer full-size echoes, of those that did; small ones they answer. */
export function fullSizeLost(group: Group): { readonly lost: number; readonly of: number } {
  const able = group.streams.filter((stream, index) => stream.full.passed && isWell(group, index));
  return { lost: able.filter(isLost).length, of: able.length };
}

/** Whether that is the uplink's fault. */
export function failsFullSize(group: Group): boolean {
  // Most plans have no such echoes lost; this is asked in every tick.
  if (!group.streams.some(isLost)) return false;
  const { lost, of } = fullSizeLost(group);
  return lost >= fewestTargets && lost >= share * of;
}

function isLost({ full }: Stream): boolean {
  return full.passed && full.lostInRow >= enoughLosses;
}

function isWell(group: Group, stream: number): boolean {
  const target = group.targetOf[stream];
  return target !== undefined && target !== null && !target.loss.bad;
}

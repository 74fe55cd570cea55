/**
 * What an uplink's own pools leave out: bad regions, and in other regions a single bad target, for these have verdicts
 * of their own. Decided ones come first; then those that look bad and may be decided soon, so that two regions
 * that die in the same second do not take the uplink before they are decided. All of it stays below the policy's
 * share, or it is the uplink's matter: then nothing of that step is left out.
 *
 * Without other regions to compare with (all targets in one region) nothing is left out but what is bad on every uplink
 * (relative.ts).
 */
import type { Policy } from '../../types/policy.ts';
import type { Group, Region, Subject } from './memory.ts';
import { type TestKind, testLooksBad } from './pool-test.ts';

/** Streams that go together, with their part of all regions' weight. */
interface Candidate {
  readonly streams: readonly number[];
  readonly weight: number;
}

/** Rounding of sums of weights: a share that is reached exactly counts as reached. */
const rounding = 1e-9;

/** Weight of a region; 1 unless the policy gives one. */
export function weightOf(policy: Policy, region: Region): number {
  return policy.regions.weights.get(region.name) ?? 1;
}

/** Whether these regions' weight is at or above the share that makes the uplink itself bad. */
export function reachesShare(group: Group, policy: Policy, bad: readonly Region[]): boolean {
  if (bad.length === 0) return false;
  return bad.reduce((sum, region) => sum + weightOf(policy, region), 0) >= limitOf(group, policy);
}

/**
 * Bad regions that count against the uplink: not one without a verdict of its own, nor one whose targets are bad on every
 * uplink.
 */
export function regionsAgainst(group: Group, kind: TestKind): readonly Region[] {
  return group.regions.filter(({ subject }) => {
    const own = subject.streams.filter((stream) => !group.blamed[kind].includes(stream));
    return subject[kind].bad && own.length >= 2;
  });
}

/** What `leftOutStreams` depends on, as text: as long as it is the same, so is the result. */
export function signsOf(group: Group, kind: TestKind): string {
  let signs = '';
  for (const { subject } of group.regions) signs += signOf(subject, kind);
  for (const subject of group.targets.values()) signs += signOf(subject, kind);
  return `${signs}${group.blamed[kind].join(',')}`;
}

/** Streams that the uplink's pools of one kind leave out now, in ascending order. */
export function leftOutStreams(group: Group, policy: Policy, kind: TestKind): readonly number[] {
  const out = new Set([...ownLeftOut(group, policy, kind), ...group.blamed[kind]]);
  return [...out].sort((a, b) => a - b);
}

function ownLeftOut(group: Group, policy: Policy, kind: TestKind): readonly number[] {
  if (group.regions.length < 2) return [];
  const decided = (subject: Subject) => isDecided(subject, kind);
  const suspect = (subject: Subject) => decided(subject) || testLooksBad(subject[kind]);
  const badRegions = regionsThat(group, policy, decided);
  if (!fits(group, policy, badRegions)) return [];
  let out = badRegions;
  for (const step of [
    // One step is all in or all out: which of them to prefer, nobody can say.
    loneTargetsThat(group, policy, decided),
    [...regionsThat(group, policy, suspect), ...loneTargetsThat(group, policy, suspect)],
  ]) {
    const more = [...step, ...out.filter((candidate) => !covers(step, candidate))];
    if (fits(group, policy, more)) out = more;
  }
  return out.flatMap((candidate) => candidate.streams);
}

/** What an uplink's pools leave out one of: regions; targets where all that count are in one region. */
export function partsWithout(
  regions: readonly Region[],
  out: readonly number[],
): readonly (readonly number[])[] {
  const parts = regions
    .map((region) => region.subject.streams.filter((stream) => !out.includes(stream)))
    .filter((streams) => streams.length > 0);
  const only = parts[0];
  return parts.length === 1 && only !== undefined ? only.map((stream) => [stream]) : parts;
}

function signOf(subject: Subject, kind: TestKind): string {
  if (isDecided(subject, kind)) return 'd';
  return testLooksBad(subject[kind]) ? 's' : '-';
}

function isDecided(subject: Subject, kind: TestKind): boolean {
  // A lost region answers too little to be judged slow; it is bad all the same.
  return subject.loss.bad || (kind === 'slow' && subject.slow.bad);
}

function targetIs(group: Group, stream: number, bad: (subject: Subject) => boolean): boolean {
  const target = group.targetOf[stream];
  return target !== undefined && target !== null && bad(target);
}

function regionsThat(group: Group, policy: Policy, bad: (subject: Subject) => boolean): readonly Candidate[] {
  return group.regions
    .filter((region) => bad(region.subject))
    .map((region) => ({ streams: region.subject.streams, weight: weightOf(policy, region) }));
}

/** Bad targets that are the only bad one of a region with others in it: a region ignores one, so does the uplink. */
function loneTargetsThat(
  group: Group,
  policy: Policy,
  bad: (subject: Subject) => boolean,
): readonly Candidate[] {
  return group.regions.flatMap((region) => {
    const { streams } = region.subject;
    if (streams.length < 2 || bad(region.subject)) return [];
    const lone = streams.filter((stream) => targetIs(group, stream, bad));
    return lone.length === 1 ? [{ streams: lone, weight: weightOf(policy, region) / streams.length }] : [];
  });
}

function covers(out: readonly Candidate[], candidate: Candidate): boolean {
  return candidate.streams.every((stream) => out.some((other) => other.streams.includes(stream)));
}

function fits(group: Group, policy: Policy, out: readonly Candidate[]): boolean {
  if (out.length === 0) return true;
  const streams = out.flatMap((candidate) => candidate.streams);
  const weight = out.reduce((sum, candidate) => sum + candidate.weight, 0);
  return weight < limitOf(group, policy) && partsWithout(group.regions, streams).length >= 2;
}

function limitOf(group: Group, policy: Policy): number {
  const all = group.regions.reduce((sum, region) => sum + weightOf(policy, region), 0);
  return policy.regions.share * all - rounding;
}

/** The sentence of a decision, made once, when a test turns bad: figures since the likeliest begin of the fault. */
import type { Evidence } from '../../types/health.ts';
import type { Policy } from '../../types/policy.ts';
import { ratio } from '../../types/units.ts';
import { unreachable } from '../../types/unreachable.ts';
import { attributionText } from './attribution.ts';
import { evidenceOf, evidenceOfLast } from './evidence.ts';
import { regionsAgainst, weightOf } from './left-out.ts';
import type { Group, Region, Subject } from './memory.ts';
import { type TestKind, testRisingFrom } from './pool-test.ts';
import { type RoundTrips, jitterLimitMillis, slowLimitMillis } from './round-trips.ts';
import { cellMillis, patienceCells } from './thresholds.ts';
import { countText, percentText, placeText, rttText } from './wording.ts';

/** A fault that rose longer ago is told by its last minute. */
const longestMillis = 60_000;

/** What the subject's test has just been decided by. */
export function decisionText(
  group: Group,
  policy: Policy,
  subject: Subject,
  reason: 'loss' | 'regions' | 'latency' | 'jitter',
): string {
  const slow = reason === 'latency' || reason === 'jitter';
  const cells = cellsOf(group, policy, subject, slow ? 'slow' : 'loss');
  const seconds = (cells * cellMillis(policy)) / 1000;
  const evidence = evidenceOfLast(group, policy, subject, cells);
  switch (reason) {
    case 'loss': {
      const targets = badTargetsText(subject, evidence);
      const where = attributionText(group, policy, subject);
      return `loss ${percentText(evidence.loss)}${targets} in ${seconds} s${where}`;
    }
    case 'latency':
      return `${rttText(evidence.rttP50Millis)} median, limit ${rttText(slowLimit(group, policy, subject))}${placeText(subject)}`;
    case 'jitter': {
      const limit = rttText(limitOf(group, subject, (trips) => jitterLimitMillis(trips, policy)));
      return `round trips jump by more than ${limit} at a median of ${rttText(evidence.rttP50Millis)}${placeText(subject)}`;
    }
    case 'regions':
      return regionsText(group, policy);
    default:
      return unreachable(reason);
  }
}

/** Closed cells since the fault began, at least those of the patience. */
function cellsOf(group: Group, policy: Policy, subject: Subject, kind: TestKind): number {
  const since = group.ring.nextClose - testRisingFrom(subject[kind]);
  const most = Math.ceil(longestMillis / cellMillis(policy));
  return Math.min(Math.max(since, patienceCells(policy), 1), most);
}

function badTargetsText(subject: Subject, evidence: Evidence): string {
  const many = ` on ${evidence.badTargets} of ${countText(evidence.targets, 'target')}`;
  switch (subject.who.kind) {
    case 'uplink':
      return many;
    case 'region':
      return `${many} in ${subject.who.region}`;
    case 'target':
    case 'gateway':
      return '';
    default:
      return unreachable(subject.who);
  }
}

/** Which of the two made an answer slow: where the median is within the limit, its jumps did. */
export function slowReason(group: Group, policy: Policy, subject: Subject): 'latency' | 'jitter' {
  if (policy.jitter === undefined) return 'latency';
  const { rttP50Millis } = evidenceOf(group, policy, subject);
  return (rttP50Millis ?? 0) > slowLimit(group, policy, subject) ? 'latency' : 'jitter';
}

/** The lowest limit among the subject's targets. */
function slowLimit(group: Group, policy: Policy, subject: Subject): number {
  return limitOf(group, subject, (trips) => slowLimitMillis(trips, policy));
}

function limitOf(group: Group, subject: Subject, of: (trips: RoundTrips) => number): number {
  return Math.min(...subject.streams.flatMap((one) => group.streams[one]?.trips ?? []).map(of));
}

function regionsText(group: Group, policy: Policy): string {
  const failed = regionsAgainst(group, 'loss');
  const weight = (regions: readonly Region[]) =>
    regions.reduce((sum, region) => sum + weightOf(policy, region), 0);
  const share = ratio(Math.min(1, weight(failed) / Math.max(weight(group.regions), Number.MIN_VALUE)));
  const names = failed.map((region) => region.name).join(', ');
  const many = `${failed.length} of ${group.regions.length} regions failed (${names})`;
  return `${many}: share ${percentText(share)}, limit ${percentText(policy.regions.share)}`;
}

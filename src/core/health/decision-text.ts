/** The sentence of a decision, made once, when a test turns bad: figures since the likeliest begin of the fault. */
import type { Evidence } from '../../types/health.ts';
import type { Policy } from '../../types/policy.ts';
import { ratio } from '../../types/units.ts';
import { unreachable } from '../../types/unreachable.ts';
import { evidenceOfLast } from './evidence.ts';
import { weightOf } from './left-out.ts';
import type { Group, Region, Subject } from './memory.ts';
import { type TestKind, testLooksBad, testRisingFrom } from './pool-test.ts';
import { cellMillis, patienceCells } from './thresholds.ts';
import { countText, percentText, placeText, rttText } from './wording.ts';

/** A fault that rose longer ago is told by its last minute. */
const longestMillis = 60_000;

/** What the subject's test has just been decided by. */
export function decisionText(
  group: Group,
  policy: Policy,
  subject: Subject,
  reason: 'loss' | 'regions' | 'latency',
): string {
  const cells = cellsOf(group, policy, subject, reason === 'latency' ? 'slow' : 'loss');
  const seconds = (cells * cellMillis(policy)) / 1000;
  const evidence = evidenceOfLast(group, policy, subject, cells);
  switch (reason) {
    case 'loss': {
      const targets = badTargetsText(subject, evidence);
      return `loss ${percentText(evidence.loss)}${targets} in ${seconds} s${gatewayText(group, subject)}`;
    }
    case 'latency':
      return `${rttText(evidence.rttP50Millis)} median, limit ${policy.latency.badMillis} ms${placeText(subject)}`;
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

/** Tells an uplink's fault near us from one beyond the carrier's next hop. */
function gatewayText(group: Group, subject: Subject): string {
  const { gateway } = group;
  if (subject.who.kind !== 'uplink' || gateway === null || gateway.observedFrom === null) return '';
  return gateway.loss.bad || testLooksBad(gateway.loss) ? ', gateway is lost too' : ', gateway answers';
}

function regionsText(group: Group, policy: Policy): string {
  const failed = group.regions.filter(
    (region) => region.subject.loss.bad && region.subject.streams.length >= 2,
  );
  const weight = (regions: readonly Region[]) =>
    regions.reduce((sum, region) => sum + weightOf(policy, region), 0);
  const share = ratio(Math.min(1, weight(failed) / Math.max(weight(group.regions), Number.MIN_VALUE)));
  const names = failed.map((region) => region.name).join(', ');
  const many = `${failed.length} of ${group.regions.length} regions failed (${names})`;
  return `${many}: share ${percentText(share)}, limit ${percentText(policy.regions.share)}`;
}

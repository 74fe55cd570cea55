/** The sentence of a verdict, made when the verdict changes. */
import type { HealthReason } from '../../types/wire/enums.ts';
import type { Policy } from '../../types/policy.ts';
import { type Instant, elapsed } from '../../types/units.ts';
import { unreachable } from '../../types/unreachable.ts';
import { evidenceOfLast } from './evidence.ts';
import { fullSizeLost } from './full-size.ts';
import type { Group, Subject } from './memory.ts';
import { cellMillis, evidenceCells, firstWindowMillis } from './thresholds.ts';
import { countText, percentText, placeText, rttText } from './wording.ts';

/** One sentence for a verdict that has just changed; of a decided fault, the sentence of its decision. */
export function textOf(
  group: Group,
  policy: Policy,
  subject: Subject,
  reason: HealthReason,
  now: Instant,
): string {
  switch (reason) {
    case 'too-few-samples':
      return `${countText(subject.streams.length, 'target')}, a verdict takes ${subject.targetsNeeded}`;
    case 'first-window':
      return `measuring: the first verdict takes ${firstWindowMillis(policy, group) / 1000} s`;
    case 'not-run':
      return notRunText(group, subject);
    case 'prober-silent':
      return silentText(group, subject, now);
    case 'healthy':
    case 'recovering': {
      const { loss, rttP50Millis } = evidenceOfLast(group, policy, subject, cleanCells(policy));
      // After a silence the verdict stands again with the first outcome, before a cell is closed.
      if (loss === null) return `measured again${placeText(subject)}`;
      return `loss ${percentText(loss)}, ${rttText(rttP50Millis)} median${placeText(subject)}`;
    }
    case 'loss':
    case 'regions':
      return subject.why.loss;
    case 'latency':
    case 'jitter':
      return subject.why.slow;
    case 'mtu': {
      const { lost, of } = fullSizeLost(group);
      return `packets of full size no longer reach ${lost} of ${countText(of, 'target')}, small ones do`;
    }
    case 'link-down':
      return `interface ${group.interface} is down`;
    default:
      return unreachable(reason);
  }
}

/** Closed cells that a healthy verdict rests on: what was measured before it was clean is not of it. */
function cleanCells(policy: Policy): number {
  const clean = Math.floor(policy.recovery.cleanMillis / cellMillis(policy));
  return Math.max(1, Math.min(clean, evidenceCells(policy)));
}

function notRunText(group: Group, subject: Subject): string {
  const reasons = new Set(subject.streams.flatMap((stream) => group.streams[stream]?.lastNotRunWhy ?? []));
  const why = [...reasons].sort().join(', ');
  return `no probe could be sent on ${group.interface}${why === '' ? '' : `: ${why}`}`;
}

function silentText(group: Group, subject: Subject, now: Instant): string {
  const times = subject.streams.flatMap((stream) => group.streams[stream]?.lastCountedAt ?? []);
  if (times.length === 0) return 'no outcome from the prober yet';
  const last = times.reduce((a, b) => (a > b ? a : b));
  return `no outcome from the prober for ${Math.round(elapsed(last, now) / 1000)} s`;
}

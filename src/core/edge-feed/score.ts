/** How clean an uplink is, as one number for the edge: it chooses among nodes that have the carrier up. */
import type { Verdict } from '../../types/health.ts';
import type { Policy } from '../../types/policy.ts';

/** What the loss at which the policy acts takes away, and the latency at which it does. */
const lossWeight = 60;
const latencyWeight = 30;
/** A degraded uplink is worse than any healthy one. */
const mostDegraded = 40;

/**
 * 0 (useless) to 100 (clean). Loss and the 95th percentile of round trips count in proportion to what the policy calls
 * bad. A failed uplink has 0; of an unknown one without figures nothing is taken away.
 */
export function scoreOf({ health, evidence }: Verdict, { loss, latency }: Policy): number {
  if (health === 'failed') return 0;
  const share = (value: number | null, bad: number): number =>
    value === null || bad <= 0 ? 0 : Math.min(1, value / bad);
  const lost = lossWeight * share(evidence.loss, loss.bad);
  const slow = latencyWeight * share(evidence.rttP95Millis, latency.badMillis);
  const score = Math.round(100 - lost - slow);
  return health === 'degraded' ? Math.min(mostDegraded, score) : score;
}

/** A score moves only by this much, so that a breath of jitter is no news to a whole fleet. */
const steadyStep = 5;

/** The score to tell: the last one, until it is clearly another. `last`: null where none was told. */
export function steadyScore(last: number | null, score: number): number {
  const isNews = last === null || score === 0 || last === 0 || Math.abs(score - last) >= steadyStep;
  return isNews ? score : last;
}

/**
 * From the operator's policy to the limits of the detectors (Page's CUSUM on Bernoulli trials).
 * A bad probe adds ln(p1/p0), a good one adds ln((1-p1)/(1-p0)), which is negative; the sum stops at 0 and alarms at
 * `limit`. Between false alarms lie about e^limit / |drift| probes, where drift is the mean score of a probe while
 * all is normal (Siegmund, Sequential Analysis, 1985, ch. 2), so limit = ln(probes in the budget of time · |drift|).
 * That holds for independent losses; real ones come in bursts, which is what the cap of a cell is for.
 */
import type { ProbePolicy } from '../../types/config.ts';
import type { Policy } from '../../types/policy.ts';
import { type Millis, millis } from '../../types/units.ts';

/** Of one detector; scores are natural logarithms of likelihood ratios. */
export interface TestLimits {
  /** Added by a bad probe. */
  readonly badScore: number;
  /** Added by a good probe; negative. */
  readonly goodScore: number;
  /** The score that is an alarm. */
  readonly limit: number;
  /** The most that one cell adds: limit / cells of patience; Infinity without patience. */
  readonly cellCap: number;
  /** A score above this holds about one full bad cell: more than noise. */
  readonly noise: number;
  /** A share of bad probes below this is compatible with good: the geometric mean of good and bad. */
  readonly cleanRatio: number;
}

/** Of a pool of targets: for lost probes, and for slow ones among the answered. */
export interface Thresholds {
  readonly loss: TestLimits;
  readonly slow: TestLimits;
}

/** Shares of slow answers that are normal and that are a fault; what is slow is the policy's `latency`. */
const slowShares = { good: 0.05, bad: 0.5 };
/** Cells that a bad run must look like where patience asks for none. */
const impatientNoiseCells = 5;
/** Part of a full bad cell that is still taken for one. */
const noiseShare = 0.9;

/** Length of a cell: a second, or 100 ms where the patience is shorter than a second. */
export function cellMillis(policy: Policy): Millis {
  return millis(policy.patienceMillis >= 1000 ? 1000 : 100);
}

/** Bad cells that an alarm takes, however certain the fault is; 0: no such bound. */
export function patienceCells(policy: Policy): number {
  return Math.ceil(policy.patienceMillis / cellMillis(policy));
}

/** Cells that the evidence covers: the patience, or 10 s where that is shorter. */
export function evidenceCells(policy: Policy): number {
  return Math.ceil(Math.max(policy.patienceMillis, 10_000) / cellMillis(policy));
}

/** How long an uplink is measured before its first verdict: patience + timeout + 1 s. */
export function firstWindowMillis(policy: Policy, probe: Pick<ProbePolicy, 'timeoutMillis'>): Millis {
  return millis(policy.patienceMillis + probe.timeoutMillis + 1000);
}

/** The limits for a pool that is probed `ratePerSecond` times a second in all. */
export function thresholds(policy: Policy, ratePerSecond: number): Thresholds {
  return {
    loss: testLimits(policy, policy.loss.good, policy.loss.bad, ratePerSecond),
    slow: testLimits(policy, slowShares.good, slowShares.bad, ratePerSecond),
  };
}

function testLimits(policy: Policy, good: number, bad: number, ratePerSecond: number): TestLimits {
  // Shares of exactly 0 or 1 have no logarithm.
  const p0 = Math.min(Math.max(good, 1e-6), 0.99);
  const p1 = Math.min(Math.max(bad, p0 * 1.01), 0.999);
  const badScore = Math.log(p1 / p0);
  const goodScore = Math.log((1 - p1) / (1 - p0));
  const drift = Math.abs(p0 * badScore + (1 - p0) * goodScore);
  const probes = (policy.falseAlarmMillis / 1000) * ratePerSecond;
  const limit = Math.max(badScore, Math.log(Math.max(probes * drift, 1)));
  const patience = patienceCells(policy);
  return {
    badScore,
    goodScore,
    limit,
    cellCap: patience > 0 ? limit / patience : Infinity,
    noise: (noiseShare * limit) / (patience > 0 ? patience : impatientNoiseCells),
    cleanRatio: Math.sqrt(p0 * p1),
  };
}

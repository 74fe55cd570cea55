/** What is wrong on a simulated carrier, where and when; and what users feel of it. */
import type { Policy } from '../../types/policy.ts';
import type { ProbeTask } from '../../types/outcome.ts';

export interface Fault {
  /** For the timeline: `cmi: everything dead`. */
  readonly text: string;
  /** Whose traffic it takes; null: every one. */
  readonly uplink: string | null;
  readonly region: string | null;
  /** A target's own fault: its probes suffer, users do not. */
  readonly target: string | null;
  readonly fromMillis: number;
  readonly toMillis: number;
  /** Share of packets that are lost, so long after its beginning. */
  readonly loss: (sinceMillis: number) => number;
  /** Added to each round trip. */
  readonly addedMillis: number;
}

/** The share of a task's probes that is lost, and what is added to the others' round trips. */
export function suffers(
  faults: readonly Fault[],
  task: Pick<ProbeTask, 'uplink' | 'region' | 'target' | 'class'>,
  atMillis: number,
): { readonly loss: number; readonly addedMillis: number } {
  let passes = 1;
  let addedMillis = 0;
  for (const fault of faults) {
    if (atMillis < fault.fromMillis || atMillis >= fault.toMillis || !isHit(fault, task)) continue;
    passes *= 1 - fault.loss(atMillis - fault.fromMillis);
    addedMillis += fault.addedMillis;
  }
  return { loss: 1 - passes, addedMillis };
}

/** Faults lie behind the carrier's gateway, which goes on answering. */
function isHit(fault: Fault, task: Pick<ProbeTask, 'uplink' | 'region' | 'target' | 'class'>): boolean {
  return (
    task.class === 'target' &&
    (fault.uplink === null || fault.uplink === task.uplink) &&
    (fault.region === null || fault.region === task.region) &&
    (fault.target === null || fault.target === task.target)
  );
}

export interface Users {
  readonly uplink: string;
  readonly regions: readonly string[];
}

/**
 * The weighted share of regions whose users have bad service over the uplink, by the policy's own limits. Targets'
 * own faults do not count: no user is behind them.
 */
export function badShare(faults: readonly Fault[], users: Users, policy: Policy, atMillis: number): number {
  const ofCarriers = faults.filter(({ target }) => target === null);
  let bad = 0;
  let all = 0;
  for (const region of users.regions) {
    const weight = policy.regions.weights.get(region) ?? 1;
    const task = { uplink: users.uplink, region, target: '', class: 'target' } as const;
    const { loss, addedMillis } = suffers(ofCarriers, task, atMillis);
    all += weight;
    if (loss >= policy.loss.bad || addedMillis > policy.latency.badMillis) bad += weight;
  }
  return all === 0 ? 0 : bad / all;
}

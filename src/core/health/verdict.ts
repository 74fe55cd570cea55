/**
 * From the tests to the verdict that is shown. The first line that fits wins:
 *
 *     uplink: interface is missing            unknown   not-run
 *     uplink: interface is down               failed    link-down      (no window, no patience)
 *     fewer targets than a verdict takes      unknown   too-few-samples
 *     nothing counted for 2 s + timeout       unknown   not-run | prober-silent
 *     observed for less than the first window unknown   first-window   (unless it had failed before a gap)
 *     loss test is bad                        failed    loss | regions | link-down
 *     slow test is bad                        degraded  latency | jitter
 *     uplink: full-size echoes stopped        degraded  mtu
 *     else                                    healthy   healthy
 *
 * Silence hides a decided fault but does not end it: when samples count again, it stands as before, and only a clean
 * run ends it. What unknown keeps announced or withdrawn is not decided here.
 */
import type { HealthReason, HealthState } from '../../types/wire/enums.ts';
import type { LinkFact, Verdict } from '../../types/health.ts';
import { type Instant, instant } from '../../types/units.ts';
import { evidenceOf } from './evidence.ts';
import { failsFullSize } from './full-size.ts';
import type { Group, HealthMemory, Subject } from './memory.ts';
import { testCleanSince, testLooksBad } from './pool-test.ts';
import { firstWindowMillis } from './thresholds.ts';

/** A line of the table. */
export interface Class {
  readonly health: HealthState;
  readonly reason: HealthReason;
}

const notRun: Class = { health: 'unknown', reason: 'not-run' };
const proberSilent: Class = { health: 'unknown', reason: 'prober-silent' };
const tooFew: Class = { health: 'unknown', reason: 'too-few-samples' };
const firstWindow: Class = { health: 'unknown', reason: 'first-window' };
const degraded = {
  latency: { health: 'degraded', reason: 'latency' },
  jitter: { health: 'degraded', reason: 'jitter' },
  mtu: { health: 'degraded', reason: 'mtu' },
} as const satisfies Record<Subject['slowBy'] | 'mtu', Class>;
const healthy: Class = { health: 'healthy', reason: 'healthy' };
const failed = {
  loss: { health: 'failed', reason: 'loss' },
  regions: { health: 'failed', reason: 'regions' },
  'link-down': { health: 'failed', reason: 'link-down' },
} as const satisfies Record<Subject['failedBy'], Class>;

/** Health and reason by the table above. */
export function classify(memory: HealthMemory, group: Group, subject: Subject, link: LinkFact): Class {
  if (link === 'missing') return notRun;
  if (link === 'down') return subject.who.kind === 'uplink' ? failed['link-down'] : notRun;
  if (subject.streams.length < subject.targetsNeeded) return tooFew;
  const silence = silenceOf(memory, group, subject);
  if (silence !== null) return silence;
  const decidedBefore = subject.failedBefore && subject.loss.bad;
  if (!decidedBefore && inFirstWindow(memory, group, subject)) return firstWindow;
  if (subject.loss.bad) return failed[subject.failedBy];
  if (subject.slow.bad) return degraded[subject.slowBy];
  return subject.who.kind === 'uplink' && failsFullSize(group) ? degraded.mtu : healthy;
}

/** The verdict as it is handed out, with the evidence of the last closed cells. */
export function verdictOf(memory: HealthMemory, group: Group, subject: Subject): Verdict {
  const { shown } = subject;
  return {
    health: shown.health,
    reason: shown.reason,
    text: shown.text,
    since: shown.since,
    cleanSince: cleanSince(memory, group, subject),
    inBadSeconds: testLooksBad(subject.loss),
    evidence: evidenceOf(group, memory.policy, subject),
  };
}

function cleanSince(memory: HealthMemory, group: Group, subject: Subject): Instant | null {
  const { health } = subject.shown;
  if (health !== 'failed' && health !== 'degraded') return null;
  const test = health === 'failed' ? subject.loss : subject.slow;
  const cell = test.bad ? testCleanSince(test, group.ring.nextClose - 1) : null;
  return cell === null ? null : instant(cell * memory.cellMillis);
}

/** Null: something was counted lately. */
function silenceOf(memory: HealthMemory, group: Group, subject: Subject): Class | null {
  const since = memory.now - group.silentMillis;
  let tried = false;
  for (const index of subject.streams) {
    const stream = group.streams[index];
    if (stream === undefined) continue;
    if ((stream.lastCountedAt ?? stream.plannedAt) >= since) return null;
    if (stream.lastNotRunAt !== null && stream.lastNotRunAt >= since) tried = true;
  }
  return tried ? notRun : proberSilent;
}

function inFirstWindow(memory: HealthMemory, group: Group, subject: Subject): boolean {
  if (subject.observedFrom === null) return true;
  const observed = memory.now - subject.observedFrom * memory.cellMillis;
  return observed < firstWindowMillis(memory.policy, group);
}

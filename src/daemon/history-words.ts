/** What happened, in the words of the history. Pure. */
import type { HandEvent } from '../core/hands/hands.ts';
import { subjectKey } from '../core/hands/subject.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Evidence, UplinkHealth } from '../types/health.ts';
import type { HistoryEvent } from '../types/history.ts';
import type { ReadinessFact } from '../types/readiness.ts';
import { elapsed, type Instant } from '../types/units.ts';
import { unreachable } from '../types/unreachable.ts';
import type { ApplyResult } from '../types/wire/apply.ts';
import type { HealthState, SeenState } from '../types/wire/enums.ts';
import type { HistoryEvidence } from '../types/wire/history.ts';
import type { AnnouncementWish, EgressWish } from '../types/wish.ts';
import type { StepResult } from './actuate.ts';
import type { FileOutcome } from './file-keeper.ts';
import type { VerdictChange } from './narrator.ts';

/** A moment by both clocks; `at` is ISO 8601. */
export interface Moment {
  readonly at: string;
  readonly now: Instant;
}

export function startedEvent({ mode, node }: NodeConfig): HistoryEvent {
  const text = `the daemon of ${node.name} started in mode ${mode}; what stands is adopted as it is`;
  return { kind: 'daemon', event: 'started', author: 'causeway', reason: 'started', text };
}

export function stoppedEvent({ onStop }: NodeConfig): HistoryEvent {
  const what = typeof onStop === 'string' ? onStop : onStop.do;
  const text = `the daemon stops (on_stop: ${what})`;
  return { kind: 'daemon', event: 'stopped', author: 'causeway', reason: 'stopped', text };
}

export function verdictEvent(change: VerdictChange, evidence: Evidence | null): HistoryEvent {
  const { uplink, family, subject, from, to, reason, text } = change;
  const figures = evidence === null ? null : figuresOf(to, evidence);
  const author = 'causeway';
  return { kind: 'verdict', uplink, family, subject, from, to, evidence: figures, author, reason, text };
}

export function readinessEvent(
  service: string,
  from: string,
  { state: to, text }: ReadinessFact,
): HistoryEvent {
  const author = 'causeway';
  return { kind: 'readiness', service, from, to, author, reason: to, text: `${service}: ${text}` };
}

/** `health`: of all uplinks, the evidence of this one is taken. */
export function decisionEvent(
  before: AnnouncementWish,
  wish: AnnouncementWish,
  health: readonly UplinkHealth[],
  moment: Moment,
): HistoryEvent {
  const { uplink, family, service, state, held, author, reason, text } = wish;
  const own = health.find((one) => one.uplink === uplink && one.family === family)?.uplinkVerdict;
  return {
    kind: 'decision',
    uplink,
    family,
    service,
    from: before.state,
    to: state,
    guard: held?.guard ?? null,
    until: held === null || held.until === null ? null : wallAt(held.until, moment),
    evidence: own === undefined ? null : figuresOf(own.health, own.evidence),
    undo: author === 'causeway' ? undoOf(wish) : null,
    author,
    reason,
    text,
  };
}

export function egressEvent(from: EgressWish['state'], wish: EgressWish): HistoryEvent {
  const { uplink, family, state: to, author, reason, text } = wish;
  return { kind: 'egress', uplink, family, from, to, author, reason, text };
}

export function commandEvent({ step, effect, text }: StepResult): HistoryEvent {
  const { command, protocol, message } = step;
  const told = text === '' ? effect : `${effect}: ${text}`;
  const author = 'causeway';
  return { kind: 'command', command, protocol, effect: told, author, reason: step.purpose, text: message };
}

export function readBackEvent(from: SeenState, to: SeenState, wish: AnnouncementWish): HistoryEvent {
  const { uplink, family, service } = wish;
  const agrees = to === seenWhenDone[wish.state];
  const text = agrees ? `${seenText[to]}, as wished` : `${seenText[to]}; wished is ${wish.state}`;
  const author = agrees ? wish.author : 'bird';
  const reason = agrees ? wish.reason : 'differs';
  return { kind: 'read-back', uplink, family, service, from, to, agrees, author, reason, text };
}

export function handEvent({ kind: event, protocol, override }: HandEvent): HistoryEvent {
  const { state, author, reason } = override;
  const subject = subjectKey(override.subject);
  const text = event === 'adopted' ? `${state} by hand: ${reason}` : `the hand's ${state} ended`;
  return { kind: 'hand', event, protocol, subject, state, author, reason, text };
}

export function fileEvent(outcome: FileOutcome): HistoryEvent {
  const { kind: effect } = outcome;
  const text = outcome.kind === 'behind' ? outcome.text : 'the owned file holds the wish again';
  return { kind: 'file', effect, author: 'causeway', reason: effect, text };
}

/** A step of an apply, its end, or what a start put back. */
export function applyEvent(step: string, effect: string, text: string): HistoryEvent {
  return { kind: 'apply', step, effect, author: 'causeway', reason: 'apply', text };
}

/** How an apply ended, in a sentence. */
export function applyEndText(result: ApplyResult): string {
  switch (result.kind) {
    case 'nothing':
      return 'the config and the confirmed text are the same';
    case 'differs':
    case 'needs-consent':
      return 'nothing was changed: its effects want consent';
    case 'applied':
      return `BIRD runs the new base; confirmed by ${result.by}`;
    case 'refused':
    case 'undone':
    case 'stuck':
      return result.problems.join('; ');
    default:
      return unreachable(result);
  }
}

export function alarmEvent(event: 'raised' | 'ended', code: string, text: string): HistoryEvent {
  return { kind: 'alarm', event, author: 'causeway', reason: code, text };
}

const seenWhenDone = { announce: 'exported', drain: 'drained', withdraw: 'absent' } as const;

const seenText: Readonly<Record<SeenState, string>> = {
  exported: 'BIRD announces it to the carrier',
  drained: 'BIRD announces it drained',
  absent: 'BIRD does not announce it',
  'session-down': 'the session is down',
  unknown: 'BIRD does not show it',
};

function undoOf({ uplink, service, family, state }: AnnouncementWish): string {
  const where = `${uplink} --service ${service} --family ${family}`;
  return state === 'announce' ? `causeway force withdraw ${where}` : `causeway force announce ${where}`;
}

function wallAt(until: Instant, { at, now }: Moment): string {
  return new Date(Date.parse(at) + elapsed(now, until)).toISOString();
}

function figuresOf(health: HealthState, evidence: Evidence): HistoryEvidence {
  const { loss, rttP95Millis, answered, lost, notRun, targets, badTargets } = evidence;
  return { health, loss, rttP95Millis, answered, lost, notRun, targets, badTargets };
}

/** Tells what happened: one log line for each transition and action, and the last of them for the status. */
import type { Logger } from 'pino';
import type { HandEvent } from '../core/hands/hands.ts';
import type { BirdView } from '../types/bird-view.ts';
import type { Evidence, UplinkHealth } from '../types/health.ts';
import type { TellHistory } from '../types/history.ts';
import { announcementKey, uplinkKey } from '../types/keys.ts';
import { subjectKey } from '../core/hands/subject.ts';
import type { ReadinessFact } from '../types/readiness.ts';
import type { Family, Instant } from '../types/units.ts';
import type { HealthState, SeenState } from '../types/wire/enums.ts';
import type { ActionStatus, TransitionStatus } from '../types/wire/status.ts';
import type { AnnouncementWish, Wish } from '../types/wish.ts';
import type { StepResult } from './actuate.ts';
import type { FileOutcome } from './file-keeper.ts';
import {
  commandEvent,
  decisionEvent,
  egressEvent,
  fileEvent,
  handEvent,
  readBackEvent,
  readinessEvent,
  verdictEvent,
} from './history-words.ts';
import { seenOf } from './status-document.ts';

const kept = 50;

/** A change of a verdict, as core/health tells it. */
export interface VerdictChange {
  readonly uplink: string;
  readonly family: Family;
  /** `uplink`, `region ID`, `target jkt-1`. */
  readonly subject: string;
  readonly from: HealthState;
  readonly to: HealthState;
  readonly reason: string;
  readonly text: string;
}

export class Narrator {
  readonly #log: Logger;
  readonly #tell: TellHistory;
  readonly #transitions: TransitionStatus[] = [];
  readonly #actions: ActionStatus[] = [];
  #wishes: ReadonlyMap<string, AnnouncementWish> = new Map();
  #ways: ReadonlyMap<string, Wish['egress'][number]> = new Map();
  #tried: ReadonlySet<string> = new Set();
  readonly #seen = new Map<string, SeenState>();
  #readiness: ReadonlyMap<string, ReadinessFact> = new Map();
  #file: FileOutcome['kind'] = 'as-wished';

  constructor(log: Logger, tell: TellHistory = () => undefined) {
    this.#log = log;
    this.#tell = tell;
  }

  transitions(): readonly TransitionStatus[] {
    return this.#transitions;
  }

  actions(): readonly ActionStatus[] {
    return this.#actions;
  }

  /** Uplinks, regions and gateways for the operator; single targets, and who was never in doubt, for debugging. */
  verdict(change: VerdictChange, evidence: Evidence | null, at: string): void {
    const isUplink = change.subject === 'uplink';
    const detail =
      change.subject.startsWith('target ') || (change.from === 'unknown' && change.to === 'healthy');
    if (detail && !isUplink) {
      this.#log.debug({ ...change, evidence }, 'health changed');
      return;
    }
    keep(this.#transitions, { at, ...change });
    this.#tell(verdictEvent(change, evidence));
    this.#log[isUplink && change.to === 'failed' ? 'warn' : 'info'](
      { ...change, evidence },
      'health changed',
    );
  }

  /** Tells the announcements whose state, reason or guard differs from the tick before; `health` has their evidence. */
  wish(wish: Wish, health: readonly UplinkHealth[], at: string, monotonic: Instant): void {
    const now = new Map(
      wish.announcements.map((one) => [announcementKey(one.uplink, one.service, one.family), one]),
    );
    for (const [key, one] of now) {
      const before = this.#wishes.get(key);
      if (before === undefined || !differs(before, one)) continue;
      const { uplink, family, service, reason, text, author } = one;
      const told = {
        uplink,
        family,
        subject: `service ${service}`,
        from: spoken(before),
        to: spoken(one),
        reason,
        text,
      };
      keep(this.#transitions, { at, ...told });
      this.#tell(decisionEvent(before, one, health, { at, now: monotonic }));
      this.#log[one.held === null ? 'info' : 'warn']({ ...told, author }, 'wish changed');
    }
    this.#wishes = now;
    this.#egress(wish.egress, at);
  }

  #egress(egress: Wish['egress'], at: string): void {
    const now = new Map(egress.map((one) => [uplinkKey(one.uplink, one.family), one]));
    for (const [key, way] of now) {
      const { uplink, family, state, reason, text } = way;
      const before = this.#ways.get(key);
      if (before === undefined || before.state === state) continue;
      this.#tell(egressEvent(before.state, way));
      const told = { uplink, family, subject: 'egress', from: before.state, to: state, reason, text };
      keep(this.#transitions, { at, ...told });
      this.#log.info(told, 'egress changed');
    }
    this.#ways = now;
  }

  /** Tells what BIRD now shows of each announcement where it differs from before: the effect, read back. */
  readBack(wish: Wish, view: BirdView): void {
    if (view.kind !== 'seen') return;
    for (const one of wish.announcements) {
      const key = announcementKey(one.uplink, one.service, one.family);
      const seen = seenOf(one, view);
      const before = this.#seen.get(key);
      this.#seen.set(key, seen);
      if (before !== undefined && before !== seen) this.#tell(readBackEvent(before, seen, one));
    }
  }

  /** Tells the services whose readiness differs from the tick before. */
  readiness(facts: ReadonlyMap<string, ReadinessFact>): void {
    for (const [service, fact] of facts) {
      const from = this.#readiness.get(service)?.state ?? 'unknown';
      if (from === fact.state) continue;
      this.#tell(readinessEvent(service, from, fact));
      const told = { service, from, to: fact.state, text: fact.text };
      this.#log[fact.state === 'not-ready' ? 'warn' : 'info'](told, 'readiness changed');
    }
    this.#readiness = facts;
  }

  hand(event: HandEvent, at: string): void {
    const { kind, protocol, override } = event;
    const { subject, state, reason } = override;
    const told = { protocol, subject: subjectKey(subject), state, reason };
    this.#tell(handEvent(event));
    keep(this.#actions, { at, command: `hand ${kind}`, protocol, reason, effect: state });
    this.#log.warn(
      told,
      kind === 'adopted' ? 'a hand in BIRD is adopted as an override' : 'a hand in BIRD ended an override',
    );
  }

  /** A step that failed comes again each tick; it is told once until its result changes. */
  steps(results: readonly StepResult[], at: string): void {
    const tried = new Set<string>();
    for (const result of results) {
      const { step, effect, text } = result;
      const { command, protocol, message: reason } = step;
      const mark = `${command} ${protocol} ${effect}`;
      tried.add(mark);
      if (effect !== 'done' && this.#tried.has(mark)) continue;
      this.#tell(commandEvent(result));
      keep(this.#actions, {
        at,
        command,
        protocol,
        reason,
        effect: text === '' ? effect : `${effect}: ${text}`,
      });
      const level = effect === 'failed' ? 'error' : 'info';
      this.#log[level]({ command, protocol, reason, effect, text }, 'command to BIRD');
    }
    this.#tried = tried;
  }

  /** Tells when the owned file begins to lag behind the wish, and when it holds it again. */
  file(outcome: FileOutcome): void {
    if (outcome.kind === this.#file) return;
    this.#file = outcome.kind;
    this.#tell(fileEvent(outcome));
  }
}

function keep<T>(list: T[], entry: T): void {
  list.unshift(entry);
  list.length = Math.min(list.length, kept);
}

function differs(a: AnnouncementWish, b: AnnouncementWish): boolean {
  return a.state !== b.state || a.reason !== b.reason || a.held?.guard !== b.held?.guard;
}

function spoken({ state, held }: AnnouncementWish): string {
  return held === null ? state : `${state} (held: ${held.guard})`;
}

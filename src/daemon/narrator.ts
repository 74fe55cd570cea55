/** Tells what happened: one log line for each transition and action, and the last of them for the status. */
import type { Logger } from 'pino';
import type { HandEvent } from '../core/hands/hands.ts';
import type { Evidence } from '../types/health.ts';
import { announcementKey, uplinkKey } from '../types/keys.ts';
import { subjectKey } from '../core/hands/subject.ts';
import type { Family } from '../types/units.ts';
import type { ActionStatus, TransitionStatus } from '../types/wire/status.ts';
import type { AnnouncementWish, Wish } from '../types/wish.ts';
import type { StepResult } from './actuate.ts';

const kept = 50;

/** A change of a verdict, as core/health tells it. */
export interface VerdictChange {
  readonly uplink: string;
  readonly family: Family;
  /** `uplink`, `region ID`, `target jkt-1`. */
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly text: string;
}

export class Narrator {
  readonly #log: Logger;
  readonly #transitions: TransitionStatus[] = [];
  readonly #actions: ActionStatus[] = [];
  #wishes: ReadonlyMap<string, AnnouncementWish> = new Map();
  #ways: ReadonlyMap<string, Wish['egress'][number]> = new Map();
  #tried: ReadonlySet<string> = new Set();

  constructor(log: Logger) {
    this.#log = log;
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
    this.#log[isUplink && change.to === 'failed' ? 'warn' : 'info'](
      { ...change, evidence },
      'health changed',
    );
  }

  /** Tells the announcements whose state, reason or guard differs from the tick before. */
  wish(wish: Wish, at: string): void {
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
      this.#log[one.held === null ? 'info' : 'warn']({ ...told, author }, 'wish changed');
    }
    this.#wishes = now;
    this.#egress(wish.egress, at);
  }

  #egress(egress: Wish['egress'], at: string): void {
    const now = new Map(egress.map((one) => [uplinkKey(one.uplink, one.family), one]));
    for (const [key, { uplink, family, state, reason, text }] of now) {
      const before = this.#ways.get(key);
      if (before === undefined || before.state === state) continue;
      const told = { uplink, family, subject: 'egress', from: before.state, to: state, reason, text };
      keep(this.#transitions, { at, ...told });
      this.#log.info(told, 'egress changed');
    }
    this.#ways = now;
  }

  hand({ kind, protocol, override }: HandEvent, at: string): void {
    const { subject, state, reason } = override;
    const told = { protocol, subject: subjectKey(subject), state, reason };
    keep(this.#actions, { at, command: `hand ${kind}`, protocol, reason, effect: state });
    this.#log.warn(
      told,
      kind === 'adopted' ? 'a hand in BIRD is adopted as an override' : 'a hand in BIRD ended an override',
    );
  }

  /** A step that failed comes again each tick; it is told once until its result changes. */
  steps(results: readonly StepResult[], at: string): void {
    const tried = new Set<string>();
    for (const { step, effect, text } of results) {
      const { command, protocol, message: reason } = step;
      const mark = `${command} ${protocol} ${effect}`;
      tried.add(mark);
      if (effect !== 'done' && this.#tried.has(mark)) continue;
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

  file(effect: string, at: string): void {
    keep(this.#actions, { at, command: 'write', protocol: null, reason: 'the wish changed', effect });
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

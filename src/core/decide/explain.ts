/**
 * Three lines for each announcement, which answer "why is it still announced?" and "why is it withdrawn?": what is
 * done, what is measured, and what holds it or would change it.
 */
import type { UplinkHealth } from '../../types/health.ts';
import { announcementKey, uplinkKey } from '../../types/keys.ts';
import type { Override } from '../../types/override.ts';
import type { RecoveryPolicy } from '../../types/policy.ts';
import { elapsed, type Instant } from '../../types/units.ts';
import type { AnnounceState, Guard, SeenState } from '../../types/wire/enums.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import { type DampingModel, pointsAt } from './damping.ts';
import { changesLeft } from './flap-budget.ts';
import type { DecideMemory } from './memory.ts';
import { overrideFor } from './which-override.ts';

export interface ExplainFacts {
  /** Of the uplink and family; null: it is not probed. */
  readonly health: UplinkHealth | null;
  readonly seen: SeenState;
  readonly overrides: readonly Override[];
  readonly memory: DecideMemory;
  readonly recovery: RecoveryPolicy;
  readonly model: DampingModel;
  readonly now: Instant;
}

export function explain(wish: AnnouncementWish, facts: ExplainFacts): readonly [string, string, string] {
  return [stateLine(wish, facts.seen), measureLine(facts), nextLine(wish, facts)];
}

const words: Readonly<Record<AnnounceState, string>> = {
  announce: 'announced',
  drain: 'drained',
  withdraw: 'withdrawn',
};
const shown: Readonly<Record<AnnounceState, SeenState>> = {
  announce: 'exported',
  drain: 'drained',
  withdraw: 'absent',
};

function stateLine(
  { service, uplink, family, state, reason, text, author }: AnnouncementWish,
  seen: SeenState,
): string {
  const by = author === 'causeway' ? '' : ` by ${author}`;
  const differs = seen === shown[state] ? '' : ` (BIRD shows: ${seen})`;
  return `${service} IPv${family} on ${uplink} is ${words[state]}${by}${differs}: ${reason}, ${text}`;
}

function measureLine({ health, now }: ExplainFacts): string {
  if (health === null) return 'not measured in this family';
  const { uplinkVerdict: verdict, gateway, regions } = health;
  const since = `${verdict.health} for ${lengthText(elapsed(verdict.since, now))}`;
  const near = gateway === null ? '' : `; gateway ${gateway.health}`;
  const bad = [...regions].filter(([, one]) => one.health === 'failed' || one.health === 'degraded');
  const far = bad.length === 0 ? '' : `; ${bad.map(([region, one]) => `${region} ${one.health}`).join(', ')}`;
  return `measured: ${since}, ${verdict.text}${near}${far}`;
}

function nextLine(wish: AnnouncementWish, facts: ExplainFacts): string {
  const { memory, model, now } = facts;
  const key = announcementKey(wish.uplink, wish.service, wish.family);
  const penalty = memory.penalties[key];
  const spent = Math.round(pointsAt(model, penalty, now));
  const budget = `flap budget ${spent} of ${model.suppress}, changes left: ${changesLeft(model, penalty, now)}`;
  return `${changeText(wish, facts)}; ${budget}`;
}

function changeText(wish: AnnouncementWish, facts: ExplainFacts): string {
  const { held } = wish;
  if (held !== null) {
    const end =
      held.until === null
        ? `until ${endOf[held.guard]}`
        : `for ${lengthText(elapsed(facts.now, held.until))} more`;
    return `held by ${held.guard} ${end}: ${held.text}`;
  }
  switch (wish.reason) {
    case 'override':
      return overrideEnd(wish, facts.overrides);
    case 'maintenance':
      return 'ends with the maintenance window';
    case 'not-ready':
    case 'booting':
      return 'ends when the checks of the service pass';
    case 'backup':
      return 'ends when no other uplink is announced fully and good';
    default:
      return wish.state === 'announce' ? 'nothing holds it' : returnText(wish, facts);
  }
}

/** What ends a guard that no time ends. */
const endOf: Readonly<Record<Guard, string>> = {
  'all-bad':
    'one recovers, a gateway, link or session is down, another node sees the targets well, or an operator speaks',
  'last-resort': 'it recovers, enough other uplinks are good, or the fleet consents',
  'no-consent': 'the fleet consents, or the service is ready',
  rate: 'the window has passed',
  flap: 'the penalty has decayed',
  hold: 'the hold has passed',
  canary: 'it has measured clean',
  capacity: 'the other uplinks have room',
  samples: 'enough was measured',
  frozen: 'somebody says `causeway thaw`',
  'dns-first': 'GeoDNS was told and its answers have run out',
};

function overrideEnd({ service, uplink, family }: AnnouncementWish, overrides: readonly Override[]): string {
  const expires = overrideFor(overrides, service, uplink, family)?.expires ?? null;
  return expires === null
    ? 'ends with `causeway release`'
    : `ends at ${expires}, or with \`causeway release\``;
}

function returnText({ uplink, family }: AnnouncementWish, { memory, recovery }: ExplainFacts): string {
  const flaps = memory.clocks[uplinkKey(uplink, family)]?.flaps ?? 0;
  const hold = Math.min(
    Math.max(recovery.holdMillis, recovery.maxHoldMillis),
    recovery.holdMillis * 2 ** Math.min(30, Math.max(0, flaps - 1)),
  );
  return `returns after ${lengthText(recovery.cleanMillis)} of clean measurements and a hold of ${lengthText(hold)}`;
}

/** `34 s`, `2 min 4 s`, `3 h 20 min`; seconds rounded up, so that nothing ends before it is said to. */
function lengthText(lengthMillis: number): string {
  const seconds = Math.ceil(lengthMillis / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, seconds % 60, 's');
  return withRest(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min');
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`;
}

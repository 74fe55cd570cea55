/**
 * The whole wish from what is known now. For each service, uplink and family, the first rung that speaks decides:
 *
 *   1. an override (an operator's command, or a hand seen in BIRD)
 *   2. the link verdict: failed → withdraw, degraded → drain, healthy → announce; unknown → as it stands
 *   3. the hold: a return waits for recovery.hold, longer with each flap
 *   4. guards on leaving: all-bad, last-resort (leaving.ts)
 *   5. the repair: the best is announced when only failed ones, or none, are left (repair.ts)
 *   6. the guard on draining the last undrained one (draining.ts)
 *
 * Egress follows from the whole of it (egress.ts).
 */
import type { Guards, Service, Uplink } from '../../types/config.ts';
import type { UplinkHealth } from '../../types/health.ts';
import { announcementKey, uplinkKey } from '../../types/keys.ts';
import type { Override } from '../../types/override.ts';
import type { Policy } from '../../types/policy.ts';
import { families, type Family, type Instant, type Millis } from '../../types/units.ts';
import type { AnnouncementWish, Wish } from '../../types/wish.ts';
import { desireOf } from './desire.ts';
import { guardDraining } from './draining.ts';
import { decideEgress, type Road } from './egress.ts';
import { guardLeaving, type Rung } from './leaving.ts';
import { type Member, memberOf, type SessionFact } from './member.ts';
import { type DecideMemory, type ReturnClock, type Standing, standingUnknown } from './memory.ts';
import { repair } from './repair.ts';
import { windClock } from './return-clock.ts';

export interface DecideInput {
  readonly services: readonly Service[];
  readonly uplinks: readonly Uplink[];
  readonly policy: Policy;
  readonly guards: Guards;
  /** How long a failed uplink waits for the verdicts of the others: patience + timeout + 1 s. */
  readonly waitMillis: Millis;
  /** One for each uplink and family that is probed. */
  readonly health: readonly UplinkHealth[];
  /** By uplinkKey. */
  readonly sessions: ReadonlyMap<string, SessionFact>;
  /** uplinkKeys over which a default is or may be learnt. */
  readonly usableDefaults: ReadonlySet<string>;
  readonly overrides: readonly Override[];
  readonly now: Instant;
}

export interface Decision {
  readonly wish: Wish;
  readonly memory: DecideMemory;
}

/** Pure: the same input and memory give the same wish, whatever the order of health, overrides and sessions. */
export function decide(input: DecideInput, before: DecideMemory): Decision {
  const clocks = windClocks(input, before);
  const rungs = input.services.flatMap((service) =>
    families.flatMap((family) => decideGroup(input, before, clocks, service, family)),
  );
  const announcements = rungs.map((rung) => rung.wish);
  const standing: Record<string, Standing> = {};
  for (const { member, wish } of rungs) {
    const key = announcementKey(wish.uplink, wish.service, wish.family);
    standing[key] = standingAfter(member, beneath(input, clocks, member, wish));
  }
  const egress = decideEgress(roadsOf(input), announcements, input.overrides, input.usableDefaults);
  return { wish: { announcements, egress }, memory: { standing, clocks } };
}

function windClocks(input: DecideInput, before: DecideMemory): Record<string, ReturnClock> {
  const clocks: Record<string, ReturnClock> = {};
  for (const { uplink, family, uplinkVerdict } of input.health) {
    const key = uplinkKey(uplink, family);
    clocks[key] = windClock(before.clocks[key], uplinkVerdict, input.policy.recovery, input.now);
  }
  return clocks;
}

function decideGroup(
  input: DecideInput,
  before: DecideMemory,
  clocks: Readonly<Record<string, ReturnClock>>,
  service: Service,
  family: Family,
): readonly Rung[] {
  if (!service.prefixes.some((prefix) => prefix.family === family)) return [];
  const group: Rung[] = [];
  for (const uplink of input.uplinks) {
    const member = memberFor(input, before, service, uplink, family);
    const clock = clocks[uplinkKey(uplink.name, family)];
    if (member === null || clock === undefined) continue;
    group.push({ member, wish: desireOf(member, clock, input.policy.recovery, input.now) });
  }
  const left = guardLeaving(group, input.guards, input.waitMillis, input.now);
  return guardDraining(repair(left, input.guards.keepUplinks));
}

/** null: the uplink does not carry this family. */
function memberFor(
  input: DecideInput,
  before: DecideMemory,
  service: Service,
  uplink: Uplink,
  family: Family,
): Member | null {
  const health = input.health.find((one) => one.uplink === uplink.name && one.family === family);
  if (health === undefined) return null;
  const session = input.sessions.get(uplinkKey(uplink.name, family)) ?? 'unknown';
  const standing = before.standing[announcementKey(uplink.name, service.name, family)] ?? standingUnknown;
  const override = overrideOf(input.overrides, service.name, uplink.name, family);
  return memberOf(service.name, uplink, health, session, override, standing);
}

function overrideOf(
  overrides: readonly Override[],
  service: string,
  uplink: string,
  family: Family,
): Override | null {
  const found = overrides.find(
    ({ subject }) =>
      subject.kind === 'announcement' &&
      subject.service === service &&
      subject.uplink === uplink &&
      subject.family === family,
  );
  return found ?? null;
}

/** In the config's order, whatever the order of health. */
function roadsOf({ uplinks, health }: DecideInput): readonly Road[] {
  return uplinks.flatMap(({ name: uplink }) =>
    families
      .filter((family) => health.some((one) => one.uplink === uplink && one.family === family))
      .map((family) => ({ uplink, family })),
  );
}

/** What would stand without the override: that is what comes back when it ends. */
function beneath(
  input: DecideInput,
  clocks: Readonly<Record<string, ReturnClock>>,
  member: Member,
  wish: AnnouncementWish,
): AnnouncementWish {
  const clock = clocks[uplinkKey(wish.uplink, wish.family)];
  if (member.override === null || clock === undefined) return wish;
  return desireOf({ ...member, override: null }, clock, input.policy.recovery, input.now);
}

/** A held or kept state keeps the memory of who made it so. */
function standingAfter({ standing: before }: Member, { state, reason, text }: AnnouncementWish): Standing {
  const byVerdict = state !== 'announce' && (state !== before.state || before.byVerdict || isVerdict(reason));
  return { state, reason, text, byVerdict };
}

function isVerdict(reason: AnnouncementWish['reason']): boolean {
  return reason === 'loss' || reason === 'latency' || reason === 'regions' || reason === 'link-down';
}

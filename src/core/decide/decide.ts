/**
 * The whole wish from what is known now. For each service, uplink and family, in this order; docs/safety.md tells the
 * same ladder in prose:
 *
 *    1. an override: an operator's command, or a hand seen in BIRD (which-override.ts); it holds, whatever is below
 *    2. maintenance, 3. the boot, 4. readiness: the most that they leave (ceiling.ts); they take away and never give
 *    5. the link verdict: failed → withdraw, degraded → drain, healthy → announce; unknown → as it stands (desire.ts)
 *    6. a return waits for the hold, for max_withdrawals, for the flap budget, and begins as a canary (desire.ts)
 *    7. guards on leaving: all-bad, last-resort (leaving.ts); then capacity (capacity.ts), then rate (rate.ts)
 *    8. the repair: the best is announced when only failed ones, or none, are left (repair.ts)
 *    9. backups are drained unless they are needed (backup.ts)
 *   10. the guard on draining the last undrained one (draining.ts)
 *   11. what returns from 2 to 4 is measured by the flap budget (rises.ts)
 *   12. a freeze keeps the wish of before (frozen.ts)
 *   13. a planned drain waits until GeoDNS was told (dns-first.ts)
 *
 * tie_families joins the verdicts of both families before rung 5. Egress follows from the whole of it (egress.ts).
 */
import type { Guards, Service, Uplink } from '../../types/config.ts';
import type { FleetWord } from '../../types/fleet-word.ts';
import type { Freeze } from '../../types/freeze.ts';
import type { UplinkHealth } from '../../types/health.ts';
import { uplinkKey } from '../../types/keys.ts';
import type { Override } from '../../types/override.ts';
import type { Policy } from '../../types/policy.ts';
import type { ReadinessFact } from '../../types/readiness.ts';
import type { DnsFirst } from '../../types/told.ts';
import { families, type Instant, instant, type Millis } from '../../types/units.ts';
import type { Wish } from '../../types/wish.ts';
import { dampingModels } from './damping.ts';
import { decideEgress, type Road } from './egress.ts';
import { decideGroup, type World } from './group.ts';
import type { SessionFact } from './member.ts';
import { type DecideMemory, type Readied, type ReturnClock } from './memory.ts';
import { noteReadiness } from './ceiling.ts';
import { type Decided, rememberAll } from './remember.ts';
import { type RegionalVerdict, regionalVerdicts } from './regions.ts';
import { windClock } from './return-clock.ts';
import { tieFamilies } from './tied-families.ts';
import { recentEvents, spentUntil } from './uplink-events.ts';

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
  /** Of operators, of hands, and of maintenance windows (author `maintenance`). */
  readonly overrides: readonly Override[];
  /** By service; one that is not in it has no check. */
  readonly readiness: ReadonlyMap<string, ReadinessFact>;
  /** After a boot with on_boot: hold, until each service with a check was ready once. */
  readonly booting: boolean;
  /** null: the wish is not frozen. */
  readonly freeze: Freeze | null;
  /** Bits per second of each uplink in its fuller direction; one that is not in it is not known. */
  readonly traffic: ReadonlyMap<string, number>;
  /** By groupKey (`web4`); null: no fleet is configured, the node stands alone. */
  readonly fleet: ReadonlyMap<string, FleetWord> | null;
  /** How planned drains wait for GeoDNS; null or left out: they do not. */
  readonly dnsFirst?: DnsFirst | null;
  readonly now: Instant;
}

export interface Decision {
  readonly wish: Wish;
  /** For GeoDNS alone. */
  readonly regional: readonly RegionalVerdict[];
  readonly memory: DecideMemory;
}

/**
 * Pure: the same input and memory give the same wish, whatever the order of health, overrides and sessions. Time never
 * runs back: an earlier `now` than the last one is taken for the last one.
 */
export function decide(given: DecideInput, before: DecideMemory): Decision {
  const now = instant(Math.max(given.now, before.now ?? given.now));
  const health = given.policy.tieFamilies ? tieFamilies(given.uplinks, given.health) : given.health;
  const input: DecideInput = { ...given, health, now };
  const spent = recentEvents(before.events, input.guards.maxWithdrawals, now);
  const world: World = {
    input,
    before,
    clocks: windClocks(input, before),
    readied: noteReady(input, before),
    bounds: {
      recovery: input.policy.recovery,
      model: dampingModels[input.guards.flapBudget],
      spentUntil: spentUntil(spent, input.guards.maxWithdrawals),
      now,
    },
    healthOf: new Map(health.map((one) => [uplinkKey(one.uplink, one.family), one])),
  };
  let events = spent;
  const groups: Decided[] = [];
  for (const service of input.services) {
    for (const family of families) {
      const decided = decideGroup(world, events, service, family);
      groups.push(decided);
      events = decided.events;
    }
  }
  const announcements = groups.flatMap(({ wishes }) => wishes);
  const egress = decideEgress(roadsOf(input), announcements, input.overrides, input.usableDefaults);
  const memory = rememberAll(world, groups, events);
  return { wish: { announcements, egress }, regional: regionalVerdicts(health), memory };
}

function windClocks(input: DecideInput, before: DecideMemory): Readonly<Record<string, ReturnClock>> {
  const clocks: Record<string, ReturnClock> = {};
  for (const { uplink, family, uplinkVerdict } of input.health) {
    const key = uplinkKey(uplink, family);
    clocks[key] = windClock(before.clocks[key], uplinkVerdict, input.policy.recovery, input.now);
  }
  return clocks;
}

function noteReady(input: DecideInput, before: DecideMemory): Readonly<Record<string, Readied>> {
  const readied: Record<string, Readied> = {};
  for (const [service, fact] of input.readiness) {
    const noted = noteReadiness(before.readied[service], fact);
    if (noted !== undefined) readied[service] = noted;
  }
  return readied;
}

/** In the config's order, whatever the order of health. */
function roadsOf({ uplinks, health }: DecideInput): readonly Road[] {
  const keys = new Set(health.map(({ uplink, family }) => uplinkKey(uplink, family)));
  return uplinks.flatMap(({ name: uplink }) =>
    families.filter((family) => keys.has(uplinkKey(uplink, family))).map((family) => ({ uplink, family })),
  );
}

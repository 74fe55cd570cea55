/** The ladder for one group: the announcements of a service in a family on all uplinks. */
import type { Service, Uplink } from '../../types/config.ts';
import type { UplinkHealth } from '../../types/health.ts';
import { announcementKey, groupKey, uplinkKey } from '../../types/keys.ts';
import type { Family } from '../../types/units.ts';
import type { AnnounceState } from '../../types/wire/enums.ts';
import { drainBackups } from './backup.ts';
import { guardCapacity } from './capacity.ts';
import { type Ceiling, lowest, maintenanceAuthor, maintenanceCeiling, readinessCeiling } from './ceiling.ts';
import type { DecideInput } from './decide.ts';
import { type Bounds, desireOf } from './desire.ts';
import { drainAfterDns } from './dns-first.ts';
import { guardDraining } from './draining.ts';
import { frozenWish } from './frozen.ts';
import { underCeiling } from './layers.ts';
import { guardLeaving, type Rung } from './leaving.ts';
import { isCutOff, type Member, stateInForce, uplinkFacts } from './member.ts';
import { type DecideMemory, type Readied, type ReturnClock, standingUnknown } from './memory.ts';
import type { Decided } from './remember.ts';
import { guardRate } from './rate.ts';
import { repair } from './repair.ts';
import { dampRises } from './rises.ts';
import { countEvent, type UplinkEvent } from './uplink-events.ts';
import { isAbout, overrideFor } from './which-override.ts';

/** What all groups of a tick share. */
export interface World {
  readonly input: DecideInput;
  readonly before: DecideMemory;
  readonly clocks: Readonly<Record<string, ReturnClock>>;
  readonly readied: Readonly<Record<string, Readied>>;
  readonly bounds: Bounds;
  /** By uplinkKey. */
  readonly healthOf: ReadonlyMap<string, UplinkHealth>;
}

export function decideGroup(
  world: World,
  events: readonly UplinkEvent[],
  service: Service,
  family: Family,
): Decided {
  const { input, before, bounds } = world;
  const key = groupKey(service.name, family);
  const members = membersOf(world, service, family);
  if (members.length === 0) return { key, rungs: [], wishes: [], events };
  const desires = members.map((member) => ({ member, wish: desireOf(member, bounds) }));
  const fleet = input.fleet?.get(key);
  const { guards, waitMillis, freeze, now } = input;
  const consent = fleet?.consent === 'given';
  const ownFault = fleet?.ownFault === true;
  const kept = guardCapacity(
    guardLeaving(desires, { guards, waitMillis, consent, ownFault, now }),
    input.traffic,
  );
  const left = guardRate(kept, { guards, events, frozen: freeze !== null, now });
  const { keepUplinks, keepNodes } = guards;
  const consented = consent || before.consented.includes(key);
  const rungs = guardDraining(drainBackups(repair(left, { keepUplinks, keepNodes, consented, fleet })));
  const under = rungs.map((rung) => ({ ...rung, wish: underCeiling(rung) }));
  const wishes = dampRises(under, bounds)
    .map((rung) => (freeze === null ? rung : { ...rung, wish: frozenWish(rung, freeze) }))
    .map(({ member, wish }) => drainAfterDns(member, wish, input.dnsFirst, before.planned, now));
  return { key, rungs, wishes, events: countAll(rungs, wishes, input, events) };
}

function membersOf(world: World, service: Service, family: Family): readonly Member[] {
  if (!service.prefixes.some((prefix) => prefix.family === family)) return [];
  return world.input.uplinks.flatMap((uplink) => memberOf(world, service, uplink, family) ?? []);
}

/** null: the uplink does not carry this family. */
function memberOf(world: World, service: Service, uplink: Uplink, family: Family): Member | null {
  const { input, before, clocks } = world;
  const health = world.healthOf.get(uplinkKey(uplink.name, family));
  const clock = clocks[uplinkKey(uplink.name, family)];
  if (health === undefined || clock === undefined) return null;
  const key = announcementKey(uplink.name, service.name, family);
  const own = input.overrides.filter(({ subject }) => isAbout(subject, service.name, uplink.name, family));
  const words = own.filter(({ author }) => author !== maintenanceAuthor);
  const wished = before.wished[key] ?? null;
  const standing = before.standing[key] ?? standingUnknown;
  return {
    service: service.name,
    uplink,
    ...uplinkFacts(health),
    session: input.sessions.get(uplinkKey(uplink.name, family)) ?? 'unknown',
    override: overrideFor(words, service.name, uplink.name, family),
    ceiling: lowest([
      maintenanceCeiling(own.filter(({ author }) => author === maintenanceAuthor)),
      readyCeiling(world, service, family, wished?.state ?? standing.state),
    ]),
    isBackup: service.uplinks.get(uplink.name)?.state === 'backup',
    standing,
    wished,
    penalty: before.penalties[key],
    clock,
  };
}

function readyCeiling(
  { input, readied }: World,
  service: Service,
  family: Family,
  was: AnnounceState,
): Ceiling | null {
  const fact = input.readiness.get(service.name);
  if (fact === undefined) return null;
  const fleet = input.fleet === null ? null : input.fleet.get(groupKey(service.name, family));
  return readinessCeiling(service, fact, readied[service.name], input.booting, fleet, was);
}

/** The withdrawals of this group that link verdicts made, counted for their uplinks. */
function countAll(
  rungs: readonly Rung[],
  wishes: Decided['wishes'],
  { guards, now }: DecideInput,
  events: readonly UplinkEvent[],
): readonly UplinkEvent[] {
  return rungs.reduce((counted, { member }, index) => {
    const wish = wishes[index];
    const isNew = wish?.state === 'withdraw' && stateInForce(member) !== 'withdraw';
    const byVerdict = wish?.reason === 'loss' || wish?.reason === 'regions' || wish?.reason === 'latency';
    if (!isNew || !byVerdict || isCutOff(member)) return counted;
    return countEvent(counted, member.uplink.name, guards.togetherMillis, now);
  }, events);
}

/**
 * What is not as it should be, the worst first: what a person who was just woken reads first. Pure.
 *   act     somebody may have to do something
 *   watch   the daemon copes; it is worth knowing now
 *   note    somebody wanted it so
 */
import type {
  AnnouncementStatus,
  FamilyStatus,
  StatusDocument,
  UplinkStatus,
} from '../../../types/wire/status.ts';
import { agreement, uplinkFamilies, type UplinkFamily } from './figures.ts';

export type Level = 'act' | 'watch' | 'note';

type Families = readonly (4 | 6)[];
type Override = StatusDocument['overrides'][number];

export type Trouble = { readonly level: Level } & (
  | { readonly kind: 'tick-stuck'; readonly seconds: number }
  | { readonly kind: 'bird'; readonly text: string }
  | { readonly kind: 'prober'; readonly text: string }
  | { readonly kind: 'alarm'; readonly code: string; readonly text: string; readonly since: string }
  | {
      readonly kind: 'uplink';
      readonly uplink: string;
      readonly families: Families;
      readonly health: FamilyStatus['health'];
      readonly reason: FamilyStatus['reason'];
      readonly text: string;
      readonly sinceSeconds: number;
      readonly link: UplinkStatus['link'];
      /** What became of its announcements, in the order of the config. */
      readonly announcements: readonly AnnouncementStatus[];
      /** Other uplinks on which BIRD exports all of these. */
      readonly carriedBy: readonly string[];
    }
  | {
      readonly kind: 'region';
      readonly uplink: string;
      readonly families: Families;
      readonly region: string;
      readonly health: FamilyStatus['health'];
      readonly reason: FamilyStatus['reason'];
    }
  | {
      readonly kind: 'session';
      readonly uplink: string;
      readonly families: Families;
      readonly state: string;
    }
  | {
      readonly kind: 'differs';
      readonly uplink: string;
      readonly families: Families;
      readonly announcement: AnnouncementStatus;
    }
  | {
      readonly kind: 'held';
      readonly uplink: string;
      readonly families: Families;
      readonly announcement: AnnouncementStatus;
    }
  | { readonly kind: 'not-ready'; readonly service: string; readonly text: string }
  /** What several nodes see alike. */
  | { readonly kind: 'finding'; readonly text: string }
  | { readonly kind: 'frozen'; readonly author: string; readonly reason: string; readonly at: string }
  | { readonly kind: 'override'; readonly override: Override }
);

/** The tick runs five times a second. */
export const stuckMillis = 5000;

/** The worst first; within a level in the order of the way of the data. */
export function troublesOf(status: StatusDocument): readonly Trouble[] {
  const found = [
    ...ofTheDaemon(status),
    ...status.alarms.map((alarm): Trouble => ({ level: 'act', kind: 'alarm', ...alarm })),
    ...joined(uplinkFamilies(status).flatMap((one) => ofUplink(one, carriersBeside(one, status)))),
    ...ofServices(status),
    ...ofTheFleet(status),
    ...ofPeople(status),
  ];
  return (['act', 'watch', 'note'] as const).flatMap((level) => found.filter((one) => one.level === level));
}

function ofTheDaemon({ tickAgeMillis, bird, prober }: StatusDocument): readonly Trouble[] {
  const found: Trouble[] = [];
  if (tickAgeMillis >= stuckMillis)
    found.push({ level: 'act', kind: 'tick-stuck', seconds: tickAgeMillis / 1000 });
  if (bird.kind === 'unreachable')
    found.push({ level: 'act', kind: 'bird', text: `${bird.code} ${bird.path}: ${bird.text}` });
  if (prober.kind === 'unable')
    found.push({ level: 'act', kind: 'prober', text: `${prober.code}: ${prober.text}` });
  if (prober.kind === 'silent') found.push({ level: 'act', kind: 'prober', text: prober.text });
  return found;
}

/** Other uplinks that export what this one has, in its family. */
function carriersBeside({ uplink, family, status }: UplinkFamily, whole: StatusDocument): readonly string[] {
  const services = status.announcements.map(({ service }) => service);
  const others = uplinkFamilies(whole).filter(
    (one) => one.family === family && one.uplink.uplink !== uplink.uplink,
  );
  const carries = (one: UplinkFamily, name: string): boolean =>
    one.status.announcements.some(({ service, seen }) => service === name && seen === 'exported');
  return others.filter((one) => services.every((name) => carries(one, name))).map((one) => one.uplink.uplink);
}

function ofUplink(
  { uplink, family, status }: UplinkFamily,
  carriedBy: readonly string[],
): readonly Trouble[] {
  const place = { uplink: uplink.uplink, families: [family] };
  const { health, reason, text, sinceSeconds, announcements, session } = status;
  const isBad = health === 'failed' || health === 'degraded';
  // One that has left while others carry its services is dealt with.
  const isDealtWith = carriedBy.length > 0 && announcements.every(({ seen }) => seen !== 'exported');
  const level: Level = health === 'degraded' || isDealtWith ? 'watch' : 'act';
  const found: Trouble[] = [];
  if (isBad || uplink.link === 'down' || uplink.link === 'missing')
    found.push({
      ...place,
      kind: 'uplink',
      level,
      health,
      reason,
      text,
      sinceSeconds,
      link: uplink.link,
      announcements,
      carriedBy,
    });
  if (session.state !== null && session.state !== 'Established')
    found.push({ ...place, kind: 'session', level: isDealtWith ? 'watch' : 'act', state: session.state });
  if (health !== 'failed') found.push(...ofRegions(place, status));
  for (const announcement of announcements) {
    if (agreement(announcement) === 'differs')
      found.push({ ...place, kind: 'differs', level: 'watch', announcement });
    if (announcement.held !== null && announcement.held.guard !== 'frozen')
      found.push({ ...place, kind: 'held', level: 'watch', announcement });
  }
  return found;
}

function ofRegions(
  place: { readonly uplink: string; readonly families: Families },
  { regions }: FamilyStatus,
): readonly Trouble[] {
  return Object.entries(regions).flatMap(([region, { health, reason }]): readonly Trouble[] =>
    health === 'failed' || health === 'degraded'
      ? [{ ...place, kind: 'region', level: 'watch', region, health, reason }]
      : [],
  );
}

/** Nodes that are not heard, and what several nodes see alike. */
function ofTheFleet({ fleet }: StatusDocument): readonly Trouble[] {
  const unheard = (fleet?.nodes ?? []).filter(({ state, self }) => state === 'unknown' && !self);
  return [
    ...unheard.map(({ node, why }) => ({ text: `${node}: ${why ?? 'unknown'}` })),
    ...(fleet?.findings ?? []),
  ].map(({ text }): Trouble => ({ level: 'watch', kind: 'finding', text }));
}

function ofServices({ services = [] }: StatusDocument): readonly Trouble[] {
  return services.flatMap(({ service, readiness, text }): readonly Trouble[] =>
    readiness === 'not-ready' ? [{ level: 'act', kind: 'not-ready', service, text }] : [],
  );
}

function ofPeople({ freeze, overrides }: StatusDocument): readonly Trouble[] {
  const frozen: readonly Trouble[] =
    freeze === undefined || freeze === null ? [] : [{ level: 'watch', kind: 'frozen', ...freeze }];
  return [
    ...frozen,
    ...overrides.map((override): Trouble => ({ level: 'note', kind: 'override', override })),
  ];
}

/** The same trouble in both families is one. */
function joined(troubles: readonly Trouble[]): readonly Trouble[] {
  const found: Trouble[] = [];
  for (const trouble of troubles) {
    const twin = found.findIndex((one) => twinKey(one) === twinKey(trouble));
    const before = found[twin];
    if (before === undefined) found.push(trouble);
    else if ('families' in before && 'families' in trouble)
      found[twin] = { ...before, families: [...before.families, ...trouble.families] };
  }
  return found;
}

/** What has to be alike for two troubles to be told as one; figures in their texts may differ. */
function twinKey(trouble: Trouble): string {
  if (!('uplink' in trouble)) return JSON.stringify(trouble);
  const { kind, uplink } = trouble;
  if (kind === 'uplink') return [kind, uplink, trouble.health, trouble.reason].join(' ');
  if (kind === 'region') return [kind, uplink, trouble.region, trouble.health, trouble.reason].join(' ');
  if (kind === 'session') return [kind, uplink, trouble.state].join(' ');
  const { service, wish, seen, held } = trouble.announcement;
  return [kind, uplink, service, wish, seen, held?.guard ?? ''].join(' ');
}

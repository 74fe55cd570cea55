/** The status document from the last tick's report. */
import { wayToBird } from '../../bird/open.ts';
import type { BirdSeen, BirdView } from '../types/bird-view.ts';
import type { NodeConfig, Target, Uplink } from '../types/config.ts';
import type { Freeze } from '../types/freeze.ts';
import type { UplinkHealth, Verdict } from '../types/health.ts';
import type { RollingFigures } from '../types/rolling.ts';
import type { RollingSubject } from '../core/health/rolling.ts';
import type { Override } from '../types/override.ts';
import { announceName, drainName, sessionName } from '../types/protocol-names.ts';
import { elapsed, type Family, type Instant } from '../types/units.ts';
import type { BeyondState, SeenState } from '../types/wire/enums.ts';
import type { EdgeStatus } from '../types/wire/edge-status.ts';
import type { FleetStatus } from '../types/wire/fleet-status.ts';
import type {
  AnnouncementStatus,
  FamilyStatus,
  GuardStatus,
  ServiceStatus,
  ShadowStatus,
  StatusDocument,
  TargetStatus,
  UplinkStatus,
} from '../types/wire/status.ts';
import type { AnnouncementWish, Held } from '../types/wish.ts';
import { isUp } from '../core/plan/plan.ts';
import { configuredState, exportedState } from '../core/views.ts';
import { announcementKey } from '../types/keys.ts';
import type { LinkFact } from '../types/health.ts';
import type { NotRunNotes } from './not-run.ts';
import type { RetransmissionWatch } from './retransmission-watch.ts';
import type { TickReport } from './tick.ts';

export interface StatusSource {
  readonly config: NodeConfig;
  readonly startedAt: string;
  readonly now: Instant;
  /** Wall time, for how long overrides still stand. */
  readonly wallMillis: number;
  /** null: no tick has ended yet. */
  readonly report: TickReport | null;
  readonly links: ReadonlyMap<string, LinkFact>;
  /** By announcementKey: what looking glasses have of it. Absent: none is configured. */
  readonly beyond?: ReadonlyMap<string, BeyondState>;
  /** By announcementKey: changes that the flap budget has room for. */
  readonly changesLeft?: (key: string) => number;
  readonly notRun: NotRunNotes;
  /** Of the last minute, five minutes and hour; absent: nothing is kept. */
  readonly figures?: (subject: RollingSubject) => RollingFigures;
  /** What TCP bound to the uplink sent, and sent again; absent: not looked at. */
  readonly retransmissions?: RetransmissionWatch['share'];
  readonly prober: StatusDocument['prober'];
  readonly alarms: StatusDocument['alarms'];
  readonly services: readonly ServiceStatus[];
  readonly overrides: readonly Override[];
  readonly freeze: Freeze | null;
  readonly guards: GuardStatus;
  readonly transitions: StatusDocument['transitions'];
  readonly actions: StatusDocument['actions'];
  readonly edge: EdgeStatus | null;
  /** null or absent: the config has no fleet. */
  readonly fleet?: FleetStatus | null;
  readonly shadow: ShadowStatus | null;
  /** What GeoDNS and webhooks are told; absent: nothing. */
  readonly telling?: Pick<StatusDocument, 'geodns' | 'webhooks'>;
}

export function statusDocumentOf(source: StatusSource): StatusDocument {
  const { config, report, now } = source;
  return {
    schema: 1,
    node: config.node.name,
    mode: config.mode,
    startedAt: source.startedAt,
    tickAgeMillis: report === null ? 0 : elapsed(report.at, now),
    alarms: source.alarms,
    prober: source.prober,
    bird: birdStatus(config, report?.view ?? null),
    uplinks: config.uplinks.map((uplink) => uplinkStatus(source, uplink)),
    services: source.services,
    overrides: source.overrides.map((one) => ({
      ...one,
      remainingSeconds: remainingSeconds(one, source.wallMillis),
    })),
    freeze: source.freeze,
    guards: source.guards,
    transitions: source.transitions,
    actions: source.actions,
    ...(source.edge === null ? {} : { edge: source.edge }),
    ...(source.fleet === null || source.fleet === undefined ? {} : { fleet: source.fleet }),
    ...(source.shadow === null ? {} : { shadow: source.shadow }),
    ...source.telling,
  };
}

function remainingSeconds({ expires }: Override, wallMillis: number): number | null {
  return expires === null ? null : Math.max(0, Math.round((Date.parse(expires) - wallMillis) / 1000));
}

function birdStatus(config: NodeConfig, view: BirdView | null): StatusDocument['bird'] {
  const path = wayToBird(config.bird);
  if (view === null) return { kind: 'starting', path };
  if (view.kind === 'seen') {
    const rights = view.restricted === true ? { restricted: true } : {};
    return { kind: 'seen', version: view.version, path, ...rights };
  }
  return { kind: 'unreachable', path: view.path, code: view.code, text: view.text };
}

function uplinkStatus(source: StatusSource, uplink: Uplink): UplinkStatus {
  const healths = source.report?.health.filter((one) => one.uplink === uplink.name) ?? [];
  const families = Object.fromEntries(healths.map((one) => [one.family, familyStatus(source, uplink, one)]));
  return {
    uplink: uplink.name,
    carrier: uplink.carrier,
    interface: uplink.interface,
    link: source.links.get(uplink.name) ?? 'unknown',
    families,
  };
}

function familyStatus(source: StatusSource, uplink: Uplink, health: UplinkHealth): FamilyStatus {
  const { uplinkVerdict: verdict, family } = health;
  const { report } = source;
  const bird = report?.view.kind === 'seen' ? report.view : null;
  const shown = bird?.protocols.get(sessionName(uplink.name, family));
  const egress = report?.wish.egress.find((one) => one.uplink === uplink.name && one.family === family);
  const wishes =
    report?.wish.announcements.filter((one) => one.uplink === uplink.name && one.family === family) ?? [];
  return {
    health: verdict.health,
    reason: verdict.reason,
    text: verdict.text,
    sinceSeconds: Math.round(elapsed(verdict.since, source.now) / 1000),
    regions: Object.fromEntries(
      [...health.regions].map(([name, one]) => [name, { health: one.health, reason: one.reason }]),
    ),
    targets: uplink.targets
      .filter((target) => target.family === family)
      .map((target) => targetStatus(source, uplink.name, target, health.targets.get(target.name))),
    evidence: verdict.evidence,
    ...figuresOf(source, { uplink: uplink.name, family }),
    ...trafficOf(source, uplink.name, family),
    session: { state: shown === undefined ? null : shown.info === '' ? shown.state : shown.info },
    ...(egress === undefined
      ? {}
      : { egress: { wish: egress.state, reason: egress.reason, text: egress.text } }),
    announcements: wishes.map((wish) => announcementStatus(source, wish, bird)),
  };
}

function trafficOf(
  { retransmissions }: StatusSource,
  uplink: string,
  family: Family,
): Pick<FamilyStatus, 'traffic'> {
  const count = retransmissions?.(uplink, family) ?? null;
  if (count === null) return {};
  return { traffic: { sentBytes: count.sent, retransmittedRatio: count.retransmitted / count.sent } };
}

function figuresOf(
  { figures }: StatusSource,
  subject: RollingSubject,
): { readonly figures?: RollingFigures } {
  return figures === undefined ? {} : { figures: figures(subject) };
}

function targetStatus(
  source: StatusSource,
  uplink: string,
  target: Target,
  verdict: Verdict | undefined,
): TargetStatus {
  return {
    name: target.name,
    address: target.address,
    region: target.region,
    health: verdict?.health ?? 'unknown',
    loss: verdict?.evidence.loss ?? null,
    rttP50Millis: verdict?.evidence.rttP50Millis ?? null,
    rttP95Millis: verdict?.evidence.rttP95Millis ?? null,
    notRun: source.notRun.of(uplink, target.family, target.name),
    ...figuresOf(source, { uplink, family: target.family, target: target.name }),
  };
}

function announcementStatus(
  source: StatusSource,
  wish: AnnouncementWish,
  bird: BirdSeen | null,
): AnnouncementStatus {
  const { service, reason, text, author } = wish;
  const left = source.changesLeft?.(announcementKey(wish.uplink, service, wish.family));
  return {
    service,
    wish: wish.state,
    reason,
    text,
    author,
    held: wish.held === null ? null : heldStatus(wish.held, source.now),
    seen: seenOf(wish, bird),
    ...viewsOf(source, wish, bird),
    ...(left === undefined ? {} : { changesLeft: left }),
    file: source.report?.file.kind ?? 'behind',
  };
}

function heldStatus({ guard, text, until }: Held, now: Instant): NonNullable<AnnouncementStatus['held']> {
  return { guard, text, remainingSeconds: until === null ? null : Math.round(elapsed(now, until) / 1000) };
}

/** The other views of it, each by itself; nothing where BIRD was not read. */
function viewsOf(
  { config, beyond }: StatusSource,
  { uplink, service, family }: AnnouncementWish,
  bird: BirdSeen | null,
): Pick<AnnouncementStatus, 'configured' | 'exported' | 'beyond'> {
  const far = beyond?.get(announcementKey(uplink, service, family));
  const behind = far === undefined ? {} : { beyond: far };
  if (bird === null) return behind;
  return {
    configured: configuredState(bird, uplink, service, family),
    exported: exportedState(bird, config.services, uplink, service, family),
    ...behind,
  };
}

/** What the carrier gets, by the session and the two protocols. */
export function seenOf(wish: AnnouncementWish, bird: BirdSeen | null): SeenState {
  const session = bird?.protocols.get(sessionName(wish.uplink, wish.family));
  const announce = bird?.protocols.get(announceName(wish.uplink, wish.service, wish.family));
  const drain = bird?.protocols.get(drainName(wish.uplink, wish.service, wish.family));
  const adopted = bird?.exports?.get(announcementKey(wish.uplink, wish.service, wish.family));
  if (announce === undefined && drain === undefined && adopted !== undefined) return adopted;
  if (session === undefined || announce === undefined || drain === undefined) return 'unknown';
  if (session.info !== 'Established') return 'session-down';
  if (isUp(drain)) return 'drained';
  return isUp(announce) ? 'exported' : 'absent';
}

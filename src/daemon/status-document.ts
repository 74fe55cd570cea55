/** The status document from the last tick's report. */
import type { BirdSeen, BirdView } from '../types/bird-view.ts';
import type { NodeConfig, Target, Uplink } from '../types/config.ts';
import type { UplinkHealth, Verdict } from '../types/health.ts';
import { announceName, drainName, sessionName } from '../types/protocol-names.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { SeenState } from '../types/wire/enums.ts';
import type {
  AnnouncementStatus,
  FamilyStatus,
  StatusDocument,
  TargetStatus,
  UplinkStatus,
} from '../types/wire/status.ts';
import type { AnnouncementWish, Held } from '../types/wish.ts';
import { isUp } from '../core/plan/plan.ts';
import type { LinkFact } from '../types/health.ts';
import type { NotRunNotes } from './not-run.ts';
import type { TickReport } from './tick.ts';

export interface StatusSource {
  readonly config: NodeConfig;
  readonly startedAt: string;
  readonly now: Instant;
  /** null: no tick has ended yet. */
  readonly report: TickReport | null;
  readonly links: ReadonlyMap<string, LinkFact>;
  readonly notRun: NotRunNotes;
  readonly prober: StatusDocument['prober'];
  readonly alarms: StatusDocument['alarms'];
  readonly overrides: StatusDocument['overrides'];
  readonly transitions: StatusDocument['transitions'];
  readonly actions: StatusDocument['actions'];
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
    overrides: source.overrides,
    transitions: source.transitions,
    actions: source.actions,
  };
}

function birdStatus(config: NodeConfig, view: BirdView | null): StatusDocument['bird'] {
  if (view === null) return { kind: 'starting', path: config.bird.socket };
  if (view.kind === 'seen') return { kind: 'seen', version: view.version, path: config.bird.socket };
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
    session: { state: shown === undefined ? null : shown.info === '' ? shown.state : shown.info },
    ...(egress === undefined
      ? {}
      : { egress: { wish: egress.state, reason: egress.reason, text: egress.text } }),
    announcements: wishes.map((wish) => announcementStatus(source, wish, bird)),
  };
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
  };
}

function announcementStatus(
  source: StatusSource,
  wish: AnnouncementWish,
  bird: BirdSeen | null,
): AnnouncementStatus {
  const { service, reason, text, author } = wish;
  return {
    service,
    wish: wish.state,
    reason,
    text,
    author,
    held: wish.held === null ? null : heldStatus(wish.held, source.now),
    seen: seenOf(wish, bird),
    file: source.report?.file.kind ?? 'behind',
  };
}

function heldStatus({ guard, text, until }: Held, now: Instant): NonNullable<AnnouncementStatus['held']> {
  return { guard, text, remainingSeconds: until === null ? null : Math.round(elapsed(now, until) / 1000) };
}

/** What the carrier gets, by the session and the two protocols. */
function seenOf(wish: AnnouncementWish, bird: BirdSeen | null): SeenState {
  const session = bird?.protocols.get(sessionName(wish.uplink, wish.family));
  const announce = bird?.protocols.get(announceName(wish.uplink, wish.service, wish.family));
  const drain = bird?.protocols.get(drainName(wish.uplink, wish.service, wish.family));
  if (session === undefined || announce === undefined || drain === undefined) return 'unknown';
  if (session.info !== 'Established') return 'session-down';
  if (isUp(drain)) return 'drained';
  return isUp(announce) ? 'exported' : 'absent';
}

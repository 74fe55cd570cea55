/** The fleet's part of the status document. */
import { hostPortText } from '../config/fleet-form.ts';
import { announcerState } from '../core/fleet/announcers.ts';
import { correlate, findingText } from '../core/fleet/correlation.ts';
import { type GroupName, keyOfGroup } from '../core/fleet/groups.ts';
import { heardPresences, stateOf } from '../core/fleet/hear.ts';
import { linkState } from '../core/fleet/link.ts';
import type { FleetMemory, FleetRules, Heard } from '../core/fleet/memory.ts';
import type { FleetConfig } from '../types/fleet-config.ts';
import type { FleetWord } from '../types/fleet-word.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { FleetStatus } from '../types/wire/fleet-status.ts';
import type { Presence } from '../types/wire/node-to-fleet.ts';

export interface FleetStatusSource {
  readonly config: FleetConfig;
  readonly memory: FleetMemory;
  readonly rules: FleetRules;
  /** What this node said last; null: nothing yet. */
  readonly self: Presence | null;
  readonly groups: readonly GroupName[];
  readonly words: ReadonlyMap<string, FleetWord>;
  readonly now: Instant;
}

type NodeStatus = FleetStatus['nodes'][number];

export function fleetStatusOf(source: FleetStatusSource): FleetStatus {
  const { memory, rules, self, groups, words, now } = source;
  const link = linkState(memory.link, rules, now);
  const heard = heardPresences(memory.nodes, rules.expireMillis, now);
  const known = self === null ? heard : [self, ...heard];
  return {
    redis: redisName(source.config),
    link: link.kind,
    text: linkText(link),
    consentInSeconds:
      link.kind === 'silent'
        ? null
        : Math.ceil((link.kind === 'settling' ? link.leftMillis : link.waitMillis) / 1000),
    nodes: [
      ...(self === null ? [] : [selfStatus(self)]),
      ...[...memory.nodes]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => nodeStatus(name, one, rules, now)),
    ],
    groups: groups.flatMap(({ service, family }) => {
      const word = words.get(keyOfGroup({ service, family }));
      if (word === undefined) return [];
      const { consent, announcingNodes, text } = word;
      return [{ service, family, consent, announcingNodes, text }];
    }),
    findings: correlate(known).map((finding) => ({
      kind: finding.kind,
      family: finding.family,
      nodes: finding.nodes,
      text: findingText(finding),
    })),
  };
}

/** Where Redis is, for people. */
export function redisName({ way }: FleetConfig): string {
  if (way.kind === 'single') return hostPortText(way);
  return `${way.master} by ${way.nodes.map((node) => hostPortText(node)).join(', ')}`;
}

function linkText(link: ReturnType<typeof linkState>): string {
  switch (link.kind) {
    case 'silent':
      return link.why;
    case 'settling':
      return 'it answers again; the other nodes are being heard';
    case 'reading':
      return link.waitMillis === 0
        ? 'it answers'
        : 'it answers; nobody is given consent for a while after a change of the master';
  }
}

function selfStatus(self: Presence): NodeStatus {
  const { node, site, mode, frozen } = self;
  return {
    node,
    site,
    self: true,
    state: 'heard',
    why: null,
    silentMillis: 0,
    mode,
    frozen,
    ...baseOf(self),
    announcements: announcementsOf(self),
  };
}

function nodeStatus(name: string, one: Heard, { expireMillis }: FleetRules, now: Instant): NodeStatus {
  const state = stateOf(one, expireMillis, now);
  const presence = state.kind === 'heard' ? state.presence : null;
  return {
    node: name,
    site: one.presence?.site ?? '',
    self: false,
    state: state.kind,
    why: state.kind === 'unknown' ? state.why : null,
    silentMillis: one.advancedAt === null ? null : Math.round(elapsed(one.advancedAt, now)),
    mode: presence?.mode ?? null,
    frozen: presence?.frozen ?? false,
    ...(presence === null ? {} : baseOf(presence)),
    announcements: presence === null ? [] : announcementsOf(presence),
  };
}

function baseOf({ base }: Presence): Pick<NodeStatus, 'base'> {
  return base === undefined ? {} : { base: base.state };
}

function announcementsOf({ announcements, mode }: Presence): NodeStatus['announcements'] {
  return announcements.map((one) => ({
    service: one.service,
    family: one.family,
    uplink: one.uplink,
    carrier: one.carrier,
    state: announcerState(one, mode),
    wish: one.wish,
    health: one.health,
  }));
}

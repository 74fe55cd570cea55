/** What is told of each uplink now: a function of the wish, of what was measured and seen, and of what was told last. */
import type { UplinkHealth } from '../../types/health.ts';
import { announcementKey, uplinkKey } from '../../types/keys.ts';
import type { ToldEvidence, ToldFamily, ToldUplink } from '../../types/told.ts';
import { families, type Family, type PerFamily } from '../../types/units.ts';
import type { SeenState, ToldState } from '../../types/wire/enums.ts';
import type { AnnouncementWish, Wish } from '../../types/wish.ts';
import type { Uplink } from '../../types/config.ts';
import type { SessionFact } from '../decide/member.ts';
import { answersMove, regionWords, type Roads } from './regions.ts';
import { compareWords, wordFor } from './words.ts';

export interface TellInput {
  readonly services: Roads['services'];
  readonly uplinks: readonly Uplink[];
  readonly wish: Wish;
  readonly health: readonly UplinkHealth[];
  /** By uplinkKey. */
  readonly sessions: ReadonlyMap<string, SessionFact>;
  /** By announcementKey; one that is not in it is unknown. */
  readonly seen: ReadonlyMap<string, SeenState>;
  readonly birdSeen: boolean;
  readonly frozen: boolean;
}

/** The sentence that goes with it is cut to this. */
const longestReason = 200;

/** `before`: what was told last, by uplink. An uplink of which nothing can be said yet is left out. */
export function tell(input: TellInput, before: ReadonlyMap<string, ToldUplink>): readonly ToldUplink[] {
  return input.uplinks.flatMap((uplink) => toldOf(input, uplink, before.get(uplink.name)) ?? []);
}

function toldOf(input: TellInput, uplink: Uplink, before: ToldUplink | undefined): ToldUplink | null {
  const own = input.wish.announcements.filter((one) => one.uplink === uplink.name);
  if (own.length === 0) return null;
  const perFamily: [Family, ToldFamily][] = [];
  for (const family of families.filter((one) => own.some((wish) => wish.family === one))) {
    const told = familyOf(input, uplink, family, own, before?.families[family]);
    if (told !== null) perFamily.push([family, told]);
  }
  const carried = new Set(own.map(({ family }) => family));
  const isBad = perFamily.some(([, { state }]) => state !== 'up');
  // A family that is left out would be forgotten by the receiver: good news waits until there is some of each.
  if (perFamily.length === 0 || (perFamily.length < carried.size && !isBad)) return null;
  const told: PerFamily<ToldFamily> = Object.fromEntries(perFamily);
  const speaking = speakingWish(own);
  return {
    uplink: uplink.name,
    carrier: uplink.carrier,
    families: told,
    held: own.find(({ held }) => held !== null)?.held?.guard ?? null,
    reason: cut(reasonOf(input.health, told, speaking)),
    evidence: evidenceOf(input.health, speaking),
  };
}

function familyOf(
  input: TellInput,
  uplink: Uplink,
  family: Family,
  own: readonly AnnouncementWish[],
  before: ToldFamily | undefined,
): ToldFamily | null {
  const services: Record<string, ToldState> = {};
  let isWhole = true;
  for (const wish of own.filter((one) => one.family === family)) {
    const word = wordFor({
      wish,
      session: input.sessions.get(uplinkKey(uplink.name, family)) ?? 'unknown',
      seen: input.seen.get(announcementKey(uplink.name, wish.service, family)) ?? 'unknown',
      birdSeen: input.birdSeen,
      last: before?.services[wish.service] ?? null,
    });
    if (word === null) isWhole = false;
    else services[wish.service] = word;
  }
  const best = Object.values(services).toSorted(compareWords)[0];
  // With a service of which nothing is known the uplink itself may be better than the others say.
  const state = isWhole || best === 'up' ? best : before?.state;
  if (state === undefined) return null;
  const health = input.health.find((one) => one.uplink === uplink.name && one.family === family);
  const roads = { services: input.services, uplinks: input.uplinks, egress: input.wish.egress };
  const regions = answersMove(roads, uplink, family)
    ? regionWords(health, before?.regions ?? {}, input.frozen || !input.birdSeen)
    : {};
  return { state, regions, services };
}

/** The wish that explains what is told: the lowest, of equal ones the first. */
function speakingWish(own: readonly AnnouncementWish[]): AnnouncementWish | undefined {
  const rank = ({ state, held }: AnnouncementWish): number =>
    (state === 'withdraw' ? 0 : state === 'drain' ? 1 : 2) + (held === null ? 0.5 : 0);
  return own.toSorted((one, other) => rank(one) - rank(other))[0];
}

function reasonOf(
  health: readonly UplinkHealth[],
  told: PerFamily<ToldFamily>,
  speaking: AnnouncementWish | undefined,
): string {
  const isUp = families.every((family) => (told[family]?.state ?? 'up') === 'up');
  for (const family of isUp ? families : []) {
    const region = Object.keys(told[family]?.regions ?? {})[0];
    const own = health.find((one) => one.uplink === speaking?.uplink && one.family === family);
    const text = region === undefined ? undefined : own?.regions.get(region)?.text;
    if (text !== undefined) return `${region}: ${text}`;
  }
  return speaking?.text ?? '';
}

function evidenceOf(
  health: readonly UplinkHealth[],
  speaking: AnnouncementWish | undefined,
): ToldEvidence | null {
  const own = health.find((one) => one.uplink === speaking?.uplink && one.family === speaking.family);
  if (own === undefined) return null;
  const { loss, rttP95Millis, targets } = own.uplinkVerdict.evidence;
  return { loss, rttP95Millis, targets };
}

function cut(text: string): string {
  return text.length <= longestReason ? text : `${text.slice(0, longestReason - 1)}…`;
}

/** Whether two say the same, whatever the order of regions and services; figures and sentences do not count. */
export function saysSame(a: ToldUplink, b: ToldUplink): boolean {
  return stateText(a) === stateText(b);
}

function stateText({ families: told, held, carrier }: ToldUplink): string {
  const sorted = (states: Readonly<Record<string, ToldState>>): string =>
    Object.keys(states)
      .toSorted()
      .map((key) => `${key}=${states[key]}`)
      .join(',');
  const perFamily = families.map((family) => {
    const one = told[family];
    return one === undefined ? '-' : `${one.state} ${sorted(one.regions)} ${sorted(one.services)}`;
  });
  return [carrier, held, ...perFamily].join('|');
}

/**
 * What this node asks of the fleet, and what an answer means. Consent is asked only where it would change the wish
 * (DESIGN 7.6); a node that is out says so for as long as it is, and gives its token back when it no longer needs it.
 *
 * The answer is one atomic step in Redis (the function of adapters/fleet-lua.ts): this node names the nodes that it
 * heard announcing, and each of them counts if it has said nothing else since and holds no token itself. A second node
 * within the window needs stronger evidence: its targets are seen well elsewhere, and one announcing node more than
 * keep_nodes remains for each that left before.
 */
import { elapsed, type Instant } from '../../types/units.ts';
import type { Presence } from '../../types/wire/node-to-fleet.ts';
import { announces } from './announcers.ts';
import { evidenceOf } from './evidence.ts';
import { type GroupName, keyOfGroup } from './groups.ts';
import { heardPresences } from './hear.ts';
import { linkGood, linkState } from './link.ts';
import type { FleetMemory, FleetRules } from './memory.ts';

/** Why a group needs the fleet. */
export type Want =
  /** With consent it would leave: a link verdict, or a service that is not ready. */
  | { readonly kind: 'leave'; readonly group: GroupName; readonly cause: 'link' | 'not-ready' }
  /** It has left with consent. */
  | { readonly kind: 'out'; readonly group: GroupName };

/** A node that announces, with the word that says so. */
export interface Witness {
  readonly node: string;
  readonly epoch: number;
  readonly content: number;
  readonly inSite: boolean;
}

export type Ask =
  | {
      readonly kind: 'leave';
      readonly group: string;
      readonly witnesses: readonly Witness[];
      /** Witnesses of the whole fleet, and of this site, that must remain. */
      readonly need: number;
      readonly needInSite: number;
      /** Whether the evidence would do for a second node within the window. */
      readonly strong: boolean;
    }
  | { readonly kind: 'hold' | 'release'; readonly group: string };

export type Answer =
  | { readonly kind: 'given' | 'released' }
  /** Another master, or other data, than this node knows. */
  | { readonly kind: 'anew' }
  /** A younger daemon speaks under this name. */
  | { readonly kind: 'fenced' }
  /** `count` witnesses stand, `need` must. */
  | { readonly kind: 'few'; readonly count: number; readonly need: number }
  | { readonly kind: 'window' | 'evidence'; readonly recent: number };

/** More than any keep_nodes needs, and little for Redis. */
const mostWitnesses = 64;

/** What is to be asked now, in this order; nothing while consent may not be asked. */
export function asksOf(
  memory: FleetMemory,
  wants: readonly Want[],
  self: Presence,
  rules: FleetRules,
  now: Instant,
): readonly Ask[] {
  const wanted = new Set(wants.map(({ group }) => keyOfGroup(group)));
  const releases = [...memory.maybeHeld]
    .filter((group) => !wanted.has(group))
    .map((group): Ask => ({ kind: 'release', group }));
  const link = linkState(memory.link, rules, now);
  if (link.kind === 'silent') return [];
  const others = heardPresences(memory.nodes, rules.expireMillis, now);
  const holds = wants
    .filter(({ kind }) => kind === 'out')
    .map(({ group }): Ask => ({ kind: 'hold', group: keyOfGroup(group) }));
  const mayAsk = link.kind === 'reading' && link.waitMillis === 0 && !hasNamesake(memory, rules, now);
  const leaves = mayAsk ? wants.flatMap((want) => leaveAsk(want, others, self, rules)) : [];
  return [...releases, ...holds, ...leaves];
}

/** Whether another daemon spoke under this node's name a moment ago. */
export function hasNamesake({ link }: FleetMemory, rules: FleetRules, now: Instant): boolean {
  return link.namesakeAt !== null && elapsed(link.namesakeAt, now) < 2 * rules.expireMillis;
}

function leaveAsk(
  want: Want,
  others: readonly Presence[],
  self: Presence,
  rules: FleetRules,
): readonly Ask[] {
  if (want.kind !== 'leave') return [];
  const { service, family } = want.group;
  const evidence = want.cause === 'link' ? evidenceOf(self, others, service, family) : 'own';
  if (evidence === 'shared') return [];
  const witnesses = others
    .filter((presence) => announces(presence, service, family))
    .map(({ node, epoch, content, site }) => ({
      node,
      epoch,
      content: content ?? 0,
      inSite: site === rules.site,
    }))
    .toSorted((a, b) => Number(b.inSite) - Number(a.inSite))
    .slice(0, mostWitnesses);
  const need = Math.min(rules.keepNodes, mostWitnesses);
  const needInSite = rules.perSite ? need : 0;
  const group = keyOfGroup(want.group);
  return [{ kind: 'leave', group, witnesses, need, needInSite, strong: evidence === 'own' }];
}

/**
 * After a cycle that published and read. A master that was not met before may hold any token of this node: one that a
 * forerunner took, or one whose return was told to another master. What is not needed is given back.
 */
export function readMaster(
  memory: FleetMemory,
  master: string,
  groups: readonly GroupName[],
  now: Instant,
): FleetMemory {
  const link = linkGood(memory.link, master, now);
  if (master === memory.link.master) return { ...memory, link };
  return { ...memory, link, maybeHeld: new Set(groups.map((group) => keyOfGroup(group))) };
}

/** A token that is not needed any more is not held any more, whether Redis hears of it or not. */
export function dropUnwanted(memory: FleetMemory, wants: readonly Want[]): FleetMemory {
  const wanted = new Set(wants.map(({ group }) => keyOfGroup(group)));
  if ([...memory.tokens.keys()].every((group) => wanted.has(group))) return memory;
  return { ...memory, tokens: new Map([...memory.tokens].filter(([group]) => wanted.has(group))) };
}

/**
 * A consent is for one leaving. Once this node is out its tokens only say so: if it returns because too few announce, it
 * has to ask again. `out`: groupKeys.
 */
export function spendTokens(memory: FleetMemory, out: readonly string[]): FleetMemory {
  if (!out.some((group) => memory.tokens.get(group)?.granted === true)) return memory;
  const tokens = new Map(
    [...memory.tokens].map(([group, token]) => [
      group,
      out.includes(group) ? { ...token, granted: false } : token,
    ]),
  );
  return { ...memory, tokens };
}

/** Before a question is sent: a token that is given back is not held any more, whatever comes of it. */
export function asking(memory: FleetMemory, ask: Ask): FleetMemory {
  if (ask.kind !== 'release') return { ...memory, maybeHeld: new Set([...memory.maybeHeld, ask.group]) };
  return { ...memory, tokens: without(memory.tokens, ask.group) };
}

/** Takes an answer; `sentAt`: when the question was sent, `master`: whom it named. */
export function answered(
  memory: FleetMemory,
  ask: Ask,
  answer: Answer,
  { sentAt, master }: { readonly sentAt: Instant; readonly master: string },
): FleetMemory {
  const { group } = ask;
  const { tokens, refusals } = memory;
  switch (answer.kind) {
    case 'given': {
      const token = { master, at: sentAt, granted: ask.kind === 'leave' };
      return {
        ...memory,
        tokens: new Map(tokens).set(group, token),
        refusals: without(refusals, group),
      };
    }
    case 'released':
      return {
        ...memory,
        tokens: without(tokens, group),
        refusals: without(refusals, group),
        maybeHeld: new Set([...memory.maybeHeld].filter((one) => one !== group)),
      };
    case 'anew':
    case 'fenced':
    case 'few':
    case 'window':
    case 'evidence':
      return {
        ...memory,
        tokens: without(tokens, group),
        refusals: new Map(refusals).set(group, { at: sentAt, text: refusalText(answer) }),
      };
  }
}

function refusalText(answer: Exclude<Answer, { readonly kind: 'given' | 'released' }>): string {
  switch (answer.kind) {
    case 'anew':
      return 'Redis has another master, or was wiped';
    case 'fenced':
      return 'another daemon speaks under the name of this node';
    case 'few':
      return `${answer.count} other nodes announce it for sure, ${answer.need} must remain`;
    case 'window':
      return `${answer.recent} other nodes left a moment ago`;
    case 'evidence':
      return `${answer.recent} other nodes left a moment ago, and nobody else sees these targets well`;
  }
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  return new Map([...map].filter(([one]) => one !== key));
}

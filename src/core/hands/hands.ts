/**
 * Hands in BIRD, adopted as overrides of author `birdc`.
 *
 *   taken down by a hand                       → override: withdraw (announcement), off (learn_, bgp_)
 *   taken up again, after a hand took it down  → the override ends; the wish puts the pair right
 *   taken up against a verdict, by a hand for sure → override: announce or drain, as the pair then stands
 *   up after a restart or configure of BIRD    → nobody's word: the wish is restored
 *   down by a hand that an operator released   → nobody's word, until it was up once
 */
import { type BirdSeen, isSameMoment, type ProtocolSeen } from '../../types/bird-view.ts';
import type { Override, OverrideSubject } from '../../types/override.ts';
import { isDownDescription } from '../plan/file-words.ts';
import { isUp } from '../plan/plan.ts';
import { type ProtocolSubject, subjectKey } from './subject.ts';
import { whoseMessage, whoTookDown } from './who.ts';

/** What BIRD showed at the last look; plain data, kept over restarts of the daemon. */
export interface LastLook {
  readonly bootMillis: number | null;
  readonly configuredMillis: number | null;
  /** BIRD's own clock at the look. */
  readonly serverMillis?: number | null;
  /** It was kept by a daemon that ended since. */
  readonly beforeRestart?: true;
  /** By protocol name: up, or down and by whom. */
  readonly up: Readonly<Record<string, boolean>>;
}

export interface HandsInput {
  readonly subjects: ReadonlyMap<string, ProtocolSubject>;
  readonly seen: BirdSeen;
  /** null: none, or too old to be compared. */
  readonly last: LastLook | null;
  /** Protocols that we switched since the last look: what they show is ours, but for the words of another. */
  readonly switched: ReadonlySet<string>;
  /** Whether the owned file is as we left it. */
  readonly fileIsOurs: boolean;
  readonly overrides: readonly Override[];
  /** Subjects (by subjectKey) whose override ended a moment ago: the other one of the pair may still come up. */
  readonly settling: ReadonlySet<string>;
  /** Protocols that an operator released from a hand: what holds them down is no hand any more, until they were up. */
  readonly released?: ReadonlySet<string>;
  /** ISO 8601, for people. */
  readonly at: string;
}

export interface HandEvent {
  readonly kind: 'adopted' | 'ended';
  readonly protocol: string;
  readonly override: Override;
}

export interface HandsResult {
  readonly overrides: readonly Override[];
  readonly events: readonly HandEvent[];
}

export function readHands(input: HandsInput): HandsResult {
  if (!input.seen.running) return { overrides: input.overrides, events: [] };
  let overrides = input.overrides;
  const events: HandEvent[] = [];
  const ended = new Set(input.settling);
  for (const [protocol, { role, subject }] of input.subjects) {
    const change = handOn(input, protocol, role, subject, overrides);
    if (change === null || (change.override.state !== 'withdraw' && ended.has(subjectKey(subject)))) continue;
    if (change.kind === 'ended') ended.add(subjectKey(subject));
    const others = overrides.filter((one) => subjectKey(one.subject) !== subjectKey(subject));
    overrides = change.kind === 'adopted' ? [...others, change.override] : others;
    events.push({ ...change, protocol });
  }
  return { overrides, events };
}

type Change = Omit<HandEvent, 'protocol'> | null;

function handOn(
  input: HandsInput,
  protocol: string,
  role: ProtocolSubject['role'],
  subject: OverrideSubject,
  overrides: readonly Override[],
): Change {
  const shown = input.seen.protocols.get(protocol);
  if (shown === undefined) return null;
  if (input.switched.has(protocol) && !isDownByOthersWords(shown)) return null;
  const current = overrides.find((one) => subjectKey(one.subject) === subjectKey(subject)) ?? null;
  if (shown.state === 'down') {
    if (current?.state === 'withdraw' || whoTookDown(shown, input.seen) !== 'hand') return null;
    // BIRD keeps the hand's message until the protocol goes up again.
    if (input.released?.has(protocol) === true) return null;
    if (role === 'drain' && !wasUp(input, protocol)) return null;
    const reason =
      shown.message === null || shown.message === '' ? `birdc disable ${protocol}` : shown.message;
    return { kind: 'adopted', override: override(subject, 'withdraw', reason, input.at) };
  }
  // Our own enable says so, even where the daemon died before it could remember it.
  if (whoseMessage(shown) === 'causeway' || !isUp(shown)) return null;
  if (!wasDown(input, protocol) && !isUpAgainstFile(input, protocol, shown)) return null;
  if (current?.state === 'withdraw')
    return current.author === 'birdc' ? { kind: 'ended', override: current } : null;
  return isNews(input, shown) ? takenUp(input, role, subject, current) : null;
}

/**
 * Each command of ours leaves its own words, so those of another were said after it: a hand that takes a protocol down in
 * the moment after we took it up is no less a hand.
 */
function isDownByOthersWords(shown: ProtocolSeen): boolean {
  return shown.state === 'down' && whoseMessage(shown) === 'hand';
}

/** How much a look that a forerunner kept may be older than what that one had taken in when it ended. */
const oldLookMillis = 3000;

/** Not what a forerunner had heard already, after the look that it kept last. */
function isNews({ last }: HandsInput, { sinceMillis }: ProtocolSeen): boolean {
  if (last?.beforeRestart !== true) return true;
  const { serverMillis } = last;
  if (typeof serverMillis !== 'number' || sinceMillis === null) return false;
  return sinceMillis > serverMillis + oldLookMillis;
}

/** Taken up by a hand against a verdict. Honoured only where nothing but a hand can have done it. */
function takenUp(
  input: HandsInput,
  role: ProtocolSubject['role'],
  subject: OverrideSubject,
  current: Override | null,
): Change {
  if (current !== null || !input.fileIsOurs || subject.kind !== 'announcement') return null;
  const state = role === 'drain' ? 'drain' : 'announce';
  return {
    kind: 'adopted',
    override: override(subject, state, `birdc enable ${role}_${subjectKey(subject)}`, input.at),
  };
}

/** Down at the last look, with no restart or configure of BIRD since. */
function wasDown({ last, seen }: HandsInput, protocol: string): boolean {
  if (last === null) return false;
  const { bootMillis, configuredMillis } = last;
  if (!isSameMoment(bootMillis, seen.bootMillis) || !isSameMoment(configuredMillis, seen.configuredMillis))
    return false;
  return bootMillis !== null && last.up[protocol] === false;
}

/**
 * Down at the last look, and up although the text that BIRD parsed since holds it down: a `configure` or a start takes such
 * a protocol down, so it was enabled, however soon after. The description that BIRD shows is the one that it parsed.
 */
function isUpAgainstFile(
  { seen, last, fileIsOurs }: HandsInput,
  protocol: string,
  shown: ProtocolSeen,
): boolean {
  const { sinceMillis, description } = shown;
  if (!fileIsOurs || last?.up[protocol] !== false) return false;
  if (sinceMillis === null || seen.configuredMillis === null) return false;
  return isDownDescription(description) && sinceMillis > seen.configuredMillis;
}

/** Up at the last look, or taken up by us since. */
function wasUp({ last, switched }: HandsInput, protocol: string): boolean {
  return last === null || switched.has(protocol) || last.up[protocol] !== false;
}

function override(subject: OverrideSubject, state: Override['state'], reason: string, at: string): Override {
  return { subject, state, author: 'birdc', reason, at, expires: null };
}

/** Of the protocols that were released, those that still show the hand's state. */
export function stillReleased(released: ReadonlySet<string>, seen: BirdSeen): ReadonlySet<string> {
  return new Set([...released].filter((protocol) => seen.protocols.get(protocol)?.state === 'down'));
}

/** What to compare the next look with. */
export function lookOf(seen: BirdSeen, subjects: ReadonlyMap<string, ProtocolSubject>): LastLook {
  const up: Record<string, boolean> = {};
  for (const name of subjects.keys()) {
    const shown = seen.protocols.get(name);
    if (shown !== undefined && (isUp(shown) || shown.state === 'down')) up[name] = isUp(shown);
  }
  const { bootMillis, configuredMillis, serverMillis } = seen;
  return { bootMillis, configuredMillis, serverMillis, up };
}

/** Overrides of operators: given, released and ended. Kept on disk before they act. */
import { subjectKey, subjectsOf } from '../core/hands/subject.ts';
import { deadlinesFor, hasEnded } from '../core/overrides/expiry.ts';
import { isAround, isWithin, selectionText, subjectText, withOverride } from '../core/overrides/selection.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Override, OverrideSubject } from '../types/override.ts';
import type { OperatorAnswer, OverrideRequest, ReleaseRequest } from '../types/wire/operator.ts';
import type { Wish } from '../types/wish.ts';
import { changesBetween, lastOnesTaken, wishWith } from './preview.ts';
import { giveToFleet, hasFleet, noFleetText, releaseInFleet, standingInFleet } from './fleet-give.ts';
import { done, type OperatorResult, type OperatorScene, refused } from './operator-scene.ts';

/** A disk that takes longer holds no operator up. */
const keepWaitMillis = 1000;

export async function giveOverride(scene: OperatorScene, request: OverrideRequest): Promise<OperatorResult> {
  if (request.fleet && !hasFleet(scene)) return refused(409, noFleetText);
  const unknownName = notInConfig(scene.config(), request.selection);
  if (unknownName !== null) return refused(404, unknownName);
  const override = overrideOf(request, scene.wallTime());
  if (override === null) return refused(400, 'ends.time: a time that is still to come');
  const { world } = scene;
  const overrides = withOverride(world.overrides, override, subjectKey);
  const before = wishWithout(scene, world.overrides);
  const after = wishWithout(scene, overrides);
  const taken = lastOnesTaken(before, after);
  if (taken.length > 0 && !request.last && !request.dryRun) return refused(409, lastText(taken));
  const answer: OperatorAnswer = {
    schema: 1,
    done: !request.dryRun,
    changes: changesBetween(before, after),
    begun: [override],
    ended: world.overrides.filter((one) => !overrides.includes(one)),
    notes: [
      ...notesOf(scene),
      ...world.overrides.filter((one) => standsAgainst(one, override)).map((one) => againstText(one)),
      ...(taken.length > 0 && request.dryRun ? [lastText(taken)] : []),
    ],
  };
  if (request.dryRun) return done(answer);
  const kept = await takeOverrides(scene, overrides, world.released);
  scene.words.override('set', override, override.author);
  const told = request.fleet ? [giveToFleet(scene, override, request)] : [];
  return done(withKept({ ...answer, notes: [...answer.notes, ...told] }, kept));
}

export async function releaseOverrides(
  scene: OperatorScene,
  request: ReleaseRequest,
): Promise<OperatorResult> {
  const { selection, states } = request;
  if (request.fleet && !hasFleet(scene)) return refused(409, noFleetText);
  const unknownName = notInConfig(scene.config(), selection);
  if (unknownName !== null) return refused(404, unknownName);
  const { world } = scene;
  const ended = world.overrides.filter(
    ({ subject, state }) => isWithin(subject, selection) && (states === null || states.includes(state)),
  );
  const inFleet = request.fleet ? standingInFleet(scene, request) : [];
  if (ended.length === 0 && inFleet.length === 0)
    return refused(409, nothingToRelease(world.overrides, request));
  const overrides = world.overrides.filter((one) => !ended.includes(one));
  const answer: OperatorAnswer = {
    schema: 1,
    done: !request.dryRun,
    changes: changesBetween(wishWithout(scene, world.overrides), wishWithout(scene, overrides)),
    begun: [],
    ended,
    notes: [
      ...notesOf(scene),
      ...overrides.filter(({ subject }) => isAround(subject, selection)).map((one) => againstText(one)),
    ],
  };
  if (request.dryRun) return done(answer);
  const released = new Set([...world.released, ...protocolsOf(scene.config(), ended)]);
  const kept = await takeOverrides(scene, overrides, released);
  for (const one of ended) scene.words.override('released', one, request.author);
  const told = inFleet.map((subject) => releaseInFleet(scene, subject, request.author));
  return done(withKept({ ...answer, notes: [...answer.notes, ...new Set(told)] }, kept));
}

/** Ends what has expired. While frozen, expiries wait: what was in force at the freeze stays. */
export async function endExpired(scene: OperatorScene): Promise<void> {
  const { world } = scene;
  const { operator } = world;
  const wallMillis = Date.parse(scene.wallTime());
  operator.deadlines = deadlinesFor(world.overrides, operator.deadlines, wallMillis, scene.now());
  if (operator.freeze !== null) return;
  const ended = world.overrides.filter((one) => hasEnded(one, operator.deadlines, wallMillis, scene.now()));
  if (ended.length === 0) return;
  const overrides = world.overrides.filter((one) => !ended.includes(one));
  await takeOverrides(scene, overrides, world.released);
  for (const one of ended) scene.words.override('expired', one, 'causeway');
}

async function takeOverrides(
  scene: OperatorScene,
  overrides: readonly Override[],
  released: ReadonlySet<string>,
): Promise<boolean> {
  const kept = await scene.store.save({ overrides, released }, keepWaitMillis);
  scene.world.overrides = overrides;
  scene.world.released = released;
  return kept;
}

/** The wish of the last tick's inputs with these overrides of operators and hands. */
function wishWithout({ world }: OperatorScene, overrides: readonly Override[]): Wish {
  const { decided, maintenance } = world.operator;
  if (decided === null) return { announcements: [], egress: [] };
  return wishWith(decided, world.decide, { overrides: [...overrides, ...maintenance] });
}

function overrideOf(
  { selection, state, author, reason, ends, fleet }: OverrideRequest,
  at: string,
): Override | null {
  const subject: OverrideSubject = { kind: 'selection', ...selection };
  const now = Date.parse(at);
  const base = { subject, state, author, reason, at, ...(fleet ? { scope: 'fleet' as const } : {}) };
  switch (ends.kind) {
    case 'never':
      return { ...base, expires: null };
    case 'after':
      return { ...base, expires: new Date(now + ends.millis).toISOString() };
    case 'at': {
      const end = new Date(ends.time);
      return end.getTime() > now ? { ...base, expires: end.toISOString() } : null;
    }
  }
}

/** A narrower override about a part of it, which stands above the new one. */
function standsAgainst(one: Override, given: Override): boolean {
  if (one.subject.kind === 'egress' || one.subject.kind === 'session' || given.subject.kind !== 'selection')
    return false;
  return (
    subjectKey(one.subject) !== subjectKey(given.subject) &&
    isWithin(one.subject, given.subject) &&
    one.state !== given.state
  );
}

function againstText({ subject, state, author, reason }: Override): string {
  return `still in force: ${state} of ${subjectText(subject)} by ${author} (${reason})`;
}

function nothingToRelease(overrides: readonly Override[], { selection, states }: ReleaseRequest): string {
  const around = overrides.find(({ subject }) => isAround(subject, selection));
  const what = states === null ? 'override' : `override to ${states.join(' or ')}`;
  const none = `no ${what} about ${selectionText(selection)} stands`;
  return around === undefined ? none : `${none}; one about ${subjectText(around.subject)} does: release that`;
}

function lastText(taken: readonly string[]): string {
  return `this leaves no undrained announcement of ${taken.join(', ')} on this node, and no fleet says that another node has one: say --last if that is meant`;
}

function notInConfig(
  { uplinks, services }: NodeConfig,
  selection: OverrideRequest['selection'],
): string | null {
  const { uplink, service } = selection;
  if (uplink !== null && !uplinks.some(({ name }) => name === uplink))
    return `no uplink ${uplink} here: ${uplinks.map(({ name }) => name).join(', ')}`;
  if (service !== null && !services.some(({ name }) => name === service))
    return `no service ${service} here: ${services.map(({ name }) => name).join(', ')}`;
  return null;
}

/** Those that a hand took down, and that may go up again now. */
function protocolsOf(config: NodeConfig, ended: readonly Override[]): readonly string[] {
  const keys = new Set(
    ended.filter(({ author }) => author === 'birdc').map(({ subject }) => subjectKey(subject)),
  );
  return [...subjectsOf(config)]
    .filter(([, { subject }]) => keys.has(subjectKey(subject)))
    .map(([name]) => name);
}

function notesOf(scene: OperatorScene): readonly string[] {
  return scene.config().mode === 'observe' ? ['mode is observe: BIRD is told nothing'] : [];
}

function withKept(answer: OperatorAnswer, kept: boolean): OperatorAnswer {
  if (kept) return answer;
  const note =
    'it acts, but is not on the disk yet: until the alarm `overrides-not-kept` ends, a restart forgets it';
  return { ...answer, notes: [...answer.notes, note] };
}

/** Freeze and thaw (DESIGN §7.13). */
import type { Freeze } from '../types/freeze.ts';
import { messageOf } from '../types/message-of.ts';
import type { FreezeRequest, OperatorAnswer, ThawRequest } from '../types/wire/operator.ts';
import { hasFleet, noFleetText, saidHere } from './fleet-give.ts';
import { done, type OperatorResult, type OperatorScene, refused } from './operator-scene.ts';
import { changesBetween, wishWith } from './preview.ts';

/** A disk that takes longer holds no freeze up. */
const keepWaitMillis = 1000;

export async function freezeWish(scene: OperatorScene, request: FreezeRequest): Promise<OperatorResult> {
  const { operator } = scene.world;
  const { author, reason, dryRun } = request;
  if (request.fleet && !hasFleet(scene)) return refused(409, noFleetText);
  const isWider = request.fleet && operator.freeze !== null && operator.freeze.scope !== 'fleet';
  if (operator.freeze !== null && !isWider) {
    const { author: by, at, reason: why } = operator.freeze;
    return refused(409, `it is frozen already, by ${by} since ${at}: ${why}`);
  }
  if (dryRun) return done(answerOf(false, []));
  const at = scene.wallTime();
  const freeze: Freeze = { author, reason, at, ...(request.fleet ? { scope: 'fleet' } : {}) };
  const kept = await scene.freezeFile.freeze(freeze, keepWaitMillis);
  operator.freeze = freeze;
  scene.words.freeze('frozen', freeze, author);
  const answer = answerOf(true, request.fleet ? [giveFreeze(scene, author, { author, reason, at })] : []);
  if (kept) return done(answer);
  const note = 'it acts, but could not be written into the state folder: a restart of the daemon thaws it';
  return done({ ...answer, notes: [...answer.notes, note] });
}

/** What was due meanwhile comes at once, as far as the guards let it. */
export async function thawWish(scene: OperatorScene, request: ThawRequest): Promise<OperatorResult> {
  const { world } = scene;
  const { operator, decide } = world;
  const { freeze, decided } = operator;
  const wallMillis = Date.parse(scene.wallTime());
  if (request.fleet && !hasFleet(scene)) return refused(409, noFleetText);
  if (freeze === null && !request.fleet) return refused(409, 'it is not frozen');
  const due = world.overrides.filter(({ expires }) => expires !== null && Date.parse(expires) <= wallMillis);
  // What waited for the thaw: expiries, and windows that began or ended meanwhile.
  const overrides = [
    ...world.overrides.filter((one) => !due.includes(one)),
    ...scene.calendar.at(wallMillis),
  ];
  const changes =
    decided === null
      ? []
      : changesBetween(wishWith(decided, decide, {}), wishWith(decided, decide, { overrides, freeze: null }));
  const stays = freeze?.scope === 'fleet' && !request.fleet;
  const notes = stays ? ['this node alone: the fleet stays frozen until `causeway thaw --fleet`'] : [];
  const answer = { ...answerOf(!request.dryRun, notes), changes, ended: due };
  if (request.dryRun) return done(answer);
  try {
    await scene.freezeFile.thaw();
  } catch (error) {
    return refused(503, `it is still frozen: ${messageOf(error)}`);
  }
  operator.freeze = null;
  if (freeze !== null) scene.words.freeze('thawed', freeze, request.author);
  if (!request.fleet) return done(answer);
  return done({ ...answer, notes: [...notes, giveFreeze(scene, request.author, null)] });
}

/** Tells every node; the note says when they hear it. */
function giveFreeze(scene: OperatorScene, author: string, freeze: Freeze | null): string {
  return scene.fleet?.give({ kind: 'freeze', ...saidHere(scene, author), freeze }) ?? noFleetText;
}

/** Sees a freeze that came or went by the file alone. */
export async function lookAtFreeze(scene: OperatorScene): Promise<void> {
  const { operator } = scene.world;
  const before = operator.freeze;
  const now = await scene.freezeFile.look();
  operator.freeze = now;
  if (before === null && now !== null) scene.words.freeze('frozen', now, now.author);
  if (before !== null && now === null) scene.words.freeze('thawed', before, 'file');
}

function answerOf(isDone: boolean, notes: readonly string[]): OperatorAnswer {
  return { schema: 1, done: isDone, changes: [], begun: [], ended: [], notes };
}

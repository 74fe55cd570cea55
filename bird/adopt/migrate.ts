/**
 * Takes one uplink over from the operator's sessions to Causeway's, as a machine whose steps are given to it:
 *
 *   look ─ drain ─ wait ─ take-over ─ return
 *            └──────┴─────────┴──▶ both files back, and a plain `configure` of them
 *
 * drain changes the old session's export filter (no reset); take-over is the one step that closes it: under a `configure
 * timeout`, confirmed only when the new session is up, exports what it should, and no other session has moved.
 */
import type { BirdSeen } from '../../src/types/bird-view.ts';
import { messageOf } from '../../src/types/message-of.ts';
import { drainName, sessionName } from '../../src/types/protocol-names.ts';
import { movedSessions, notDrained, notTakenOver, otherSessions } from './migrate-checks.ts';
import type { MigratePlan, MigrateWorld, Texts } from './migrate-plan.ts';
import { drainSessions, includeOwned, takeOut } from './operator-text.ts';

export type MigrateStep = 'look' | 'drain' | 'wait' | 'take-over' | 'return' | 'put-back';

export type MigrateResult =
  | { readonly kind: 'migrated' }
  /** Nothing was changed. */
  | { readonly kind: 'refused'; readonly why: string }
  /** All is as it was before, but for sessions that were closed. */
  | { readonly kind: 'put-back'; readonly why: string }
  | { readonly kind: 'stuck'; readonly why: string };

export type Say = (step: MigrateStep, text: string) => void;

const undoSeconds = 120;

/** What each step will do and which session it closes, told before anything happens. */
export function foretold(plan: MigratePlan, seen: BirdSeen): readonly string[] {
  const old = plan.adopted.map(({ name }) => name).join(', ');
  const fresh = plan.adopted.map(({ uplink, family }) => sessionName(uplink, family)).join(', ');
  const others = otherSessions(plan, seen).map(({ name }) => name);
  const untouched = others.length === 0 ? 'there are no other sessions' : `untouched: ${others.join(', ')}`;
  const down = [...seen.protocols.values()].filter(({ state }) => state === 'down').map(({ name }) => name);
  return [
    ...(down.length === 0
      ? []
      : [
          `note: ${down.join(', ')} is down; if a hand did that, every \`configure\` brings it up again unless the file says \`disabled\``,
        ]),
    ...(plan.drainFirst
      ? [
          `drain: the export of ${old} in ${plan.confPath} gets the marks of policy.drain, and \`configure\` sends them; resets no session`,
          `wait: ${Math.round(plan.drainMillis / 1000)} s for traffic to go elsewhere`,
        ]
      : []),
    `take-over: ${old} becomes a comment in ${plan.confPath}, ${plan.ownedPath} brings ${fresh}, drained; RESETS ${old} (removed: Cease 6/3) once, ${untouched}`,
    `return: the drain of ${plan.uplink} is taken away; resets no session`,
  ];
}

export async function migrate(world: MigrateWorld, plan: MigratePlan, say: Say): Promise<MigrateResult> {
  let before: Texts;
  let seen: BirdSeen;
  try {
    [seen, before] = [await world.look(), await world.texts()];
    for (const { name } of plan.adopted)
      if (seen.protocols.get(name)?.proto !== 'BGP')
        return { kind: 'refused', why: `BIRD has no BGP protocol ${name}` };
    const target = await targetOf(world, plan, before);
    if (typeof target === 'string') return { kind: 'refused', why: target };
    const drained = plan.drainFirst ? drainSessions(before.conf, plan.adopted, plan.marks) : null;
    if (drained?.kind === 'cannot')
      return { kind: 'refused', why: `${drained.why}: drain it by hand and give --no-drain` };
    await world.keep(before);
    return await change(world, plan, { before, seen, target, drained: drained?.text ?? null }, say);
  } catch (error) {
    return { kind: 'refused', why: messageOf(error) };
  }
}

interface Prepared {
  readonly before: Texts;
  readonly seen: BirdSeen;
  readonly target: Texts;
  readonly drained: string | null;
}

/** Both files as they will be after the take-over; a sentence where that cannot be. */
async function targetOf(world: MigrateWorld, plan: MigratePlan, before: Texts): Promise<Texts | string> {
  const taken = takeOut(before.conf, plan.adopted);
  if (taken.kind === 'cannot') return taken.why;
  const target = { conf: includeOwned(taken.text, plan.ownedPath), owned: await world.render('drain') };
  return (await world.check(target)) ?? target;
}

async function change(
  world: MigrateWorld,
  plan: MigratePlan,
  prepared: Prepared,
  say: Say,
): Promise<MigrateResult> {
  try {
    if (prepared.drained !== null) {
      await drain(world, plan, { ...prepared, drained: prepared.drained }, say);
      say('wait', `${Math.round(plan.drainMillis / 1000)} s for traffic to go elsewhere`);
      await world.pause(plan.drainMillis);
    }
    await takeOver(world, plan, prepared, say);
  } catch (error) {
    return putBack(world, messageOf(error), say);
  }
  try {
    await bringBack(world, plan, prepared.target, say);
    await world.forget();
    return { kind: 'migrated' };
  } catch (error) {
    // The session is taken over and drained: that is sound, and the next step by hand is small.
    await world.forget();
    return { kind: 'stuck', why: `${plan.uplink} is taken over and still drained: ${messageOf(error)}` };
  }
}

async function drain(
  world: MigrateWorld,
  plan: MigratePlan,
  { before, seen, drained }: Prepared & { readonly drained: string },
  say: Say,
): Promise<void> {
  const texts = { conf: drained, owned: before.owned };
  const problem = await world.check(texts);
  if (problem !== null) throw new Error(`${problem} (drain it by hand and give --no-drain)`);
  await world.put(texts);
  await world.configure(undoSeconds);
  await until(world, async () => {
    const now = await world.look();
    const moved = movedSessions(seen, now, []);
    if (moved.length > 0) throw new Error(`${moved.join(', ')} moved, and no session should have`);
    return notDrained(world, plan, now);
  });
  if (!(await world.confirm()))
    throw new Error('somebody ended the pending `configure` before we could confirm it');
  say(
    'drain',
    `${plan.adopted.map(({ name }) => name).join(', ')} still announced, drained; no session moved`,
  );
}

async function takeOver(
  world: MigrateWorld,
  plan: MigratePlan,
  { seen, target }: Prepared,
  say: Say,
): Promise<void> {
  say('take-over', `${plan.adopted.map(({ name }) => name).join(', ')} is closed now`);
  await world.put(target);
  await world.configure(undoSeconds);
  await until(world, async () => {
    const now = await world.look();
    const moved = movedSessions(
      seen,
      now,
      plan.adopted.map(({ name }) => name),
    );
    if (moved.length > 0) throw new Error(`${moved.join(', ')} moved, and should not have`);
    return notTakenOver(world, plan, now, 'drained');
  });
  if (!(await world.confirm()))
    throw new Error('somebody ended the pending `configure` before we could confirm it');
  const fresh = plan.adopted.map(({ uplink, family }) => sessionName(uplink, family)).join(', ');
  say('take-over', `${fresh} is up and exports what it should, drained; no other session moved`);
}

/** The file first, then the commands, as for every change of the wish. */
async function bringBack(world: MigrateWorld, plan: MigratePlan, target: Texts, say: Say): Promise<void> {
  await world.put({ conf: target.conf, owned: await world.render('announce') });
  for (const { name, family } of plan.services) await world.disable(drainName(plan.uplink, name, family));
  await until(world, async () => notTakenOver(world, plan, await world.look(), 'announced'));
  say('return', `${plan.uplink} is announced by Causeway's own protocols`);
}

async function putBack(world: MigrateWorld, why: string, say: Say): Promise<MigrateResult> {
  say('put-back', why);
  try {
    await world.restore();
    await world.configure(null);
    await world.forget();
    return { kind: 'put-back', why };
  } catch (error) {
    return { kind: 'stuck', why: `${why}; and it could not be put back: ${messageOf(error)}` };
  }
}

/** null as soon as it is so; else what is missing, until there is no time left. */
async function until(world: MigrateWorld, missing: () => Promise<string | null>): Promise<void> {
  for (;;) {
    const lack = await missing();
    if (lack === null) return;
    if (!(await world.waitForNextLook())) throw new Error(lack);
  }
}

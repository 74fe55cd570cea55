/** Whether a step of a migration has had its effect, and no other one: read back from BIRD. */
import { type BirdSeen, isSameMoment, type ProtocolSeen } from '../../src/types/bird-view.ts';
import { announceName, sessionName } from '../../src/types/protocol-names.ts';
import type { Family } from '../../src/types/units.ts';
import type { MigratePlan, MigrateWorld } from './migrate-plan.ts';

/** What is not drained yet of the old sessions; null: all is. */
export async function notDrained(
  world: Pick<MigrateWorld, 'exported'>,
  plan: MigratePlan,
  now: BirdSeen,
): Promise<string | null> {
  for (const { name, family } of plan.adopted) {
    if (!isEstablished(now.protocols.get(name))) continue;
    const lack = await notExported(world, plan, name, family, 'drained');
    if (lack !== null) return lack;
  }
  return null;
}

/** What the new sessions lack; null: they are up, and export what they should in that state. */
export async function notTakenOver(
  world: Pick<MigrateWorld, 'exported'>,
  plan: MigratePlan,
  now: BirdSeen,
  state: 'announced' | 'drained',
): Promise<string | null> {
  for (const { family } of plan.adopted) {
    const name = sessionName(plan.uplink, family);
    if (!isEstablished(now.protocols.get(name))) return `${name} is not established`;
    for (const service of plan.services.filter((one) => one.family === family))
      if (now.protocols.get(announceName(plan.uplink, service.name, family))?.state !== 'up')
        return `${announceName(plan.uplink, service.name, family)} is not up`;
    const lack = await notExported(world, plan, name, family, state);
    if (lack !== null) return lack;
  }
  return null;
}

async function notExported(
  world: Pick<MigrateWorld, 'exported'>,
  plan: MigratePlan,
  session: string,
  family: Family,
  state: 'announced' | 'drained',
): Promise<string | null> {
  for (const { prefixes } of plan.services.filter((one) => one.family === family)) {
    for (const prefix of prefixes) {
      const found = await world.exported(session, prefix, true);
      // An adopted session that did not announce a prefix before need not announce it drained.
      if (found.kind !== 'exported') {
        if (state === 'drained' && session !== sessionName(plan.uplink, family)) continue;
        return `${session} does not export ${prefix}`;
      }
      if (plan.marks.gshut && found.route.communities.includes('65535:0') !== (state === 'drained'))
        return `${session} does not export ${prefix} as ${state}`;
    }
  }
  return null;
}

/** BGP sessions that are none of those to be taken over. */
export function otherSessions(plan: MigratePlan, seen: BirdSeen): readonly ProtocolSeen[] {
  const ours = plan.adopted.map(({ name }) => name);
  return [...seen.protocols.values()].filter(({ proto, name }) => proto === 'BGP' && !ours.includes(name));
}

/** Sessions that are not as they were: state or time of the last change. */
export function movedSessions(before: BirdSeen, now: BirdSeen, except: readonly string[]): readonly string[] {
  return [...before.protocols.values()]
    .filter(({ proto, name }) => proto === 'BGP' && !except.includes(name))
    .filter((was) => {
      const is = now.protocols.get(was.name);
      // One that was not up may come up or try again meanwhile.
      if (was.state !== 'up') return is === undefined;
      if (is?.state !== 'up') return true;
      // Our file sets a time format that shows more than before: a time that was not readable is one before the look.
      const since = was.sinceMillis ?? Math.min(is.sinceMillis ?? 0, before.serverMillis ?? 0);
      return is.sinceMillis !== null && !isSameMoment(is.sinceMillis, since);
    })
    .map(({ name }) => name);
}

function isEstablished(shown: ProtocolSeen | undefined): boolean {
  return shown?.state === 'up' && shown.info === 'Established';
}

/** What the fleet's scenarios assert of several nodes at once, each at the carriers; words of the nodes where only they know. */
import { families } from '../../src/types/units.ts';
import { carrierNames, fleetNodeNames, type CarrierName, type FleetNodeName } from '../network/names.ts';
import { staysTrue, waitUntil } from '../network/wait.ts';
import { announced, gone, heard, quiet, sessionsLived, Unexpected, untouched } from '../scenarios/expect.ts';
import { statusSays } from '../scenarios/expect-node.ts';
import type { Stage } from '../scenarios/stage.ts';
import type { WireWord } from '../scenarios/timeline.ts';
import { announcingNodes, waitFleetHealthy } from './fleet.ts';
import type { FleetStage } from './stage.ts';

/** No carrier hears anything of these nodes for this long. */
export async function fleetQuiet(stages: readonly Stage[], millis: number): Promise<void> {
  await Promise.all(stages.map((stage) => quiet(stage, millis)));
}

/** Of these nodes no carrier (of these) heard anything since the scenario began: counters, uptime and routes are the same. */
export async function fleetUntouched(
  stages: readonly Stage[],
  carriers: readonly CarrierName[] = carrierNames,
): Promise<void> {
  for (const stage of stages) await untouched(stage, ...carriers);
}

/** The service leaves every carrier, and no session falls. */
export async function nodeLeaves(stage: Stage, timeoutMillis = 60_000): Promise<void> {
  for (const carrier of carrierNames) await gone(stage, carrier, { timeoutMillis });
  await sessionsLived(stage);
}

export async function nodeReturns(stage: Stage, timeoutMillis = 60_000): Promise<void> {
  for (const carrier of carrierNames) await announced(stage, carrier, { timeoutMillis });
  await sessionsLived(stage);
}

/** The same sequence of UPDATEs at each carrier. */
export function heardEverywhere(stage: Stage, words: readonly WireWord[]): void {
  for (const carrier of carrierNames) heard(stage, carrier, words);
}

export async function fleetHealthyAgain(stage: FleetStage, timeoutMillis = 90_000): Promise<void> {
  await waitFleetHealthy(stage.fleet, timeoutMillis);
}

/** Waits until the status of each of these nodes has an alarm with this code. */
export async function alarmOn(stages: readonly Stage[], code: string, timeoutMillis = 40_000): Promise<void> {
  await Promise.all(
    stages.map((stage) =>
      statusSays(
        stage,
        `alarm ${code}`,
        ({ alarms }) => alarms.some((one) => one.code === code),
        timeoutMillis,
      ),
    ),
  );
}

/** While something goes on, at every look every carrier holds the service of at least so many nodes, in each family. */
export async function neverFewer(
  stage: FleetStage,
  least: number,
  action: () => Promise<void>,
): Promise<void> {
  const done = new AbortController();
  const watching = (async () => {
    while (!done.signal.aborted) {
      await staysTrue(100, () => undefined, 100);
      await atLeast(stage, least);
    }
  })();
  const acting = action().finally(() => {
    done.abort();
  });
  await Promise.all([watching, acting]);
}

async function atLeast(stage: FleetStage, least: number): Promise<void> {
  const views = await Promise.all(stage.nodes().map(({ lab }) => lab.observer.views()));
  for (const carrier of carrierNames)
    for (const family of families) {
      const count = views.filter((view) => view[carrier].routes[family] !== null).length;
      if (count < least)
        throw new Unexpected(`${carrier} holds the IPv${family} route of ${count} nodes, not of ${least}`);
    }
}

/** Waits until exactly these nodes are held by every carrier. */
export async function onlyAnnounced(
  stage: FleetStage,
  names: readonly FleetNodeName[],
  timeoutMillis = 60_000,
): Promise<void> {
  let found = '';
  try {
    await waitUntil(
      `${names.join(', ')} alone to be announced`,
      async () => {
        found = (await announcingNodes(stage.fleet)).join(', ');
        return found === fleetNodeNames.filter((name) => names.includes(name)).join(', ');
      },
      { timeoutMillis, everyMillis: 100 },
    );
  } catch {
    throw new Unexpected(`announced everywhere: ${found || 'nobody'}; expected ${names.join(', ')}`);
  }
}

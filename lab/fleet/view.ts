/** What the nodes say of each other; everything else the lab asks the carriers. */
import { fleetNodeNames, type FleetNodeName } from '../network/names.ts';
import { waitUntil } from '../network/wait.ts';
import { readStatus } from '../node/program.ts';
import type { Fleet } from './fleet.ts';
import type { FleetStage } from './stage.ts';

/** Code of the alarm of a node that cannot ask the fleet. */
export const fleetSilent = 'fleet-silent';

/** Waits and measures from now; what is promised of the figure, the full tests hold it to. */
export async function seenWithin(
  stage: FleetStage,
  what: string,
  ask: () => Promise<boolean>,
  timeoutMillis = 40_000,
): Promise<void> {
  const began = performance.now();
  // Five nodes that are asked without a pause are what would take them longest.
  await waitUntil(what, ask, { timeoutMillis, everyMillis: 50 });
  stage.measured.set(what, Math.round(performance.now() - began));
}

/** Every node hears every other. */
export async function everybodySeesEverybody(fleet: Fleet): Promise<boolean> {
  const unknown = await Promise.all(fleetNodeNames.map((name) => whoIsUnknown(fleet, name)));
  return unknown.every((names) => names.length === 0);
}

/** Who is unknown to a node; all others, when the node itself cannot be asked or hears nothing from Redis. */
export async function whoIsUnknown(fleet: Fleet, name: FleetNodeName): Promise<readonly FleetNodeName[]> {
  const status = await readStatus(fleet.node(name).lab.network);
  const others = fleetNodeNames.filter((other) => other !== name);
  const word = status?.fleet;
  if (word === undefined || word.link === 'silent') return others;
  const heard = word.nodes.filter(({ state }) => state === 'heard').map(({ node }) => node);
  return others.filter((other) => !heard.includes(other));
}

/** Until every node was once seen to give no consent for a while, as after a change of the master. */
export async function everyNodeWaits(fleet: Fleet): Promise<void> {
  const waited = new Set<FleetNodeName>();
  await waitUntil(
    'every node to wait after a change of the master',
    async () => {
      for (const { plan, lab } of fleet.nodes)
        if (((await readStatus(lab.network))?.fleet?.consentInSeconds ?? 0) > 0) waited.add(plan.name);
      return waited.size === fleet.nodes.length;
    },
    { timeoutMillis: 60_000, everyMillis: 200 },
  );
}

/** Names of the nodes that are frozen, by whatever. */
export async function frozenNodes(fleet: Fleet): Promise<readonly FleetNodeName[]> {
  const statuses = await Promise.all(fleet.nodes.map(({ lab }) => readStatus(lab.network)));
  return fleetNodeNames.filter((_, index) => (statuses[index]?.freeze ?? null) !== null);
}

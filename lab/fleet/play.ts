/** Plays scenarios of the fleet, one after the other in one lab, and reports how each went. */
import { messageOf } from '../../src/types/message-of.ts';
import type { Report } from '../scenarios/play.ts';
import { freshLabId, fleetNodeNames } from '../network/names.ts';
import {
  fleetIsHealthy,
  mendFleet,
  startFleet,
  startFleetAnew,
  waitFleetHealthy,
  type Fleet,
  type FleetLabOptions,
} from './fleet.ts';
import { openFleetStage, type FleetScenario } from './stage.ts';
import { startDatabases } from './databases.ts';
import { everybodySeesEverybody } from './view.ts';
import { waitUntil } from '../network/wait.ts';

/** Never throws for what goes wrong in the scenario: that is in the report. */
export async function playFleet(fleet: Fleet, scenario: FleetScenario): Promise<Report> {
  const began = performance.now();
  const stage = await openFleetStage(fleet);
  let failure: string | null = null;
  try {
    await scenario.run(stage);
  } catch (error) {
    failure = messageOf(error);
  }
  const entries = stage.entries();
  stage.stop();
  const start = entries.find(({ kind }) => kind === 'fault' || kind === 'step')?.at ?? entries[0]?.at ?? 0;
  const ofNodes = fleetNodeNames.flatMap((name) =>
    [...stage.node(name).measured].map(([what, millis]) => [`${name}: ${what}`, millis] as const),
  );
  return {
    scenario: scenario.name,
    passed: failure === null,
    failure,
    tookMillis: Math.round(performance.now() - began),
    measured: Object.fromEntries([...stage.measured, ...ofNodes]),
    timeline: entries.map(({ at, kind, text }) => ({ sinceFaultMillis: at - start, kind, text })),
  };
}

/** Waits until a scenario may begin: all healthy, and every node sees every other. */
export async function readyForFleet(fleet: Fleet): Promise<void> {
  await waitFleetHealthy(fleet, 120_000);
  await waitUntil('every node to see every other', () => everybodySeesEverybody(fleet), {
    timeoutMillis: 60_000,
    everyMillis: 100,
  });
}

export interface FleetPlayer {
  /** Plays one in the lab, which is brought to where a scenario begins; after a failure in a new one. */
  play(scenario: FleetScenario): Promise<Report>;
  /** The lab in use; null: none yet. */
  fleet(): Fleet | null;
  end(): void;
}

/** A player for many scenarios; the lab is started with the first. */
export function fleetPlayer(options: FleetLabOptions = {}): FleetPlayer {
  let fleet: Fleet | null = null;
  let spoilt = false;
  return {
    async play(scenario) {
      if (fleet === null) fleet = await startFleet(freshLabId(), options);
      else await prepare(fleet, spoilt);
      await readyForFleet(fleet);
      const report = await playFleet(fleet, scenario);
      spoilt = scenario.spoilsRedis === true;
      if (!report.passed) {
        fleet.remove();
        fleet = null;
      }
      return report;
    },
    fleet: () => fleet,
    end() {
      fleet?.remove();
      fleet = null;
    },
  };
}

async function prepare(fleet: Fleet, spoilt: boolean): Promise<void> {
  if (spoilt) await startDatabases(fleet.network);
  if (await fleetIsHealthy(fleet)) return;
  await mendFleet(fleet);
  try {
    await waitFleetHealthy(fleet, 20_000);
  } catch {
    await startFleetAnew(fleet);
  }
}

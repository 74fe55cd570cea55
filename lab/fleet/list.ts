/** All scenarios of the fleet, in the order in which `--list` prints and the tests run them. */
import { leavingScenarios } from './scenarios/leaving.ts';
import { presenceScenarios } from './scenarios/presence.ts';
import { redisScenarios } from './scenarios/redis.ts';
import { rolloutScenarios } from './scenarios/rollout.ts';
import { sharedScenarios } from './scenarios/shared.ts';
import type { FleetScenario } from './stage.ts';

export const fleetScenarios: readonly FleetScenario[] = [
  ...presenceScenarios,
  ...sharedScenarios,
  ...leavingScenarios,
  ...rolloutScenarios,
  ...redisScenarios,
];

export function fleetScenarioNamed(name: string): FleetScenario | null {
  return fleetScenarios.find((scenario) => scenario.name === name) ?? null;
}

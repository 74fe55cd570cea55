/** All scenarios, in the order in which `--list` prints and the tests run them. */
import { blackHoleScenarios } from './black-hole.ts';
import { egressScenarios } from './egress.ts';
import { guardScenarios } from './guards.ts';
import { handScenarios } from './hands.ts';
import { lineScenarios } from './line.ts';
import { qualityScenarios } from './quality.ts';
import { restartScenarios } from './restarts.ts';
import type { Scenario } from './stage.ts';

export const scenarios: readonly Scenario[] = [
  ...blackHoleScenarios,
  ...qualityScenarios,
  ...guardScenarios,
  ...egressScenarios,
  ...restartScenarios,
  ...handScenarios,
  ...lineScenarios,
];

export function scenarioNamed(name: string): Scenario | null {
  return scenarios.find((scenario) => scenario.name === name) ?? null;
}

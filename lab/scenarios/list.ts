/** All scenarios, in the order in which `--list` prints and the tests run them. */
import { blackHoleScenarios } from './black-hole.ts';
import { budgetScenarios } from './budgets.ts';
import { egressScenarios } from './egress.ts';
import { guardScenarios } from './guards.ts';
import { handScenarios } from './hands.ts';
import { lineScenarios } from './line.ts';
import { operatorScenarios } from './operators.ts';
import { proberScenarios } from './prober.ts';
import { qualityScenarios } from './quality.ts';
import { readinessScenarios } from './readiness.ts';
import { restartScenarios } from './restarts.ts';
import type { Scenario } from './stage.ts';

export const scenarios: readonly Scenario[] = [
  ...blackHoleScenarios,
  ...qualityScenarios,
  ...proberScenarios,
  ...guardScenarios,
  ...budgetScenarios,
  ...egressScenarios,
  ...restartScenarios,
  ...readinessScenarios,
  ...handScenarios,
  ...operatorScenarios,
  ...lineScenarios,
];

export function scenarioNamed(name: string): Scenario | null {
  return scenarios.find((scenario) => scenario.name === name) ?? null;
}

/** What `causeway routing` prints. Pure. */
import type { LeftoverRule } from '../host/leftover-rules.ts';
import { ipScript, networkdFiles } from '../host/routing-text.ts';
import { routingPlan } from '../host/routing.ts';
import type { NodeConfig } from '../types/config.ts';
import type { RouteFact } from '../types/link-view.ts';

export interface PlanOptions {
  readonly format: 'ip' | 'networkd';
  readonly withRoutes: boolean;
  readonly json: boolean;
}

/** The plan as a shell script, as drop-ins with their paths, or as JSON. */
export function planText(config: NodeConfig, options: PlanOptions): string {
  const plan = routingPlan(config);
  if (options.json) {
    const shown = options.withRoutes ? plan : { rules: plan.rules, sysctls: plan.sysctls };
    return `${JSON.stringify(shown, null, 2)}\n`;
  }
  if (options.format === 'ip') return ipScript(plan, options);
  const interfaces = new Map(config.uplinks.map((uplink) => [uplink.name, uplink.interface]));
  return networkdFiles(plan, interfaces, options)
    .map((file) => `### ${file.path}\n${file.text}`)
    .join('\n');
}

/** Every probe finds its way and no rule of the plan is missing. */
export function allRight(facts: readonly RouteFact[]): boolean {
  return facts.every((fact) => fact.kind === 'ok' && fact.missing.length === 0);
}

/** What `causeway routing --check` prints: a line for each uplink, family and rule too many, and below it what mends it. */
export function factsText(facts: readonly RouteFact[], left: readonly LeftoverRule[] = []): string {
  const lines = facts.flatMap((fact) => {
    const name = `${fact.uplink} IPv${fact.family}`;
    if (fact.kind === 'wrong')
      return [`wrong    ${name}: ${fact.why}: ${fact.text}`, `         mend: ${fact.mend}`];
    if (fact.missing.length === 0) return [`ok       ${name}`];
    return [
      `missing  ${name}: probes leave by their uplink, but not for the rules of the plan`,
      ...fact.missing.map((command) => `         mend: ${command}`),
    ];
  });
  const leftLines = left.flatMap(({ family, priority, text, mend }) => [
    `left     IPv${family} rule ${priority}: ${text}: the config does not ask for it`,
    `         mend: ${mend}`,
  ]);
  return `${[...lines, ...leftLines].join('\n')}\n`;
}

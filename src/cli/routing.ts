/** `causeway routing`: prints the policy routing that the probes need, or checks that the machine has it. */
import { Option, type Command } from 'commander';
import { leftoverRules, type LeftoverRule } from '../host/leftover-rules.ts';
import { checkRouting } from '../host/routing-check.ts';
import type { NodeConfig } from '../types/config.ts';
import type { RouteFact } from '../types/link-view.ts';
import { messageOf } from '../types/message-of.ts';
import { defaultConfigFile, examples, exitCode, requireConfig, type Output } from './exit.ts';
import { allRight, factsText, planText, type PlanOptions } from './routing-output.ts';

interface RoutingOptions extends PlanOptions {
  readonly config: string;
  readonly check: boolean;
}

/** Adds the subcommand. Exit codes: 0 printed or right, 1 `--check` found something wrong, 2 config or usage, 3 `ip` does not answer. */
export function registerRouting(program: Command, output: Output): void {
  program
    .command('routing')
    .description('print the policy routing that probes need, or check it')
    .option('-c, --config <file>', 'the config', defaultConfigFile)
    .addOption(
      new Option('--format <format>', 'commands of ip, or drop-ins of systemd-networkd')
        .choices(['ip', 'networkd'])
        .default('ip'),
    )
    .option('--with-routes', "add the uplinks' default routes, for use before BIRD runs", false)
    .option('--check', 'change nothing: compare with the machine', false)
    .option('--json', 'print the plan, or the facts of --check, as JSON', false)
    .addHelpText(
      'after',
      examples('causeway routing | sh', 'causeway routing --format networkd', 'causeway routing --check'),
    )
    .action(async (options: RoutingOptions) => {
      const read = await requireConfig(options.config, output);
      if (read === null) return;
      if (options.check) await check(read.config, options.json, output);
      else output.answer(planText(read.config, options).trimEnd());
    });
}

async function check(config: NodeConfig, json: boolean, output: Output): Promise<void> {
  let facts: readonly RouteFact[];
  let left: readonly LeftoverRule[];
  try {
    [facts, left] = await Promise.all([checkRouting(config), leftoverRules(config)]);
  } catch (error) {
    output.complain(`routing cannot be checked: ${messageOf(error)}`);
    output.end(exitCode.unreachable);
    return;
  }
  const ok = allRight(facts) && left.length === 0;
  output.answer(json ? JSON.stringify({ ok, facts, left }, null, 2) : factsText(facts, left).trimEnd());
  output.end(ok ? exitCode.done : exitCode.no);
}

/** `causeway explain config`: the effective config, with every default written out. */
import type { Command } from 'commander';
import { explainConfig, fileForm } from '../config/explain.ts';
import { defaultConfigFile, requireConfig, type Output } from './exit.ts';

interface ExplainOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** Adds the subcommand. Exit codes: 0 printed, 2 the config is bad. */
export function registerExplain(program: Command, output: Output): void {
  const explain = program.command('explain').description('say what is in force and why');
  explain
    .command('config')
    .description('print the effective config as YAML that loads again')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--json', 'print the same as JSON')
    .action(async (options: ExplainOptions) => {
      const read = await requireConfig(options.config, output);
      if (read === null) return;
      const { config } = read;
      output.answer(
        options.json === true ? JSON.stringify(fileForm(config), null, 2) : explainConfig(config).trimEnd(),
      );
    });
}

/** `causeway boot`: what causeway-boot.service runs once after a reboot, before BIRD. */
import type { Command } from 'commander';
import { holdForBoot } from '../daemon/boot.ts';
import { defaultConfigFile, examples, exitCode, type Output, processOutput, requireConfig } from './exit.ts';

/** Adds the subcommand. Exit codes: 0 done or nothing to do, the missing file included; 1 the file cannot be used; 2 config. */
export function registerBoot(program: Command, output: Output = processOutput()): void {
  program
    .command('boot')
    .description(
      'after a reboot, before BIRD: services with a readiness check come up withdrawn (on_boot: hold)',
    )
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      `\nRun by causeway-boot.service; the second time in a boot it changes nothing.\n${examples('causeway boot')}`,
    )
    .action(async (options: { readonly config: string; readonly json: boolean }) => {
      const read = await requireConfig(options.config, output);
      if (read === null) return;
      const result = await holdForBoot(read.config);
      if (options.json) output.answer(JSON.stringify(result, null, 2));
      else if (result.kind === 'unable') output.complain(`warning: ${result.text}`);
      else output.answer(result.text);
      if (result.kind === 'unable' && result.code === 'failed') output.end(exitCode.no);
    });
}

/** `causeway check`: is this config valid? */
import type { Command } from 'commander';
import { loadConfig, type LoadResult } from '../config/load.ts';
import { examine, type Examined, isSound } from '../host/doctor.ts';
import { hostChecks, hostContext } from '../host/host-checks.ts';
import { doctorText } from './doctor-text.ts';
import { defaultConfigFile, examples, exitCode, type Output } from './exit.ts';
import { terminal } from './terminal.ts';

interface CheckOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly host?: boolean;
}

/** Adds the subcommand. Exit codes: 0 valid, 1 not. With `--host`, facts of the machine that the config names count too. */
export function registerCheck(program: Command, output: Output): void {
  program
    .command('check')
    .description('check the config: exit code 0 when it is valid, 1 when it is not')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--host', 'check interfaces, sources, routing and kernel settings of this machine as well')
    .option('--json', 'print {ok, problems, warnings}, with --host also {findings}')
    .addHelpText(
      'after',
      examples('causeway check', 'causeway check --host', 'causeway check -c new.yaml --json'),
    )
    .action(async (options: CheckOptions) => {
      const result = await loadConfig(options.config);
      const findings = options.host === true ? await hostFindings(result) : null;
      const ok = result.kind === 'ok' && (findings === null || isSound(findings));
      if (options.json === true) output.answer(JSON.stringify(jsonOf(result, ok, findings), null, 2));
      else {
        sayResult(options.config, result, output);
        if (findings !== null && findings.length > 0)
          output.answer(doctorText(findings, terminal()).trimEnd());
      }
      output.end(ok ? exitCode.done : exitCode.no);
    });
}

/** None for a config that does not load: nothing is known of what it names. */
function hostFindings(result: LoadResult): Promise<readonly Examined[]> {
  return result.kind === 'bad'
    ? Promise.resolve([])
    : examine(hostChecks(result.config), hostContext(result.config));
}

function jsonOf(result: LoadResult, ok: boolean, findings: readonly Examined[] | null) {
  const host = findings === null ? {} : { findings };
  return result.kind === 'ok'
    ? { ok, problems: [], warnings: result.warnings, ...host }
    : { ok, problems: result.problems, warnings: [], ...host };
}

function sayResult(file: string, result: LoadResult, output: Output): void {
  if (result.kind === 'bad') {
    for (const { text } of result.problems) output.complain(text);
    output.complain(`${file}: not valid: ${count(result.problems, 'problem')}`);
    return;
  }
  const { mode, node, uplinks, services, policy } = result.config;
  for (const { text } of result.warnings) output.complain(`warning: ${text}`);
  output.answer(
    `${file}: valid: node ${node.name}, mode ${mode}, ${count(uplinks, 'uplink')} (${names(uplinks)}), ` +
      `${count(services, 'service')} (${names(services)}), patience ${policy.patienceMillis / 1000}s`,
  );
}

function count(list: readonly unknown[], what: string): string {
  return `${list.length} ${what}${list.length === 1 ? '' : 's'}`;
}

function names(list: readonly { readonly name: string }[]): string {
  return list.map(({ name }) => name).join(', ');
}

/** `causeway explain`: the effective config, or why an uplink is announced, drained or withdrawn. */
import type { Command } from 'commander';
import { explainConfig, fileForm } from '../config/explain.ts';
import { examples, type Output, requireConfig } from './exit.ts';
import { explainUplink } from './explain-uplink.ts';
import { addReading, daemonAddresses, type ReadingOptions, credentialOrUsage } from './reading.ts';
import { terminal } from './terminal.ts';
import { watch } from './watch.ts';

interface ExplainOptions extends ReadingOptions {
  readonly json: boolean;
  readonly watch: boolean;
}

/**
 * Adds the subcommand. Exit codes: 0 printed, 2 the config is bad or no such uplink, 3 the daemon cannot be reached; what
 * is known without it is printed then.
 */
export function registerExplain(program: Command, output: Output): void {
  const explain = program
    .command('explain')
    .description('say what is in force and why: of the config, or of an uplink')
    .argument('<what>', '`config`: the effective config as YAML that loads again; or the name of an uplink');
  addReading(explain, 'config file')
    .option('--json', 'print the same as JSON', false)
    .option('--watch', 'of an uplink: say it anew each second until interrupted', false)
    .addHelpText(
      'after',
      examples('causeway explain cmi', 'causeway explain cmi --watch', 'causeway explain config --json'),
    )
    .action((what: string, options: ExplainOptions) =>
      what === 'config' ? printConfig(options, output) : printUplink(what, options, output),
    );
}

async function printConfig(options: ExplainOptions, output: Output): Promise<void> {
  const read = await requireConfig(options.config, output);
  if (read === null) return;
  const { config } = read;
  output.answer(options.json ? JSON.stringify(fileForm(config), null, 2) : explainConfig(config).trimEnd());
}

async function printUplink(uplink: string, options: ExplainOptions, output: Output): Promise<void> {
  const credential = await credentialOrUsage(options, output);
  if (credential === null) return;
  const { token } = credential;
  const asked = {
    uplink,
    file: options.config,
    addresses: await daemonAddresses(options, output),
    token,
    isElsewhere: options.url !== undefined,
  };
  const form = options.json ? (options.watch ? 'json-line' : 'json') : 'text';
  if (options.watch) {
    output.end(
      await watch(output, async (size) => {
        const { text, complaint, code } = await explainUplink(asked, form, size);
        return { text: text === '' ? complaint : text, code };
      }),
    );
    return;
  }
  const { text, complaint, code } = await explainUplink(asked, form, terminal());
  if (complaint !== '') output.complain(complaint);
  if (text !== '') output.answer(text);
  output.end(code);
}

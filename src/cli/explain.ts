/** `causeway explain`: the effective config, or why an uplink is announced, drained or withdrawn. */
import type { Command } from 'commander';
import { z } from 'zod';
import { explainConfig, fileForm } from '../config/explain.ts';
import { askDaemon } from './daemon-request.ts';
import { defaultConfigFile, exitCode, requireConfig, type Output } from './exit.ts';
import { reachOf } from './operator-options.ts';
import { unreachableText } from './status.ts';

interface ExplainOptions {
  readonly config: string;
  readonly json?: boolean;
}

const explanations = z.object({
  announcements: z.array(z.object({ lines: z.array(z.string()) })),
});

/** Adds the subcommand. Exit codes: 0 printed, 2 the config is bad or no such uplink, 3 the daemon cannot be reached. */
export function registerExplain(program: Command, output: Output): void {
  program
    .command('explain')
    .description('say what is in force and why')
    .argument('<what>', '`config`: the effective config as YAML that loads again; or the name of an uplink')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--json', 'print the same as JSON')
    .action((what: string, options: ExplainOptions) =>
      what === 'config' ? printConfig(options, output) : printUplink(what, options, output),
    );
}

async function printConfig(options: ExplainOptions, output: Output): Promise<void> {
  const read = await requireConfig(options.config, output);
  if (read === null) return;
  const { config } = read;
  output.answer(
    options.json === true ? JSON.stringify(fileForm(config), null, 2) : explainConfig(config).trimEnd(),
  );
}

async function printUplink(uplink: string, options: ExplainOptions, output: Output): Promise<void> {
  const { address, token } = await reachOf({ config: options.config, author: '', json: false, dryRun: true });
  const path = `/v1/explain/${encodeURIComponent(uplink)}`;
  const reply = await askDaemon(address, { method: 'GET', path, body: null, token });
  if (reply.kind === 'unreachable') {
    output.complain(unreachableText(reply.text));
    output.end(exitCode.unreachable);
    return;
  }
  const parsed = explanations.safeParse(reply.body);
  if (reply.status !== 200 || !parsed.success) {
    const detail = z.object({ detail: z.string() }).safeParse(reply.body);
    output.complain(
      `error: ${detail.success ? detail.data.detail : `the daemon answered HTTP ${reply.status}`}`,
    );
    output.end(reply.status === 404 ? exitCode.usage : exitCode.unreachable);
    return;
  }
  output.answer(
    options.json === true
      ? JSON.stringify(reply.body, null, 2)
      : parsed.data.announcements.map(({ lines }) => lines.join('\n')).join('\n\n'),
  );
}

/** `causeway status`: what the daemon measures, wishes and sees, in a table; what is known without it where it is down. */
import type { Command } from 'commander';
import { statusDocument } from '../types/wire/status.ts';
import { readFromDaemon } from './daemon-reads.ts';
import type { DaemonAddress } from './daemon-transport.ts';
import { examples, exitCode, type Output } from './exit.ts';
import {
  addReading,
  daemonAddresses,
  type ReadingOptions,
  credentialOrUsage,
  unreachableText,
} from './reading.ts';
import { renderStatus } from './status-text.ts';
import type { TableOptions } from './table.ts';
import { terminal } from './terminal.ts';
import { type Frame, watch } from './watch.ts';
import { lookWithoutDaemon } from './without-daemon.ts';
import { withoutDaemonText } from './without-daemon-text.ts';

interface StatusOptions extends ReadingOptions {
  readonly json: boolean;
  readonly watch: boolean;
}

/** Adds the subcommand. Exit codes: 0 shown, 2 usage, 3 the daemon cannot be reached; what is known without it is shown then. */
export function registerStatus(program: Command, output: Output): void {
  const status = program.command('status').description('show what the daemon measures, wishes and sees');
  addReading(status)
    .option('--json', 'print the status document', false)
    .option('--watch', 'show it anew each second until interrupted', false)
    .addHelpText(
      'after',
      examples(
        'causeway status',
        'causeway status --watch',
        'causeway status --json | jq .alarms',
        'causeway status --url http://127.0.0.1:9180',
      ),
    )
    .action(async (options: StatusOptions) => {
      const credential = await credentialOrUsage(options, output);
      if (credential === null) return;
      const { token } = credential;
      const addresses = await daemonAddresses(options, output);
      if (options.watch) {
        output.end(await watch(output, (size) => frame(addresses, token, options, size)));
        return;
      }
      const { text, code, complaint } = await frame(addresses, token, options, terminal());
      if (complaint !== undefined) output.complain(complaint);
      if (text !== '') output.answer(text);
      output.end(code);
    });
}

interface StatusFrame extends Frame {
  /** For stderr. */
  readonly complaint?: string;
}

async function frame(
  addresses: readonly DaemonAddress[],
  token: string | null,
  options: StatusOptions,
  size: TableOptions,
): Promise<StatusFrame> {
  const read = await readFromDaemon(addresses, '/v1/status', statusDocument, token);
  const spaces = options.watch ? 0 : 2;
  switch (read.kind) {
    case 'answer': {
      const text = options.json ? JSON.stringify(read.value, null, spaces) : renderStatus(read.value, size);
      return { text, code: exitCode.done };
    }
    case 'refused': {
      const complaint = `error: the daemon refuses: ${read.text}`;
      return { text: options.watch ? complaint : '', code: exitCode.no, complaint };
    }
    case 'unreachable': {
      const complaint = unreachableText(read.text);
      // Whoever names a URL asks about that node, not about this machine.
      if (options.url !== undefined)
        return { text: options.watch ? complaint : '', code: exitCode.unreachable, complaint };
      const found = await lookWithoutDaemon(options.config, read.text);
      const text = options.json ? JSON.stringify(found, null, spaces) : withoutDaemonText(found, null, size);
      return { text, code: exitCode.unreachable, complaint: 'the daemon cannot be reached' };
    }
  }
}

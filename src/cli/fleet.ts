/** `causeway fleet`: every node with its carriers and services, and whether anybody could leave now. */
import type { Command } from 'commander';
import type { FleetStatus } from '../types/wire/fleet-status.ts';
import { statusDocument } from '../types/wire/status.ts';
import { readFromDaemon } from './daemon-reads.ts';
import { examples, exitCode, type Output } from './exit.ts';
import { renderFleet } from './fleet-text.ts';
import {
  addReading,
  credentialOrUsage,
  daemonAddresses,
  type ReadingOptions,
  unreachableText,
} from './reading.ts';
import type { TableOptions } from './table.ts';
import { terminal } from './terminal.ts';
import { type Frame, watch } from './watch.ts';

interface FleetOptions extends ReadingOptions {
  readonly json: boolean;
  readonly watch: boolean;
}

interface FleetFrame extends Frame {
  /** For stderr. */
  readonly complaint?: string;
}

/** Adds the subcommand. Exit codes: 0 shown, 1 this node has no fleet, 2 usage, 3 the daemon cannot be reached. */
export function registerFleet(program: Command, output: Output): void {
  const fleet = program
    .command('fleet')
    .description('show all nodes of the fleet, what they announce, and whose fault it is');
  addReading(fleet)
    .option('--json', 'print the fleet part of the status document', false)
    .option('--watch', 'show it anew each second until interrupted', false)
    .addHelpText(
      'after',
      examples('causeway fleet', 'causeway fleet --watch', 'causeway fleet --json | jq .findings'),
    )
    .action(async (options: FleetOptions) => {
      const credential = await credentialOrUsage(options, output);
      if (credential === null) return;
      const addresses = await daemonAddresses(options, output);
      const frame = async (size: TableOptions): Promise<FleetFrame> => {
        const read = await readFromDaemon(addresses, '/v1/status', statusDocument, credential.token);
        switch (read.kind) {
          case 'answer':
            return frameOf(read.value.fleet, options, size);
          case 'refused':
            return failed(`error: the daemon refuses: ${read.text}`, exitCode.no, options);
          case 'unreachable':
            return failed(unreachableText(read.text), exitCode.unreachable, options);
        }
      };
      if (options.watch) {
        output.end(await watch(output, frame));
        return;
      }
      const { text, code, complaint } = await frame(terminal());
      if (complaint !== undefined) output.complain(complaint);
      if (text !== '') output.answer(text);
      output.end(code);
    });
}

function frameOf(fleet: FleetStatus | undefined, options: FleetOptions, size: TableOptions): FleetFrame {
  if (fleet === undefined)
    return failed('no fleet is configured on this node: the key `fleet` of its config', exitCode.no, options);
  const text = options.json ? JSON.stringify(fleet, null, options.watch ? 0 : 2) : renderFleet(fleet, size);
  return { text, code: exitCode.done };
}

function failed(complaint: string, code: FleetFrame['code'], options: FleetOptions): FleetFrame {
  return { text: options.watch ? complaint : '', code, complaint };
}

/** `causeway record`: takes a recording of what is probed and decided into a file, for `causeway replay`. */
import { open } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { parseDuration } from '../config/quantities.ts';
import { parseSize } from '../config/size.ts';
import { messageOf } from '../types/message-of.ts';
import { openStream } from './daemon-stream.ts';
import { defaultConfigFile, examples, exitCode, type ExitCode, type Output } from './exit.ts';
import { daemonAddresses, unreachableText } from './reading.ts';

interface RecordOptions {
  readonly config: string;
  readonly url?: string;
  readonly output: string;
  readonly for?: string;
  readonly size: string;
  readonly json: boolean;
}

const day = 86_400_000;

/** Adds the subcommand. Exit codes: 0 taken, 2 bad usage or the file cannot be written, 3 the daemon cannot be reached. */
export function registerRecord(program: Command, output: Output): void {
  program
    .command('record')
    .description('record outcomes, facts and decisions into a file until interrupted')
    .requiredOption('-o, --output <file>', 'the file; it must not be there yet')
    .option('-c, --config <file>', 'the config, which names the socket', defaultConfigFile)
    .addOption(new Option('--url <url>', 'ask over HTTP, such as http://127.0.0.1:9180'))
    .option('--for <duration>', 'end after this long, such as 1h')
    .option('--size <size>', 'end before the file is larger', '256MB')
    .option('--json', 'print {file, bytes} at the end', false)
    .addHelpText('after', examples('causeway record -o /var/tmp/night.cwr --for 8h'))
    .action(async (options: RecordOptions) => output.end(await record(options, output)));
}

async function record(options: RecordOptions, output: Output): Promise<ExitCode> {
  const length = options.for === undefined ? null : parseDuration(options.for, { min: 1000, max: 30 * day });
  const size = parseSize(options.size, { min: 65_536, max: 1e12 });
  if (length?.kind === 'bad') return badUsage(output, '--for', length.flaws[0]?.allowed);
  if (size.kind === 'bad') return badUsage(output, '--size', size.flaws[0]?.allowed);
  const opened = await openStream(await daemonAddresses(options, output), '/v1/record');
  if (opened.kind !== 'open') {
    output.complain(opened.kind === 'refused' ? `error: ${opened.text}` : unreachableText(opened.text));
    return exitCode.unreachable;
  }
  const { response } = opened;
  const stop = (): void => void response.destroy();
  process.once('SIGINT', stop);
  const timer = length === null ? null : setTimeout(stop, length.value);
  try {
    const bytes = await save(response, options.output, size.value);
    output.answer(
      options.json
        ? JSON.stringify({ file: options.output, bytes })
        : `${options.output}: ${bytes} bytes; show it with \`causeway replay ${options.output}\``,
    );
    return exitCode.done;
  } catch (error) {
    output.complain(`error: ${options.output}: ${messageOf(error)}`);
    return exitCode.usage;
  } finally {
    stop();
    process.off('SIGINT', stop);
    if (timer !== null) clearTimeout(timer);
  }
}

/** Bytes that were written. What ends in the middle of a block is read up to there. */
async function save(response: AsyncIterable<unknown>, path: string, mostBytes: number): Promise<number> {
  const file = await open(path, 'wx', 0o640);
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(response)) {
      if (bytes + chunk.length > mostBytes) break;
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}

/** Ends, and does not throw, when the stream was destroyed: by time, size, an interrupt or the daemon's end. */
async function* chunksOf(response: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch {
    // What came until then is the recording.
  }
}

function badUsage(output: Output, option: string, allowed = ''): ExitCode {
  output.complain(`error: ${option}: allowed: ${allowed}`);
  return exitCode.usage;
}

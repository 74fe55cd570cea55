/** A recording of what a scenario does, and that it decides the same again. */
import { join } from 'node:path';
import { runIn } from '../network/command.ts';
import { compiledProgram } from '../network/process.ts';
import { nodeFiles } from '../node/config.ts';
import { Unexpected } from './expect.ts';
import type { Stage } from './stage.ts';

/** What `causeway replay --json` prints, as far as it is looked at. */
interface Replayed {
  readonly ticks: number;
  readonly happened: { readonly withdrawals: number };
  readonly disagreementSeconds: number;
}

/** Records for so long from now on; the returned function waits for the end and replays it. */
export function recordAndReplay(stage: Stage, seconds: number): () => Promise<void> {
  const { network } = stage.lab;
  const file = join(network.folder, `recording-${Date.now()}.cwr`);
  const causeway = (...words: readonly string[]): Promise<string> => {
    const argv = [process.execPath, compiledProgram('src/cli/main'), ...words];
    return runIn(network.namespace('node'), argv, { timeoutMillis: 60_000 });
  };
  const recording = causeway('record', '-c', nodeFiles(network).config, '-o', file, '--for', `${seconds}s`);
  // Looked at only at the end; until then a scenario may have failed for another reason.
  recording.catch(() => undefined);
  return async () => {
    await recording;
    // It fails where the withdrawals are not the same.
    const [text, again] = [
      await causeway('replay', file, '--json'),
      await causeway('replay', file, '--json'),
    ];
    const { ticks, happened, disagreementSeconds }: Replayed = JSON.parse(text);
    if (text !== again || happened.withdrawals !== 2 || disagreementSeconds > 0)
      throw new Unexpected(
        `the replay of ${ticks} ticks has ${happened.withdrawals} withdrawals, ${disagreementSeconds} s of disagreement`,
      );
  };
}

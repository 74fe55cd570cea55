/** Commands of `causeway` in this process: five nodes at once would otherwise start ten programs on two cores. */
import { runProgram } from '../../src/cli/program.ts';
import type { Network } from '../network/network.ts';
import { nodeFiles } from '../node/config.ts';

/** One command line with the node's config, to its end; what it prints. Throws when it does not end with 0. */
export async function causewayHere(network: Network, words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const complaints: string[] = [];
  let code = 0;
  await runProgram([...words, '-c', nodeFiles(network).config], {
    answer: (text) => printed.push(text),
    complain: (text) => complaints.push(text),
    end: (given) => {
      code = given;
    },
  });
  if (code !== 0)
    throw new Error(
      `\`causeway ${words.join(' ')}\` ended with ${code}: ${[...complaints, ...printed].join('\n')}`,
    );
  return `${printed.join('\n')}\n`;
}

/** Acts on all of them, two at a time: each starts programs, and two cores carry no more. */
export async function inPairs<T>(list: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  const rest = [...list];
  const runs = [1, 2].map(async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await act(next);
  });
  await Promise.all(runs);
}

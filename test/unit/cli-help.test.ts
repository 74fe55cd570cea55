/** Every command explains itself, answers in JSON, and its examples are command lines that it takes. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { causewayCommands, complaintAbout } from '../support/command-lines.ts';

interface Leaf {
  readonly path: string;
  readonly command: Command;
}

const said: string[] = [];
const program = buildProgram({
  answer: (text) => void said.push(text),
  complain: () => undefined,
  end: () => undefined,
});
const leaves = leavesOf(program, '');

function leavesOf(command: Command, before: string): readonly Leaf[] {
  const path = `${before} ${command.name()}`.trim();
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((one) => leavesOf(one, path));
}

function helpOf(command: Command): string {
  said.length = 0;
  command.outputHelp();
  return said.join('\n');
}

test('the commands of the contract are there', () => {
  const names = leaves.map(({ path }) => path.replace('causeway ', ''));
  const contract =
    'run check explain render diff apply migrate routing status fleet events history drain undrain release freeze thaw reload ' +
    'record replay simulate doctor boot completion';
  expect(names).toEqual(expect.arrayContaining([...contract.split(' '), 'force announce', 'force withdraw']));
});

test.each(leaves)('$path has a sentence, --json, and examples that it takes', async ({ path, command }) => {
  expect(command.description().length).toBeGreaterThan(10);
  expect(command.options.map(({ long }) => long)).toContain('--json');
  const help = helpOf(command);
  const examples = help.split('\nExamples:\n')[1]?.split('\n') ?? [];
  const lines = examples.flatMap((line) => causewayCommands(line));
  expect(lines.length, `in: ${help}`).toBeGreaterThan(0);
  for (const words of lines) {
    expect(['causeway', ...words].join(' ')).toContain(path);
    expect(await complaintAbout(words), `of: ${words.join(' ')}`).toBeNull();
  }
});

test.each(leaves)('no line of the help of $path is wider than 100 columns', ({ command }) => {
  for (const line of helpOf(command).split('\n'))
    expect(line.length, `too wide: ${line}`).toBeLessThanOrEqual(100);
});

test('a line that the program does not take is told apart', async () => {
  expect(await complaintAbout(['drain', 'cmi', '--reason', 'x', '--fro', '2h'])).toContain('--fro');
  expect(await complaintAbout(['drian'])).toContain('drian');
  expect(causewayCommands(`sudo causeway drain cmi --reason "a b" | jq . # causeway x`)).toEqual([
    ['drain', 'cmi', '--reason', 'a b'],
  ]);
  expect(causewayCommands('source <(causeway completion bash)')).toEqual([['completion', 'bash']]);
});

/** What the shells are told may stand at the cursor. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { candidatesFor, configIn, type KnownNames } from '../../src/cli/complete.ts';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { sample } from './config-sample.ts';

const program = buildProgram({
  answer: () => undefined,
  complain: () => undefined,
  end: () => undefined,
});
const names: KnownNames = {
  uplinks: ['cmi', 'cmlink', 'pccw'],
  services: ['web', 'dns'],
  scenarios: ['blackhole'],
  kinds: ['decision', 'alarm'],
};

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['a command', ['dr'], ['drain']],
  ['a command of a command', ['force', 'w'], ['withdraw']],
  ['an uplink', ['drain', 'cm'], ['cmi', 'cmlink']],
  ['an uplink behind options', ['force', 'withdraw', '--for', '2h', '--last', 'p'], ['pccw']],
  ['config or an uplink', ['explain', 'c'], ['config', 'cmi', 'cmlink']],
  ['a service', ['drain', 'cmi', '--service', ''], ['web', 'dns']],
  ['a family', ['drain', '--family', ''], ['4', '6']],
  ['an option', ['drain', 'cmi', '--re'], ['--reason']],
  ['no option twice', ['drain', '--reason', 'x', '--re'], []],
  ['a choice', ['routing', '--format', 'n'], ['networkd']],
  ['a scenario', ['simulate', ''], ['all', 'blackhole']],
  ['a kind', ['history', '--kind', 'd'], ['decision']],
  ['a shell', ['completion', 'z'], ['zsh']],
  ['an end', ['drain', 'cmi', '--until', ''], ['never']],
  ['nothing where a file stands', ['check', '-c', ''], []],
  ['nothing behind the last argument', ['drain', 'cmi', 'x'], []],
])('%s', (_name, words, wanted) => {
  expect(candidatesFor(program, words, names).map(({ word }) => word)).toEqual(wanted);
});

test('every command stands at the first place, with what it does', () => {
  const found = candidatesFor(program, [''], names);
  expect(found.map(({ word }) => word)).toEqual(expect.arrayContaining(['status', 'doctor', 'explain']));
  expect(found.every(({ meaning }) => meaning !== '')).toBe(true);
});

test('the config is the one on the line', () => {
  expect(configIn(['drain', '-c', 'x.yaml', ''])).toBe('x.yaml');
  expect(configIn(['drain', '-c', 'x.y'])).toBeNull();
  expect(configIn(['drain', 'c'])).toBeNull();
});

test('names come from the config, and colons are escaped for zsh', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-complete-'));
  try {
    const config = join(folder, 'c.yaml');
    writeFileSync(config, sample);
    const said: string[] = [];
    const ask = async (...words: readonly string[]): Promise<string> => {
      said.length = 0;
      await runProgram(['completion', ...words], {
        answer: (text) => void said.push(text),
        complain: (text) => void said.push(text),
        end: () => undefined,
      });
      return said.join('\n');
    };
    expect(await ask('bash', '--', 'drain', '-c', config, '')).toBe('cmi\npccw');
    expect(await ask('bash', '--', 'drain', '-c', config, '--service', 'w')).toBe('web');
    expect(await ask('zsh', '--', 'free')).toMatch(/^freeze:let no verdict/);
    expect(await ask('zsh', '--', 'drain', '--fam')).toBe('--family:one family alone');
    expect(await ask('bash')).toContain('complete -o default -F _causeway causeway');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

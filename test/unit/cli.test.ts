import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { sample } from './config-sample.ts';

let folder = '';
let good = '';
let bad = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-cli-'));
  good = join(folder, 'good.yaml');
  bad = join(folder, 'bad.yaml');
  writeFileSync(good, sample);
  writeFileSync(bad, sample.replace('mode: live', 'mode: lively').replace('asn: 58453', 'asn: 0'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: readonly string[]) {
  const said = { out: [] as string[], err: [] as string[], code: 0 };
  await runProgram(words, {
    answer: (text) => said.out.push(text),
    complain: (text) => said.err.push(text),
    end: (code) => {
      said.code = code;
    },
  });
  return { out: said.out.join('\n'), err: said.err.join('\n'), code: said.code };
}

describe('usage', () => {
  test.each<[string, readonly string[], string]>([
    ['no command', [], 'Usage: causeway'],
    ['an unknown command', ['chekc'], "error: unknown command 'chekc'\n(Did you mean check?)"],
    ['an unknown option', ['check', '--fast'], "error: unknown option '--fast'"],
    ['an option without its value', ['check', '-c'], "error: option '-c, --config <file>' argument missing"],
    ['an argument too many', ['check', 'causeway.yaml'], 'error: too many arguments'],
    ['explain without a word', ['explain'], "error: missing required argument 'what'"],
  ])('%s ends with 2 and prints nothing on stdout', async (_name, words, says) => {
    const { out, err, code } = await run(...words);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toContain(says);
  });

  test('--help prints the commands and the exit codes, and ends with 0', async () => {
    const { out, code } = await run('--help');
    expect(code).toBe(0);
    expect(out).toMatch(/check .*config/);
    expect(out).toContain('3  the daemon or BIRD cannot be reached');
  });

  test('--version prints the version of the package alone', async () => {
    expect(await run('--version')).toEqual({
      out: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      err: '',
      code: 0,
    });
  });
});

describe('check', () => {
  test('a valid config ends with 0 and is summed up', async () => {
    expect(await run('check', '-c', good)).toEqual({
      out: `${good}: valid: node hk1, mode live, 2 uplinks (cmi, pccw), 2 services (web, dns), patience 5s`,
      err: '',
      code: 0,
    });
  });

  test('problems go to stderr, one a line, and end with 1', async () => {
    const { out, err, code } = await run('check', '-c', bad);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err.split('\n')).toEqual([
      `${bad}:1:7: mode: found "lively", allowed: observe or live`,
      expect.stringContaining(`${bad}:19:12: uplinks.cmi.peer.asn: found 0, allowed: an AS number`),
      `${bad}: not valid: 2 problems`,
    ]);
  });

  test('--json prints ok, problems and warnings on stdout', async () => {
    const valid = await run('check', '--json', '-c', good);
    expect(JSON.parse(valid.out)).toEqual({ ok: true, problems: [], warnings: [] });
    const { out, err, code } = await run('check', '--json', '-c', bad);
    expect({ err, code }).toEqual({ err: '', code: 1 });
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      problems: [
        { line: 1, column: 7, path: 'mode', found: '"lively"', allowed: 'observe or live' },
        { line: 19 },
      ],
    });
  });

  test('a missing file ends with 1', async () => {
    const { err, code } = await run('check', '-c', join(folder, 'none.yaml'));
    expect({ err: err.split('\n')[0], code }).toEqual({
      err: expect.stringContaining('found no such file (ENOENT)'),
      code: 1,
    });
  });
});

describe('explain config', () => {
  test('prints YAML that check finds valid', async () => {
    const { out, code } = await run('explain', 'config', '-c', good);
    expect(code).toBe(0);
    const again = join(folder, 'again.yaml');
    writeFileSync(again, out);
    expect((await run('check', '-c', again)).code).toBe(0);
    expect((await run('explain', 'config', '-c', again)).out).toBe(out);
  });

  test('--json prints the same as JSON, which is a valid config too', async () => {
    const { out } = await run('explain', 'config', '--json', '-c', good);
    expect(JSON.parse(out)).toMatchObject({ mode: 'live', policy: { patience: '5s' } });
    const again = join(folder, 'again.json');
    writeFileSync(again, out);
    expect((await run('check', '-c', again)).code).toBe(0);
  });

  test('a bad config ends with 2 and nothing on stdout', async () => {
    const { out, err, code } = await run('explain', 'config', '-c', bad);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err.split('\n')).toHaveLength(2);
  });
});

describe('check --host', () => {
  test('fails on an interface that the machine does not have, though the config is valid', async () => {
    const { out, code } = await run('check', '-c', good, '--host');
    expect(code).toBe(1);
    expect(out).toContain('valid');
    expect(out).toMatch(/eth1|cmi/);
  });
  test('says in JSON which finding is wrong', async () => {
    const { out, code } = await run('check', '-c', good, '--host', '--json');
    const { ok, problems, findings } = JSON.parse(out);
    expect({ code, ok, problems }).toEqual({ code: 1, ok: false, problems: [] });
    expect(findings.some(({ finding }: { finding: { kind: string } }) => finding.kind === 'wrong')).toBe(
      true,
    );
  });
  test('of a config that does not load tells its problems alone', async () => {
    const { out, err, code } = await run('check', '-c', bad, '--host');
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toContain('lively');
  });
});

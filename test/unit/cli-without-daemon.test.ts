/** What is still told where the daemon does not answer: from config, owned file and state folder; and that it does not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderConfig } from '../../bird/render/config.ts';
import { runProgram } from '../../src/cli/program.ts';
import { widthOf } from '../../src/cli/text-width.ts';
import { lookWithoutDaemon } from '../../src/cli/without-daemon.ts';
import { withoutDaemonText } from '../../src/cli/without-daemon-text.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openHistory } from '../../src/daemon/history.ts';
import { announceName, drainName } from '../../src/types/protocol-names.ts';
import { instant } from '../../src/types/units.ts';
import { sample } from './config-sample.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-without-'));
  file = join(folder, 'causeway.yaml');
  writeFileSync(file, configText());
  const loaded = await loadConfig(file);
  if (loaded.kind === 'bad') throw new Error(loaded.problems.map(({ text }) => text).join('\n'));
  const description = 'causeway: loss 34 % on 3 of 4 targets';
  const down = { disabled: true, description };
  writeFileSync(
    join(folder, 'causeway.conf'),
    renderConfig(
      loaded.config,
      new Map([
        [announceName('cmi', 'web', 4), down],
        [drainName('cmi', 'web', 4), down],
        [drainName('pccw', 'web', 4), { disabled: false, description: 'causeway: drained by kim' }],
      ]),
      new Map([['cmi', 'secret']]),
    ),
  );
  const wallTime = (): string => '2026-11-30T01:00:00.000Z';
  const history = await openHistory({
    folder: join(folder, 'history'),
    bootId: 'b',
    now: () => instant(1),
    wallTime,
  });
  history.tell({
    kind: 'alarm',
    event: 'raised',
    author: 'causeway',
    reason: 'all-bad',
    text: 'the last words',
  });
  await history.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configText(): string {
  const place = (name: string): string => JSON.stringify(join(folder, name));
  const bird = `bird: { socket: ${place('bird.ctl')}, config: ${place('causeway.conf')} }`;
  const paths = `paths: { state: ${place('')}, control: ${place('control.sock')} }`;
  return `${sample.replace(/^bird:.*$/m, '')}${bird}\n${paths}\nhttp: { listen: "127.0.0.1:1" }\n`;
}

async function run(...words: readonly string[]) {
  const said = { out: '', err: '', code: -1 };
  await runProgram([...words, '-c', file], {
    answer: (text) => {
      said.out += text;
    },
    complain: (text) => {
      said.err += text;
    },
    end: (code) => {
      said.code = code;
    },
  });
  return said;
}

test('status tells what the owned file makes of each announcement, and why, and the last entries; and ends with 3', async () => {
  const { out, err, code } = await run('status');
  expect(code).toBe(3);
  expect(err).toBe('the daemon cannot be reached');
  expect(out).toContain('The daemon does not answer');
  expect(out).toMatch(/BIRD does not answer either: ENOENT/);
  expect(out).toMatch(/^cmi +web +v4 .* unknown +withdraw +causeway: loss 34 % on 3 of 4 targets$/m);
  expect(out).toMatch(/^pccw +web +v4 .* unknown +drain +causeway: drained by kim$/m);
  expect(out).toContain('raised: all-bad: the last words');
  expect(out).toContain('systemctl start causeway');
  expect(out).not.toContain('secret');
});

test('explain tells it of one uplink, and refuses a name that there is not', async () => {
  const { out, code } = await run('explain', 'cmi');
  expect(code).toBe(3);
  expect(out).toContain('cmi');
  expect(out).not.toMatch(/^pccw +web/m);
  const none = await run('explain', 'hkbn');
  expect(none.code).toBe(2);
  expect(none.err).toContain('no such uplink');
});

test('events prints the last entries, and ends with 3', async () => {
  const { out, err, code } = await run('events');
  expect(code).toBe(3);
  expect(err).toContain('the last entries in');
  expect(out).toContain('the last words');
});

test('overrides and a freeze that the next start reads are told', async () => {
  const override = {
    subject: { kind: 'selection', service: null, uplink: 'cmi', family: null },
    state: 'withdraw',
    author: 'kim',
    reason: 'fibre works',
    at: '2026-11-30T01:00:00Z',
    expires: null,
  };
  writeFileSync(join(folder, 'overrides.json'), JSON.stringify({ version: 1, overrides: [override] }));
  writeFileSync(join(folder, 'freeze'), '');
  const found = await lookWithoutDaemon(file, 'x: ENOENT');
  expect(found).toMatchObject({ frozen: true, overrides: [{ author: 'kim' }], unread: [] });
  const text = withoutDaemonText(found, null, { columns: 80, colour: false });
  expect(text).toContain('cmi: withdraw by kim, until released: fibre works');
  expect(text).toContain('frozen');
  for (const line of text.split('\n')) expect(widthOf(line), `too wide: ${line}`).toBeLessThanOrEqual(80);
});

test('what cannot be read is said, and the rest is told', async () => {
  writeFileSync(join(folder, 'overrides.json'), '{"half":');
  writeFileSync(join(folder, 'causeway.conf'), 'router id 1.2.3.4;\n');
  rmSync(join(folder, 'history'), { recursive: true });
  mkdirSync(join(folder, 'history'));
  const found = await lookWithoutDaemon(file, 'x: ENOENT');
  expect(found.unread).toHaveLength(2);
  expect(found.unread.join('\n')).toMatch(/causeway\.conf/);
  expect(found.announcements.every((one) => one.file === null)).toBe(true);
});

test('a bad config is told with its problems, and nothing is guessed', async () => {
  writeFileSync(file, 'mode: lively\n');
  const found = await lookWithoutDaemon(file, 'x: ENOENT');
  expect(found).toMatchObject({ node: null, bird: null, announcements: [] });
  expect(found.config.problems.length).toBeGreaterThan(0);
  const { out, code } = await run('status');
  expect(code).toBe(3);
  expect(out).toContain('does not load');
});

test('whoever names a URL asks about another machine: nothing of this one is told', async () => {
  const { out, err, code } = await run('status', '--url', 'http://127.0.0.1:1');
  expect({ out, code }).toEqual({ out: '', code: 3 });
  expect(err).toContain('ECONNREFUSED');
});

test.each([[['status', '--url', 'ftp://x']], [['status', '--url', 'not a url']]])(
  '%j is refused with what is allowed',
  async (words) => {
    const { err, code } = await run(...words);
    expect(code).toBe(2);
    expect(err).toContain('allowed: a URL');
  },
);

test('a token file that cannot be read is bad usage', async () => {
  for (const command of [['status'], ['history'], ['events'], ['explain', 'cmi']]) {
    const { err, code } = await run(...command, '--token-file', join(folder, 'none'));
    expect(code).toBe(2);
    expect(err).toContain('--token-file');
  }
});

/**
 * Every command of the consoles in docs/bird.md and docs/apply.md, run on the lab's node in the order of the page. What is
 * answered must be what the page shows, but for times and counters. `UPDATE_DOCS=1` writes the answers into the page.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observeCarriers } from '../../lab/carrier/observer.ts';
import { startCarriers } from '../../lab/carrier/router.ts';
import { tryRun } from '../../lab/network/command.ts';
import { inside } from '../../lab/network/inside.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { type Network, startNetwork } from '../../lab/network/network.ts';
import { compiledProgram } from '../../lab/network/process.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { startNodeBird } from '../../lab/node/bird.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { sessionsUp } from '../../lab/node/lab.ts';
import { applyRouting, writeNodeConfig, writeOwnedFile } from '../../lab/node/program.ts';
import { editConfig, uplinkIn } from './support/apply-lab.ts';

const isUpdate = process.env['UPDATE_DOCS'] === '1';

const consoles = /^```console\n([\s\S]*?)^```$/gm;

interface Exchange {
  readonly command: string;
  readonly shown: readonly string[];
}

const consolesOf = (page: string): readonly (readonly Exchange[])[] =>
  [...readFileSync(page, 'utf8').matchAll(consoles)].map(([, body = '']) => exchangesIn(body));

let network: Network;
let path: string;

beforeAll(async () => {
  network = await startNetwork(freshLabId());
  await startCarriers(network);
  writeNodeConfig(network, {});
  await Promise.all([applyRouting(network), writeOwnedFile(network)]);
  await startNodeBird(network);
  const observer = observeCarriers(network);
  await waitUntil('six sessions', () => sessionsUp(observer), { timeoutMillis: 60_000 });
  observer.close();
  path = join(network.folder, 'bin');
  mkdirSync(path);
  const { birdSocket, config } = nodeFiles(network);
  wrap('birdc', `exec /usr/sbin/birdc -s "${birdSocket}" "$@"`);
  wrap('causeway', `exec "${process.execPath}" "${compiledProgram('src/cli/main')}" "$@" -c "${config}"`);
});
afterAll(() => network?.remove());

function wrap(name: string, script: string): void {
  writeFileSync(join(path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

test('docs/bird.md has a console in each chapter that tells of commands', () => {
  const all = consolesOf('docs/bird.md');
  expect(all.length).toBeGreaterThan(9);
  expect(all.flat().length).toBeGreaterThan(12);
  for (const { command } of all.flat()) expect(command).toMatch(/^birdc /);
});

test('each command of docs/bird.md works on the lab’s node, and answers what the page shows', () =>
  play('docs/bird.md'));

test('so does each of docs/apply.md, after a change of the config', async () => {
  editConfig(network, (document) => {
    Object.assign(uplinkIn(document, 'cmi'), { local_pref: 350, med: 50 });
    Object.assign(uplinkIn(document, 'pccw').peer, { hold: '60s' });
    Object.assign(document.services['web'] ?? {}, { prefixes: ['203.0.113.0/24'] });
  });
  await play('docs/apply.md');
});

async function play(page: string): Promise<void> {
  const answers: string[][] = [];
  for (const console of consolesOf(page)) {
    const lines: string[] = [];
    for (const { command, shown } of console) {
      const said = await answerOf(command);
      lines.push(`$ ${command}`, ...said);
      if (!isUpdate) expect([command, ...said].map(plain)).toEqual([command, ...shown].map(plain));
    }
    answers.push(lines);
  }
  if (!isUpdate) return;
  let at = 0;
  const text = readFileSync(page, 'utf8').replaceAll(consoles, () => {
    const lines = answers[at] ?? [];
    at += 1;
    return `\`\`\`console\n${lines.join('\n')}\n\`\`\``;
  });
  writeFileSync(page, text);
}

/** Of a command that must end well, without blanks at the ends of lines and the greeting. A diff that finds some ends with 1. */
async function answerOf(command: string): Promise<readonly string[]> {
  const env = { PATH: `${path}:${process.env['PATH'] ?? ''}` };
  const there = command.replaceAll('/etc/bird/causeway/causeway.conf', nodeFiles(network).owned);
  const result = await tryRun('ip', inside(network.namespace('node'), ['sh', '-c', there]), { env });
  const exitCode = command === 'causeway diff' ? 1 : 0;
  expect({ command, ...result }).toMatchObject({ command, exitCode, stderr: '' });
  const lines = result.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
  return lines.filter((line) => !/^BIRD \S+ ready\.$/.test(line));
}

function exchangesIn(body: string): readonly Exchange[] {
  const exchanges: { command: string; shown: string[] }[] = [];
  for (const line of body.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) exchanges.push({ command: line.slice(2), shown: [] });
    else exchanges.at(-1)?.shown.push(line);
  }
  return exchanges;
}

/** Times differ from run to run, and a session that was asked to start may stand at any step of that. */
function plain(line: string): string {
  return (
    line
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+/g, 'TIME')
      .replace(/^(bgp_\w+ +BGP +\S+ +)(?:start|stop|flush|down)\b.*$/, '$1DOWN')
      // The mark of a base is of the lab's own folder.
      .replaceAll(/\b\d{6,}\b/g, 'MARK')
      .replaceAll(/ {2,}/g, '  ')
  );
}

/**
 * Every command of the consoles in docs/bird.md, run on the lab's node in the order of the page. What BIRD answers must be
 * what the page shows, but for times and counters. `UPDATE_DOCS=1` writes the answers into the page.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observeCarriers } from '../../lab/carrier/observer.ts';
import { startCarriers } from '../../lab/carrier/router.ts';
import { tryRun } from '../../lab/network/command.ts';
import { inside } from '../../lab/network/inside.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { type Network, startNetwork } from '../../lab/network/network.ts';
import { repositoryRoot } from '../../lab/network/process.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { startNodeBird } from '../../lab/node/bird.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { sessionsUp } from '../../lab/node/lab.ts';
import { applyRouting, writeNodeConfig, writeOwnedFile } from '../../lab/node/program.ts';

const page = join(repositoryRoot(), 'docs/bird.md');
const isUpdate = process.env['UPDATE_DOCS'] === '1';

interface Exchange {
  readonly command: string;
  readonly shown: readonly string[];
}

const consoles = [...readFileSync(page, 'utf8').matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(
  ([, body = '']) => exchangesIn(body),
);

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
  const birdc = join(path, 'birdc');
  writeFileSync(birdc, `#!/bin/sh\nexec /usr/sbin/birdc -s ${nodeFiles(network).birdSocket} "$@"\n`);
  chmodSync(birdc, 0o755);
});
afterAll(() => network?.remove());

test('the page has a console in each chapter that tells of commands', () => {
  expect(consoles.length).toBeGreaterThan(9);
  expect(consoles.flat().length).toBeGreaterThan(12);
  for (const { command } of consoles.flat()) expect(command).toMatch(/^birdc /);
});

test('each command works on the lab’s node, and answers what the page shows', async () => {
  const answers: string[][] = [];
  for (const console of consoles) {
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
  const text = readFileSync(page, 'utf8').replaceAll(/^```console\n[\s\S]*?^```$/gm, () => {
    const lines = answers[at] ?? [];
    at += 1;
    return `\`\`\`console\n${lines.join('\n')}\n\`\`\``;
  });
  writeFileSync(page, text);
});

/** Of a command that must end well, without blanks at the ends of lines and the greeting. */
async function answerOf(command: string): Promise<readonly string[]> {
  const env = { PATH: `${path}:${process.env['PATH'] ?? ''}` };
  const result = await tryRun('ip', inside(network.namespace('node'), ['sh', '-c', command]), { env });
  expect({ command, ...result }).toMatchObject({ command, exitCode: 0, stderr: '' });
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
  return line
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+/g, 'TIME')
    .replace(/^(bgp_\w+ +BGP +\S+ +)(?:start|stop|flush|down)\b.*$/, '$1DOWN')
    .replaceAll(/ {2,}/g, '  ');
}

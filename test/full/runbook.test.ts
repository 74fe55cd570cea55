/**
 * Each command of docs/runbook.md that is for the node (for GeoDNS: test/host/geodns-runbook.test.ts) is run on a lab node with its daemon and BIRD: ours answers (0 done, 1 no), BIRD's takes it,
 * and those of the system are there and take their options. systemd does not run in a namespace: of its commands the verb is
 * known, and the unit is one of ours or of a package that the runbook is about.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshLabId } from '../../lab/network/names.ts';
import { inside } from '../../lab/network/inside.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { type Lab, startLab, waitHealthy } from '../../lab/node/lab.ts';
import { runbookCommands } from '../support/runbook.ts';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'bin/causeway');

/** Each of them once. */
const lines = [...new Set(runbookCommands('node'))];

let lab: Lab;
let folder: string;

beforeAll(async () => {
  lab = await startLab(freshLabId());
  await waitHealthy(lab);
  folder = mkdtempSync(join(tmpdir(), 'causeway-runbook-'));
  const files = nodeFiles(lab.network);
  wrap(
    'causeway',
    `case "$1" in replay|completion) exec "${program}" "$@";; esac\nexec "${program}" "$@" -c "${files.config}"`,
  );
  wrap('birdc', `exec /usr/sbin/birdc -s "${files.birdSocket}" "$@"`);
  writeFileSync(join(folder, 'new.yaml'), 'policy: { patience: 10s }\n');
  const recorded = await shell('causeway record -o night.cwr --for 2s');
  expect(recorded.exitCode, `said: ${recorded.stderr}`).toBe(0);
});

afterAll(() => {
  lab.remove();
  rmSync(folder, { recursive: true, force: true });
});

function wrap(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A line in the node's namespace, with the node's own folders where the page has the usual ones. */
function shell(line: string) {
  const { owned: file, state } = nodeFiles(lab.network);
  const owned = dirname(file);
  const there = line
    .replaceAll('/etc/bird/causeway', owned)
    .replaceAll('/etc/bird/bird.conf', file)
    .replaceAll('/etc/bird', owned)
    .replaceAll('/var/lib/causeway', state)
    .replaceAll('-o causeway', '-o root');
  const path = `${folder}:${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const argv = inside(lab.network.namespace('node'), [
    'env',
    `PATH=${path}`,
    'sh',
    '-c',
    `cd "${folder}" && ${there}`,
  ]);
  return execa('ip', argv, { reject: false, timeout: 60_000 });
}

const verbs = ['status', 'start', 'restart', 'reload', 'stop', 'enable', 'reset-failed'];
/** Of other packages. */
const units = ['bird', 'nginx'];

async function trouble(line: string): Promise<string | null> {
  const [name = '', ...words] = line.split(' ');
  if (name === 'systemctl') {
    const [verb = '', unit = ''] = words;
    const isKnown = units.includes(unit) || existsSync(join(root, 'systemd', `${unit}.service`));
    return verbs.includes(verb) && isKnown ? null : 'no such verb or unit';
  }
  const { exitCode, stderr } = await shell(line);
  switch (name) {
    case 'causeway':
      return exitCode === 0 || exitCode === 1 ? null : `exit code ${exitCode}: ${stderr}`;
    case 'birdc':
      return exitCode === 0 ? null : `exit code ${exitCode}: ${stderr}`;
    default:
      // 127 is no such program; 2 is bad usage with all of them but grep, which says so of a file that is not there.
      return exitCode === 127 || (exitCode === 2 && name !== 'grep')
        ? `exit code ${exitCode}: ${stderr}`
        : null;
  }
}

test('there are many commands', () => {
  expect(lines.length).toBeGreaterThan(50);
});

test.each(lines)('%s', async (line) => {
  expect(await trouble(line)).toBeNull();
});

test('a command that is not there, and one that is not taken, are found', async () => {
  expect(await trouble('no-such-program')).toContain('127');
  expect(await trouble('causeway drian')).toContain('exit code 2');
  expect(await trouble('birdc show nothing')).not.toBeNull();
  expect(await trouble('systemctl restart nobody')).not.toBeNull();
});

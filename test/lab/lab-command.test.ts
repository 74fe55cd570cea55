import { spawn, type ChildProcess } from 'node:child_process';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { observeCarriers } from '../../lab/carrier/observer.ts';
import { freshLabId, labOfNamespace } from '../../lab/network/names.ts';
import { attachNetwork } from '../../lab/network/network.ts';
import { compiledProgram } from '../../lab/network/process.ts';
import { listNamespaces, removeLab } from '../../lab/network/removal.ts';
import { waitUntil } from '../../lab/network/wait.ts';

const lab = (...args: readonly string[]) =>
  execa(process.execPath, [compiledProgram('lab/main'), ...args], { reject: false, timeout: 120_000 });

function namespacesOf(id: string): readonly string[] {
  return listNamespaces().filter((name) => labOfNamespace(name) === id);
}

describe('npm run lab', () => {
  test('--list names every scenario, and usage errors end with 2 and say what is allowed', async () => {
    const [list, unknown, option, break_, nobody] = await Promise.all([
      lab('--list'),
      lab('scenario', 'no-such'),
      lab('--no-such'),
      lab('break', 'cmi', 'fire'),
      lab('--id', 'nosuch', 'mend'),
    ]);
    expect(list.exitCode).toBe(0);
    expect(list.stdout).toMatch(/^black-hole +everything behind CMI dead/m);
    expect([unknown.exitCode, option.exitCode, break_.exitCode, nobody.exitCode]).toEqual([2, 2, 2, 1]);
    expect(unknown.stderr).toContain('--list');
    expect(nobody.stderr).toContain('no lab `nosuch` is running');
  });

  test('--once shows three healthy uplinks and ends with 0, leaving nothing', async () => {
    const id = freshLabId();
    const result = await lab('--id', id, '--once');
    expect({ code: result.exitCode, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of ['cmi', 'pccw', 'hkbn']) {
      expect(result.stdout).toMatch(new RegExp(`^${name} +v4 +healthy .* announce +exported`, 'm'));
    }
    expect(result.stdout).toMatch(/status {3}http:\/\/127\.0\.0\.1:\d+\/v1\/status/);
    expect(namespacesOf(id)).toEqual([]);
  });

  test('break and mend act on the running lab, the URL answers, and SIGINT removes everything', async () => {
    const id = freshLabId();
    const child = spawn(process.execPath, [compiledProgram('lab/main'), '--id', id], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const output = collect(child);
      await waitUntil('three healthy uplinks', () => output().includes('End with Ctrl-C'), {
        timeoutMillis: 90_000,
      });
      const url = /http:\S+/.exec(output())?.[0] ?? '';
      const status = (await (await fetch(url)).json()) as { readonly node: string };
      expect(status.node).toBe('hk1');
      const observer = observeCarriers(attachNetwork(id));
      const held = async () => (await observer.view('hkbn')).routes[4] !== null;
      expect((await lab('--id', id, 'break', 'hkbn', 'blackhole')).exitCode).toBe(0);
      await waitUntil('hkbn to lose the route', async () => !(await held()), { timeoutMillis: 30_000 });
      expect((await lab('--id', id, 'mend')).exitCode).toBe(0);
      await waitUntil('hkbn to get it back', held, { timeoutMillis: 40_000 });
      observer.close();
      expect(output()).toMatch(/hkbn IPv4 route gone/);
    } finally {
      child.kill('SIGINT');
      await new Promise((resolve) => child.once('exit', resolve));
      expect(namespacesOf(id)).toEqual([]);
      removeLab(id);
    }
  });
});

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  return () => text;
}

test.each([
  'lab/main',
  'lab/chaos/main',
  'lab/geodns/main',
  'edge/lab/main',
  'bench/main',
  'test/fuzz/run.mjs',
])('%s --help says how it is called, and starts nothing', async (name) => {
  const program = name.endsWith('.mjs') ? name : compiledProgram(name);
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, '--help'], { reject: false });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: npm run [a-z:]+/);
});

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { freshLabId, labFolder, labOfNamespace } from '../../lab/network/names.ts';
import { startNetwork } from '../../lab/network/network.ts';
import { compiledProgram, isRunning, readPidFile, type ProcessRef } from '../../lab/network/process.ts';
import { listNamespaces, removeDeadLabs, removeLab } from '../../lab/network/removal.ts';
import { waitUntil } from '../../lab/network/wait.ts';

const started: string[] = [];

afterEach(() => {
  for (const id of started.splice(0)) removeLab(id);
});

/** A lab in a process of its own, so that it can be ended in every way. */
async function labProcess(id: string, then = ''): Promise<ChildProcess> {
  started.push(id);
  const entry = pathToFileURL(compiledProgram('lab/network/network')).href;
  const program = `const { startNetwork } = await import('${entry}');
    await startNetwork('${id}'); console.log('up'); ${then || 'setInterval(() => {}, 1000);'}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', () => reject(new Error('the lab ended before it was up')));
  });
  return child;
}

function namespacesOf(id: string): readonly string[] {
  return listNamespaces().filter((name) => labOfNamespace(name) === id);
}

function ended(child: ChildProcess): Promise<unknown> {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve));
}

function listener(id: string): ProcessRef {
  const ref = readPidFile(`${labFolder(id)}/listener.pid`);
  if (ref === null) throw new Error(`lab ${id} has no listener`);
  return ref;
}

describe('the end of a lab', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s removes everything', async (signal) => {
    const id = freshLabId();
    const child = await labProcess(id);
    expect(namespacesOf(id)).toHaveLength(5);
    const ref = listener(id);
    child.kill(signal);
    await ended(child);
    expect(namespacesOf(id)).toEqual([]);
    expect(existsSync(labFolder(id))).toBe(false);
    await waitUntil('the listener to be gone', () => !isRunning(ref));
  });

  test('an exception that nobody catches removes everything', async () => {
    const id = freshLabId();
    const child = await labProcess(id, `setTimeout(() => { throw new Error('on purpose'); }, 50);`);
    await ended(child);
    expect(namespacesOf(id)).toEqual([]);
    expect(existsSync(labFolder(id))).toBe(false);
  });

  test('what a killed lab left is removed by clean, and a living lab is not', async () => {
    const dead = freshLabId();
    const living = freshLabId();
    const child = await labProcess(dead);
    const other = await labProcess(living);
    const ref = listener(dead);
    child.kill('SIGKILL');
    await ended(child);
    expect(namespacesOf(dead)).toHaveLength(5);
    const removed = removeDeadLabs().find((one) => one.lab === dead);
    expect(removed).toMatchObject({ namespaces: 5, processes: 1 });
    expect(namespacesOf(dead)).toEqual([]);
    expect(existsSync(labFolder(dead))).toBe(false);
    await waitUntil('the listener to be gone', () => !isRunning(ref));
    expect(namespacesOf(living)).toHaveLength(5);
    other.kill('SIGTERM');
    await ended(other);
  });

  test('an id that a living lab has is refused', async () => {
    const id = freshLabId();
    const child = await labProcess(id);
    await expect(startNetwork(id)).rejects.toThrow(/is running already \(process \d+\)/);
    expect(namespacesOf(id)).toHaveLength(5);
    child.kill('SIGTERM');
    await ended(child);
  });
});

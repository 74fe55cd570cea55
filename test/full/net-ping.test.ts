/**
 * The engine net-ping where ICMP sockets are closed, with the package as npm gives it. It is compiled here, so this needs a
 * compiler, Node's headers and a Node that it compiles on.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inside } from '../../lab/network/inside.ts';
import { allTasks, outcomesOf, startRun, waitUntil } from '../lab/support/prober-run.ts';
import { compile, joinUplink, makeWorld } from '../lab/support/prober-world.ts';

const compiles = Number(process.versions.node.split('.')[0]) < 24;
const folder = mkdtempSync(join(tmpdir(), 'causeway-net-ping-'));
let build: Awaited<ReturnType<typeof compile>>;

beforeAll(async () => {
  build = await compile();
  if (!compiles) return;
  writeFileSync(join(folder, 'package.json'), '{ "name": "net-ping-here", "version": "1.0.0" }');
  await execa('npm', ['install', '--no-audit', '--no-fund', 'net-ping@1.2.4'], { cwd: folder });
  const raw = join(folder, 'node_modules/raw-socket');
  // Newer npm does not run install scripts by itself.
  if (!existsSync(join(raw, 'build/Release/raw.node'))) {
    const { stdout: root } = await execa('npm', ['root', '-g']);
    const gyp = join(root, 'npm/node_modules/node-gyp/bin/node-gyp.js');
    const headers = dirname(dirname(process.execPath));
    await execa(process.execPath, [gyp, 'rebuild', `--nodedir=${headers}`], { cwd: raw });
  }
  const modules = join(dirname(build.dist), 'node_modules');
  unlinkSync(modules);
  mkdirSync(modules);
  symlinkSync(join(process.cwd(), 'node_modules/koffi'), join(modules, 'koffi'));
  symlinkSync(join(folder, 'node_modules/net-ping'), join(modules, 'net-ping'));
}, 300_000);

afterAll(() => {
  build.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!compiles)(
  'pings by raw sockets: answered, lost on the dead uplink alone, and well again after the interface was made anew',
  async () => {
    const world = await makeWorld();
    const closed = ['sysctl', '-qw', 'net.ipv4.ping_group_range=1\t0'];
    await execa('ip', inside(world.node, closed));
    const run = startRun(world.node, build.dist, 'net-ping');
    try {
      const [a, b] = [
        [1, 2],
        [5, 6],
      ] as const;
      const seen = (ids: readonly number[], wanted: string, from: number) =>
        ids.every((id) => (outcomesOf(run.of(id, from))[wanted] ?? 0) >= 5);
      const until = (ids: readonly number[], wanted: string, from: number) =>
        waitUntil(`${wanted} on ${ids.join()}`, () => seen(ids, wanted, from));
      run.command({ tasks: allTasks().filter(({ kind }) => kind === 'icmp') });
      await until([...a, ...b], 'answered', 0);
      expect(run.states.at(-1)).toMatchObject({ kind: 'running', engine: 'net-ping' });
      const dead = run.samples.length;
      for (const flag of ['', '-6 ']) {
        await world.run(world.router, `ip ${flag}route add blackhole default table 99`);
        await world.run(world.router, `ip ${flag}rule add iif upa lookup 99 pref 10`);
      }
      await until(a, 'lost', dead);
      // The same targets answer through B in the same process: its replies are not taken for A's.
      for (const id of b) expect(outcomesOf(run.of(id, dead))['lost'] ?? 0, `stream ${id}`).toBe(0);
      for (const flag of ['', '-6 ']) await world.run(world.router, `ip ${flag}rule del pref 10`);
      await until(a, 'answered', run.samples.length);
      const gone = run.samples.length;
      await world.run(world.node, 'ip link del upa');
      await until(a, 'not-run interface-missing', gone);
      await joinUplink(world, 'upa', '1', 1001);
      await until(a, 'answered', run.samples.length);
    } finally {
      await run.close();
      await world.remove();
    }
  },
);

test('is missed with a sentence that says what to do, and nothing is taken for lost', async () => {
  const plain = await compile();
  const world = await makeWorld();
  const run = startRun(world.node, plain.dist, 'net-ping');
  try {
    run.command({ tasks: allTasks().filter(({ kind }) => kind === 'icmp') });
    await waitUntil('unable', () => run.states.at(-1)?.kind === 'unable');
    expect(run.states.at(-1)).toMatchObject({
      code: 'engine',
      text: expect.stringContaining('npm install net-ping'),
    });
    expect(run.samples).toEqual([]);
  } finally {
    await run.close();
    await world.remove();
    plain.remove();
  }
});

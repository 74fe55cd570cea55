/** What middleboxes and addresses of carriers do to probes elsewhere: frozen ICMP ids, one NAT for two nodes, equal gateways. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { execa } from 'execa';
import { inside } from '../../lab/network/inside.ts';
import type { ProbeTask } from '../../src/types/outcome.ts';
import { allTasks, outcomesOf, type ProberRun, startRun, waitUntil } from './support/prober-run.ts';
import { compile, makeWorld, sourceA, sourceB, type World } from './support/prober-world.ts';

let build: Awaited<ReturnType<typeof compile>>;
beforeAll(async () => {
  build = await compile();
});
afterAll(() => build.remove());

let world: World;
let run: ProberRun;
beforeEach(async () => {
  world = await makeWorld();
  run = startRun(world.node, build.dist);
});
afterEach(async () => {
  try {
    await run.close();
  } finally {
    await world.remove();
  }
});

/** ICMP over IPv4 through A and through B. */
function pings(more: Partial<ProbeTask> = {}): readonly [ProbeTask, ProbeTask] {
  const [a, b] = allTasks(50, 500).filter(({ kind, family }) => kind === 'icmp' && family === 4);
  if (a === undefined || b === undefined) throw new Error('there are no such streams');
  return [
    { ...a, ...more },
    { ...b, ...more },
  ];
}

async function until(
  prober: ProberRun,
  task: ProbeTask,
  wanted: string,
  count: number,
  from = 0,
): Promise<void> {
  await waitUntil(
    `${count} × ${wanted} through ${task.uplink}`,
    () => (outcomesOf(prober.of(task.id, from))[wanted] ?? 0) >= count,
  );
}

/** The id of the echo requests that leave from an address: the local port of ping(7)'s sockets. */
async function idFrom(namespace: string, source: string): Promise<number> {
  const table = await world.run(namespace, 'cat /proc/net/icmp');
  const address = Buffer.from(source.split('.').map(Number)).readUInt32LE(0).toString(16).toUpperCase();
  const local = table
    .split('\n')
    .map((line) => line.trim().split(/\s+/)[1] ?? '')
    .find((one) => one.startsWith(`${address.padStart(8, '0')}:`));
  if (local === undefined) throw new Error(`no echo socket of ${source} in ${table}`);
  return Number.parseInt(local.slice(9), 16);
}

test('a middlebox that swallows one ICMP id for ever is left behind by another id', async () => {
  const [a, b] = pings();
  run.command({ tasks: [a, b] });
  await until(run, a, 'answered', 5);
  const frozen = await idFrom(world.node, sourceA[4]);
  const from = run.samples.length;
  await world.run(world.router, 'nft add table inet faults');
  await world.run(world.router, 'nft add chain inet faults f { type filter hook forward priority 0 ; }');
  await world.run(world.router, `nft add rule inet faults f iifname upa icmp id ${frozen} drop`);
  await until(run, a, 'lost', 8, from);
  const lost = run.samples.length;
  await until(run, a, 'answered', 10, lost);
  expect(await idFrom(world.node, sourceA[4])).not.toBe(frozen);
  expect(outcomesOf(run.of(b.id, from))['lost'] ?? 0).toBe(0);
});

test('two nodes behind one address hear each their own replies', async () => {
  await world.run(world.router, 'nft add table ip nat');
  await world.run(world.router, 'nft add chain ip nat post { type nat hook postrouting priority srcnat ; }');
  await world.run(world.router, 'nft add rule ip nat post oifname tgt masquerade');
  const other = `${world.node}2`;
  await execa('ip', ['netns', 'add', other]);
  let second: ProberRun | null = null;
  try {
    // B's link moves to the other node as it is.
    await world.run(world.node, `ip link set upb netns ${other}`);
    for (const line of [
      'ip link set lo up',
      `ip addr add ${sourceB[4]}/24 dev upb`,
      'ip link set upb up',
      'ip route add default via 10.71.2.1 dev upb',
    ])
      await world.run(other, line);
    await execa('ip', inside(other, ['sysctl', '-qw', 'net.ipv4.ping_group_range=0\t2147483647']));
    second = startRun(other, build.dist);
    const [a, b] = pings();
    run.command({ tasks: [a] });
    second.command({ tasks: [b] });
    await until(run, a, 'answered', 40);
    await until(second, b, 'answered', 40);
    // Replies that went to the wrong node would be strays there, forty and more; a few are late on a busy machine.
    const strays = [...run.messages, ...second.messages].reduce((sum, one) => sum + one.strays, 0);
    expect(strays).toBeLessThan(10);
    expect(outcomesOf([...run.of(a.id), ...second.of(b.id)])['lost'] ?? 0).toBe(0);
  } finally {
    await second?.close();
    await execa('ip', ['netns', 'del', other], { reject: false });
  }
});

test('two uplinks whose gateways have the same address are told apart: what dies behind one is lost on it alone', async () => {
  const gateway = '192.0.2.1';
  const ends = [
    { device: 'upa', source: '192.0.2.2', table: 1001 },
    { device: 'upb', source: '192.0.2.3', table: 1002 },
  ];
  for (const { device, source, table } of ends) {
    await world.run(world.router, `ip addr add ${gateway}/32 dev ${device}`);
    await world.run(world.router, `ip route add ${source}/32 dev ${device}`);
    await world.run(world.node, `ip addr add ${source}/32 dev ${device}`);
    await world.run(world.node, `ip route replace ${gateway} dev ${device} table ${table}`);
    await world.run(world.node, `ip route replace default via ${gateway} dev ${device} table ${table}`);
    await world.run(world.node, `ip rule add from ${source} lookup ${table}`);
  }
  const [first, last] = pings();
  const [a, b] = [
    { ...first, source: '192.0.2.2' },
    { ...last, source: '192.0.2.3' },
  ];
  run.command({ tasks: [a, b] });
  await until(run, a, 'answered', 5);
  await until(run, b, 'answered', 5);
  const from = run.samples.length;
  await world.run(world.router, 'nft add table inet faults');
  await world.run(world.router, 'nft add chain inet faults f { type filter hook forward priority 0 ; }');
  await world.run(world.router, 'nft add rule inet faults f iifname upb drop');
  await until(run, b, 'lost', 10, from);
  expect(outcomesOf(run.of(a.id, from))['lost'] ?? 0).toBe(0);
  expect(outcomesOf(run.of(a.id, from))['answered']).toBeGreaterThan(0);
});

/** HTTP, DNS and full-size probes in namespaces: bound to their uplink, and told apart from what is not the path's. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { execa } from 'execa';
import { inside } from '../../lab/network/inside.ts';
import type { ProbeTask, Sample } from '../../src/types/outcome.ts';
import { millis } from '../../src/types/units.ts';
import { type ProberRun, allTasks, outcomesOf, startRun, waitUntil } from './support/prober-run.ts';
import { type World, compile, makeWorld, targetAddress } from './support/prober-world.ts';

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

const mark = (): number => run.samples.length;

async function until(ids: readonly number[], wanted: string, count: number, from: number): Promise<void> {
  const counts = () => ids.map((id) => outcomesOf(run.of(id, from)));
  await waitUntil(`${count} × ${wanted} on each of ${ids.join()}`, () =>
    counts().every((one) => (one[wanted] ?? 0) >= count),
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; found ${JSON.stringify(counts())}`);
  });
}

/** The ICMP streams of both uplinks as streams of another kind, with numbers from 11 on. */
function asKind(kind: ProbeTask['kind'], more: Partial<ProbeTask>): readonly ProbeTask[] {
  return allTasks()
    .filter((task) => task.kind === 'icmp')
    .map((task, index): ProbeTask => ({ ...task, id: 11 + index, kind, ...more }));
}

const ofA = [11, 12];
const ofB = [13, 14];

async function blackHoleA(): Promise<void> {
  for (const flag of ['', '-6 ']) {
    await world.run(world.router, `ip ${flag}route add blackhole default table 99`);
    await world.run(world.router, `ip ${flag}rule add iif upa lookup 99 pref 10`);
  }
}

test('HTTP and DNS go by their own uplink: a dead path behind A is lost on A alone', async () => {
  const servers = execa('ip', inside(world.target, [process.execPath, '-e', serverScript]), {
    reject: false,
  });
  try {
    const http = asKind('http', { port: 8080, http: { tls: false, host: null, path: '/', status: null } });
    const dns = asKind('dns', { port: 5353, dns: { name: 'example.com', type: 'A' } }).map(
      (task): ProbeTask => ({ ...task, id: task.id + 10 }),
    );
    run.command({ tasks: [...http, ...dns] });
    const all = [...ofA, ...ofB].flatMap((id) => [id, id + 10]);
    // Before the servers stand, a closed port answers, once a second: what follows counts from well after that.
    const isUnfit = ({ outcome }: Sample) =>
      outcome.kind === 'lost' || (outcome.kind === 'answered' && outcome.wrong !== undefined);
    const latest = () => all.map((id) => run.of(id).slice(-15));
    await waitUntil('right answers', () =>
      latest().every((samples) => samples.length === 15 && !samples.some(isUnfit)),
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(latest().map((samples) => samples.at(-1)))}`);
    });
    const from = mark();
    await blackHoleA();
    const lostOnes = ofA.flatMap((id) => [id, id + 10]);
    await until(lostOnes, 'lost', 5, from);
    for (const id of ofB.flatMap((one) => [one, one + 10])) {
      const counts = outcomesOf(run.of(id, from));
      expect(counts['lost'] ?? 0, `stream ${id}: ${JSON.stringify(counts)}`).toBe(0);
      expect(counts['answered'] ?? 0, `stream ${id}`).toBeGreaterThan(0);
    }
  } finally {
    servers.kill('SIGKILL');
    await servers;
  }
});

test('full-size echoes vanish behind a narrow link of A, and small ones pass', async () => {
  const full = asKind('mtu', { intervalMillis: millis(100) });
  run.command({ tasks: [...allTasks().filter(({ kind }) => kind === 'icmp'), ...full] });
  await until([...ofA, ...ofB], 'answered', 5, 0);
  const from = mark();
  // A link that takes 1,400 bytes and says nothing of it: the classic black hole.
  await world.run(world.router, 'nft add table inet narrow');
  await world.run(world.router, 'nft add chain inet narrow f { type filter hook forward priority 0 ; }');
  await world.run(world.router, 'nft add rule inet narrow f iifname upa meta length > 1400 drop');
  await until(ofA, 'lost', 5, from);
  for (const id of [1, 2]) expect(outcomesOf(run.of(id, from))['lost'] ?? 0, `stream ${id}`).toBe(0);
  for (const id of ofB) expect(outcomesOf(run.of(id, from))['lost'] ?? 0, `stream ${id}`).toBe(0);
});

test('a local queue that is full is send-queue, and no loss', async () => {
  const tasks = allTasks(20, 1000).slice(0, 1);
  run.command({ tasks });
  await until([1], 'answered', 5, 0);
  const from = mark();
  // 98 bytes of an echo with its headers fit the queue, two do not; the bucket holds hardly more than one.
  await world.run(world.node, 'tc qdisc replace dev upa root tbf rate 4kbit burst 150 limit 150');
  await until([1], 'not-run send-queue', 10, from);
  await world.run(world.node, 'tc qdisc del dev upa root');
  await until([1], 'answered', 5, mark());
});

const serverScript = `
require('http').createServer((q, r) => r.end()).listen(8080, '::');
for (const type of ['udp4', 'udp6']) {
  const s = require('dgram').createSocket(type);
  s.on('message', (m, from) => { m[2] = 0x81; m[3] = 0x80; s.send(m, from.port, from.address); });
  s.bind(5353, type === 'udp4' ? '${targetAddress[4]}' : '${targetAddress[6]}');
}`;

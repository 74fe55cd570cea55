/** The prober in namespaces: real sockets, real routes, real faults. */
import { readdirSync, readlinkSync } from 'node:fs';
import { inside } from '../../lab/network/inside.ts';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import { execa } from 'execa';
import type { Sample } from '../../src/types/outcome.ts';
import {
  type ProberRun,
  allTasks,
  idsOfA,
  idsOfB,
  outcomesOf,
  startRun,
  waitUntil,
} from './support/prober-run.ts';
import {
  type World,
  compile,
  joinUplink,
  makeWorld,
  routeUplink,
  targetAddress,
} from './support/prober-world.ts';

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

const answered = (sample: Sample): boolean => sample.outcome.kind === 'answered';
const mark = (): number => run.samples.length;

/** Until each of these streams has `count` samples of that outcome after `from`. */
async function until(ids: readonly number[], wanted: string, count: number, from: number): Promise<void> {
  const seen = (id: number) => outcomesOf(run.of(id, from))[wanted] ?? 0;
  await waitUntil(`${count} × ${wanted} on each of ${ids.join()}`, () =>
    ids.every((id) => seen(id) >= count),
  ).catch((error: unknown) => {
    const found = ids.map((id) => `${id}: ${JSON.stringify(outcomesOf(run.of(id, from)))}`);
    throw new Error(
      `${String(error)}; found ${found.join('; ')}; last state ${JSON.stringify(run.states.at(-1))}`,
    );
  });
}

async function startAll(): Promise<void> {
  run.command({ tasks: allTasks() });
  await until([...idsOfA, ...idsOfB], 'answered', 3, 0);
}

function only(ids: readonly number[], from: number): Record<string, number> {
  return outcomesOf(ids.flatMap((id) => [...run.of(id, from)]));
}

describe('outcomes', () => {
  test('ICMP and TCP in both families are answered with the round trip of the path, a reset included', async () => {
    run.command({ tasks: allTasks() });
    await until([...idsOfA, ...idsOfB], 'answered', 20, 0);
    // No listener on port 443: every TCP answer so far is a reset. Now with one.
    const refused = mark();
    const listener = execa('ip', inside(world.target, [process.execPath, '-e', listen443]), {
      reject: false,
    });
    try {
      await until([3, 4, 7, 8], 'answered', 20, refused + 40);
    } finally {
      listener.kill('SIGKILL');
      await listener;
    }
    const roundTrips = run.samples.flatMap(({ outcome }) =>
      outcome.kind === 'answered' ? [outcome.rttMillis] : [],
    );
    expect(Math.min(...roundTrips)).toBeGreaterThan(0);
    // The path takes a fraction of a millisecond; a machine that stalls stretches single ones, not the median.
    expect(roundTrips.toSorted((a, b) => a - b)[Math.floor(roundTrips.length / 2)]).toBeLessThan(20);
    expect(only([...idsOfA, ...idsOfB], 0)['lost']).toBeUndefined();
    expect(run.messages.at(-1)?.rssBytes).toBeGreaterThan(10_000_000);
  });

  test('a dead path behind A is lost on A alone, although the target answers through B', async () => {
    await startAll();
    await world.run(world.router, 'ip route add blackhole default table 99');
    await world.run(world.router, 'ip -6 route add blackhole default table 99');
    const from = mark();
    await world.run(world.router, 'ip rule add iif upa lookup 99 pref 10');
    await world.run(world.router, 'ip -6 rule add iif upa lookup 99 pref 10');
    await until(idsOfA, 'lost', 10, from);
    // What our own machine delayed is not-run, and says nothing of B.
    expect(only(idsOfB, from)['lost'] ?? 0).toBe(0);
    expect(only(idsOfB, from)['answered']).toBeGreaterThan(0);
    const mended = mark();
    await world.run(world.router, 'ip rule del pref 10');
    await world.run(world.router, 'ip -6 rule del pref 10');
    await until(idsOfA, 'answered', 10, mended);
  });

  test('a router that says unreachable loses the probe, since the machine itself has a route', async () => {
    await startAll();
    const from = mark();
    await world.run(world.router, `ip route change unreachable ${targetAddress[4]}/32`);
    await until([1, 3], 'lost', 5, from);
    expect(only([1, 3], from)).not.toHaveProperty('not-run route-missing');
  });

  test('half of the packets dropped is about half of the probes lost', async () => {
    run.command({ tasks: allTasks(20, 300) });
    await until([1, 2], 'answered', 3, 0);
    const from = mark();
    await world.run(world.router, 'nft add table inet faults');
    await world.run(world.router, 'nft add chain inet faults f { type filter hook forward priority 0 ; }');
    await world.run(world.router, 'nft add rule inet faults f iifname upa numgen random mod 100 < 50 drop');
    await waitUntil('400 samples of each', () => idsOfA.every((id) => run.of(id, from).length >= 400));
    for (const id of idsOfA) {
      const { lost = 0, answered: good = 0 } = outcomesOf(run.of(id, from));
      expect(lost / (lost + good), `stream ${id}`).toBeGreaterThan(0.38);
      expect(lost / (lost + good), `stream ${id}`).toBeLessThan(0.6);
    }
    expect(only(idsOfB, from)['lost'] ?? 0).toBe(0);
  });

  test('duplicates, late and foreign replies are strays and decide nothing', async () => {
    await world.run(world.target, 'sysctl -qw net.ipv4.icmp_echo_ignore_all=1');
    const late = `10.71.9.77`;
    await world.run(world.target, `ip addr add ${late}/32 dev lo`);
    // Every request is answered from the right address twice and from a wrong one once, or 400 ms late.
    const responder = execa('ip', inside(world.target, ['python3', '-c', responderScript, late]));
    responder.catch(() => undefined);
    try {
      run.command({ tasks: allTasks(100, 300).slice(0, 1) });
      // Before the responder has started every probe is plainly lost.
      await until([1], 'answered', 2, 0);
      const from = mark();
      const firstMessage = run.messages.length;
      await until([1], 'answered', 10, from);
      await until([1], 'lost', 10, from);
      const decided = run.of(1, from).length;
      const strays = run.messages.slice(firstMessage).reduce((sum, message) => sum + message.strays, 0);
      // Two beside each answer (foreign, duplicate) and two beside each loss (foreign, late).
      expect(strays).toBeGreaterThan(decided * 1.5);
      const sent = run.of(1).map((sample) => sample.sentAt);
      expect(new Set(sent).size).toBe(sent.length);
    } finally {
      responder.kill('SIGKILL');
      await responder.catch(() => undefined);
    }
  });
});

describe('faults of our own machine are not-run', () => {
  test('an interface that is deleted and made again answers again without a restart', async () => {
    await startAll();
    const gone = mark();
    await world.run(world.node, 'ip link del upa');
    await until(idsOfA, 'not-run interface-missing', 5, gone);
    expect(only(idsOfA, gone)['lost'] ?? 0).toBe(0);
    const back = mark();
    await joinUplink(world, 'upa', '1', 1001);
    await until(idsOfA, 'answered', 10, back);
    expect(only(idsOfA, gone)['lost'] ?? 0).toBe(0);
    // What our own machine delayed is not-run, and says nothing of B.
    expect(only(idsOfB, gone)['lost'] ?? 0).toBe(0);
    expect(only(idsOfB, gone)['answered']).toBeGreaterThan(0);
    expect(run.states.filter((state) => state.kind === 'restarting')).toEqual([]);
  });

  test('an interface that is down, or up without carrier, is interface-down', async () => {
    await startAll();
    const down = mark();
    await world.run(world.node, 'ip link set upa down');
    await until(idsOfA, 'not-run interface-down', 5, down);
    expect(only(idsOfA, down)['lost'] ?? 0).toBe(0);
    await world.run(world.node, 'ip link set upa up');
    await world.run(world.node, 'ip -6 addr replace fd71:1::2/64 dev upa nodad');
    await routeUplink(world, 'upa', '1', 1001);
    const up = mark();
    await until(idsOfA, 'answered', 5, up);
    // The router's end may need a moment after the link came up; its losses are its own.
    await waitUntil('all is well again', () => idsOfA.every((id) => run.of(id).slice(-15).every(answered)));
    const unplugged = mark();
    await world.run(world.router, 'ip link set upa down');
    await until(idsOfA, 'not-run interface-down', 15, unplugged);
    expect(only(idsOfA, unplugged)['lost'] ?? 0).toBe(0);
  });

  test('a source address that is removed is source-missing, in both families', async () => {
    await startAll();
    const gone = mark();
    await world.run(world.node, 'ip addr del 10.71.1.2/24 dev upa');
    await world.run(world.node, 'ip -6 addr del fd71:1::2/64 dev upa');
    await until(idsOfA, 'not-run source-missing', 5, gone);
    expect(only(idsOfA, gone)['lost'] ?? 0).toBe(0);
    await world.run(world.node, 'ip addr add 10.71.1.2/24 dev upa');
    await world.run(world.node, 'ip -6 addr add fd71:1::2/64 dev upa nodad');
    await routeUplink(world, 'upa', '1', 1001);
    run.command({ link: true });
    await until(idsOfA, 'answered', 5, mark());
  });

  test('a missing route is route-missing, where the kernel would send ARP for the target', async () => {
    await startAll();
    const gone = mark();
    await world.run(world.node, 'ip route del default table 1001');
    await world.run(world.node, 'ip -6 route del default table 1001');
    await until(idsOfA, 'not-run route-missing', 5, gone);
    expect(only(idsOfA, gone)['lost'] ?? 0).toBe(0);
    await routeUplink(world, 'upa', '1', 1001);
    run.command({ link: true });
    await until(idsOfA, 'answered', 5, mark());
  });

  test('a kernel that refuses ICMP sockets makes the prober unable, TCP goes on, and it heals', async () => {
    await execa('ip', inside(world.node, ['sysctl', '-qw', 'net.ipv4.ping_group_range=1\t0']));
    run.command({ tasks: allTasks() });
    await until([1, 2, 5, 6], 'not-run self-test-failed', 3, 0);
    await until([3, 4, 7, 8], 'answered', 3, 0);
    const state = run.states.findLast(({ kind }) => kind === 'unable');
    expect(state).toMatchObject({
      code: 'EACCES',
      text: expect.stringContaining('net.ipv4.ping_group_range'),
    });
    await execa('ip', inside(world.node, ['sysctl', '-qw', 'net.ipv4.ping_group_range=0\t2147483647']));
    await until([1, 2, 5, 6], 'answered', 3, mark());
    await waitUntil('running', () => run.states.at(-1)?.kind === 'running');
  });
});

describe('the process', () => {
  test('a stopped child is silent, then killed and started again', async () => {
    await startAll();
    const first = run.states.findLast((state) => state.kind === 'running');
    if (first?.kind !== 'running') throw new Error('never running');
    process.kill(first.pid, 'SIGSTOP');
    await waitUntil('silent', () => run.states.at(-1)?.kind === 'silent');
    await waitUntil('restarting', () => run.states.some(({ kind }) => kind === 'restarting'));
    const again = mark();
    await until([...idsOfA, ...idsOfB], 'answered', 3, again);
    const second = run.states.at(-1);
    expect(second?.kind === 'running' && second.pid !== first.pid).toBe(true);
    expect(only([...idsOfA, ...idsOfB], 0)['lost'] ?? 0).toBe(0);
  });

  test('it ends when the daemon is killed', async () => {
    await startAll();
    const state = run.states.findLast(({ kind }) => kind === 'running');
    if (state?.kind !== 'running') throw new Error('never running');
    run.command({ die: true });
    await waitUntil('the prober is gone', () => !isAlive(state.pid));
  });

  test('1,000 probes at 100 a second under a busy daemon lose none', async () => {
    const task = allTasks(10, 1000).slice(0, 1);
    run.command({ busy: 45 });
    run.command({ tasks: task });
    await waitUntil('1,000 samples', () => run.of(1).length >= 1000, 60_000);
    const counts = outcomesOf(run.of(1).slice(0, 1000));
    expect(counts['lost'] ?? 0).toBe(0);
    expect(counts['answered'] ?? 0).toBeGreaterThanOrEqual(950);
  });

  test('a plan of fewer probes closes the sockets that it does not need', async () => {
    const [first] = allTasks();
    if (first === undefined) throw new Error('no task');
    const plan = (intervalMillis: number) =>
      Array.from({ length: 7 }, (_, index) => ({
        ...first,
        id: index + 1,
        address: `198.51.100.${index + 1}`,
        intervalMillis,
      }));
    run.command({ tasks: plan(100) });
    await until([1, 2, 3, 4, 5, 6, 7], 'lost', 1, 0);
    const state = run.states.findLast(({ kind }) => kind === 'running');
    if (state?.kind !== 'running') throw new Error('never running');
    const few = socketsOf(state.pid);
    run.command({ tasks: plan(4) });
    await waitUntil('more sockets', () => socketsOf(state.pid) >= few + 4);
    run.command({ tasks: plan(100) });
    await waitUntil('as few as before', () => socketsOf(state.pid) <= few);
  });

  test('a new plan keeps the pace of the streams that stay and uses its own ids', async () => {
    await startAll();
    await waitUntil('a pace', () => run.of(1).length >= 10);
    const before = phaseMillis(run.of(1));
    for (const plus of [100, 200, 300, 400]) {
      const renumbered = allTasks().map((task) => Object.assign({}, task, { id: task.id + plus }));
      run.command({ tasks: renumbered.slice(0, 2) });
      await waitUntil('new ids', () => run.of(plus + 1).length >= 10 && run.of(plus + 2).length >= 10);
      const from = run.samples.findIndex((sample) => sample.task === plus + 1);
      expect(run.samples.slice(from).every((sample) => sample.task > plus)).toBe(true);
      const moved = Math.abs(phaseMillis(run.of(plus + 1)) - before);
      expect(Math.min(moved, paceMillis - moved)).toBeLessThan(25);
    }
  });
});

/** Of `allTasks`. */
const paceMillis = 100;

/** Where in its interval a stream sends: the middle one of its probes, since a busy machine sends some of them late. */
function phaseMillis(samples: readonly { readonly sentAt: number }[]): number {
  const first = samples[0]?.sentAt ?? 0;
  const offsets = samples.map(({ sentAt }) => circular(sentAt - first));
  const middle = offsets.toSorted((a, b) => a - b)[Math.floor(offsets.length / 2)] ?? 0;
  return (first + middle) % paceMillis;
}

/** Between minus and plus half an interval. */
function circular(millis: number): number {
  const rest = millis % paceMillis;
  return rest > paceMillis / 2 ? rest - paceMillis : rest;
}

function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const isSocket = (name: string): boolean => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      // Closed since it was listed.
      return false;
    }
  };
  return readdirSync(folder).filter(isSocket).length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const listen443 = `require('net').createServer((s)=>s.on('error',()=>0)).listen(443,'::')`;

/** Raw responder: even sequences twice from the right address and once from a wrong one, odd ones 400 ms late. */
const responderScript = `
import socket, struct, sys, threading, time
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
def sender(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); s.bind((address, 0)); return s
right, wrong = sender('${targetAddress[4]}'), sender(sys.argv[1])
def sum16(data):
    total = sum(struct.unpack('>%dH' % (len(data) // 2), data))
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
while True:
    packet, (peer, _) = raw.recvfrom(2048)
    icmp = packet[(packet[0] & 15) * 4:]
    if icmp[0] != 8: continue
    body = b'\\0\\0\\0\\0' + icmp[4:]
    reply = body[:2] + struct.pack('>H', sum16(body)) + body[4:]
    if struct.unpack('>H', icmp[6:8])[0] % 2 == 0:
        wrong.sendto(reply, (peer, 0))
        right.sendto(reply, (peer, 0)); right.sendto(reply, (peer, 0))
    else:
        wrong.sendto(reply, (peer, 0))
        threading.Timer(0.4, lambda reply=reply, peer=peer: right.sendto(reply, (peer, 0))).start()
`;

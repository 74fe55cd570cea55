import { sameSessions, sameTime, sameView } from '../../lab/carrier/compare.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControl } from '../../lab/carrier/control.ts';
import { observeCarriers, type Observer } from '../../lab/carrier/observer.ts';
import { startCarriers } from '../../lab/carrier/router.ts';
import { followWire, type WireLog } from '../../lab/carrier/wire-log.ts';
import { delay } from '../../lab/faults/delay.ts';
import type { Fault } from '../../lab/faults/fault.ts';
import { interfaceDeleted, linkDownAtCarrier, linkDownAtNode } from '../../lab/faults/link.ts';
import {
  blackHole,
  burstLoss,
  loss,
  pathDead,
  targetDead,
  targetRateLimited,
} from '../../lab/faults/packet-filter.ts';
import { carrierPlan, carriers, service, targets, type Region } from '../../lab/network/addresses.ts';
import { tryRun } from '../../lab/network/command.ts';
import { carrierNames, freshLabId, type CarrierName } from '../../lab/network/names.ts';
import { startNetwork, type Network } from '../../lab/network/network.ts';
import { listNamespaces } from '../../lab/network/removal.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { families, type Family } from '../../src/types/units.ts';
import { startHandNode } from './lab-hand-node.ts';

let network: Network;
let observer: Observer;
let wire: WireLog;
let birdSocket = '';
const id = freshLabId();

beforeAll(async () => {
  network = await startNetwork(id);
  await startCarriers(network);
  birdSocket = await startHandNode(network);
  observer = observeCarriers(network);
  await waitUntil('six sessions and all routes', allHeld);
  wire = followWire(network);
});

afterAll(() => {
  wire?.stop();
  observer?.close();
  network?.remove();
  expect(listNamespaces().filter((name) => name.startsWith(`cw${id}-`))).toEqual([]);
});

async function allHeld(): Promise<boolean> {
  const views = await observer.views();
  return carrierNames.every((name) =>
    families.every((f) => views[name].sessions[f].established && views[name].routes[f] !== null),
  );
}

/** Loss in percent and the median round trip through a carrier to some targets, by fping from the node. */
async function measure(
  carrier: CarrierName,
  family: Family,
  options: { regions?: readonly Region[]; addresses?: readonly string[]; count?: number } = {},
): Promise<{ loss: number; medianMillis: number | null }> {
  const chosen = targets.filter((t) => options.regions === undefined || options.regions.includes(t.region));
  const addresses = options.addresses ?? chosen.map((target) => target.address[family]);
  const plan = carrierPlan(carrier);
  const count = options.count ?? 5;
  const argv = ['fping', `-${family}`, '-S', plan.node[family], '-C', String(count), '-p', '60', '-i', '1'];
  const result = await tryRun('ip', [
    'netns',
    'exec',
    network.namespace('node'),
    ...argv,
    '-t',
    '500',
    '-q',
    ...addresses,
  ]);
  const times = [...result.stderr.matchAll(/ : (.*)/g)].flatMap((match) =>
    (match[1] ?? '').trim().split(' '),
  );
  expect(times.length).toBe(addresses.length * count);
  const answered = times.filter((time) => time !== '-').map(Number);
  answered.sort((a, b) => a - b);
  return {
    loss: (100 * (times.length - answered.length)) / times.length,
    medianMillis: answered[Math.floor(answered.length / 2)] ?? null,
  };
}

/** Opens and closes TCP connections from the node, each with a port of its own; how many were answered. */
async function tcpAnswered(carrier: CarrierName, address: string, attempts: number): Promise<number> {
  const program = `
    const net = require('node:net');
    let done = 0, ok = 0;
    for (let i = 0; i < ${attempts}; i++) {
      const s = net.connect({ host: '${address}', port: 443, localAddress: '${carrierPlan(carrier).node[4]}' });
      const end = (good) => { s.destroy(); clearTimeout(t); ok += good; if (++done === ${attempts}) console.log(ok); };
      const t = setTimeout(() => end(0), 900);
      s.on('connect', () => end(1)); s.on('error', () => end(0));
    }`;
  return Number(await network.run('node', [process.execPath, '-e', program]));
}

async function during(fault: Fault, check: () => Promise<void>): Promise<void> {
  await fault.apply(network);
  try {
    await check();
  } finally {
    await fault.mend(network);
  }
}

describe('the lab network', () => {
  test('every carrier holds the service in both families, in its table and its kernel', async () => {
    const views = await observer.views();
    for (const plan of carriers) {
      for (const family of families) {
        const route = views[plan.name].routes[family];
        expect(route).toMatchObject({ med: 100, path: [65001], communities: ['65535:0'] });
        await waitUntil('the route in the kernel', () => observer.inKernel(plan.name, family));
      }
      expect((await observer.learnt(plan.name)).map((route) => route.prefix)).toEqual([
        service.prefix[4],
        service.prefix[6],
      ]);
    }
  });

  test.each(carrierNames)('all targets answer through %s, ICMP and TCP', async (carrier) => {
    for (const family of families) expect((await measure(carrier, family)).loss).toBe(0);
    expect(await tcpAnswered(carrier, targets[0]?.address[4] ?? '', 20)).toBe(20);
  });

  test('a withdrawal at the node is seen at that carrier alone, in the wire log and the table', async () => {
    const before = await observer.views();
    const control = openControl(birdSocket);
    const seen = wire.events().length;
    await control.ask('disable announce_cmi_web4 "why"');
    await waitUntil('the route to go', async () => (await observer.view('cmi')).routes[4] === null);
    expect(wire.events().slice(seen)).toMatchObject([
      { kind: 'withdrawn', carrier: 'cmi', family: 4, prefix: service.prefix[4] },
    ]);
    await waitUntil('the kernel to follow', async () => !(await observer.inKernel('cmi', 4)));
    await control.ask('enable announce_cmi_web4');
    await waitUntil('the route to return', async () => (await observer.view('cmi')).routes[4] !== null);
    expect(wire.events().slice(seen + 1)).toMatchObject([
      { kind: 'announced', carrier: 'cmi', family: 4, prefix: service.prefix[4], med: 100, path: [65001] },
    ]);
    const after = await observer.views();
    control.close();
    expect(sameView(after.pccw, before.pccw)).toBe(true);
    expect(sameView(after.hkbn, before.hkbn)).toBe(true);
    expect(sameTime(after.cmi.sessions[4].since, before.cmi.sessions[4].since)).toBe(true);
    expect(after.cmi.sessions[4]).toMatchObject({
      updates: before.cmi.sessions[4].updates + 1,
      withdraws: before.cmi.sessions[4].withdraws + 1,
    });
  });
});

describe('faults behind a carrier', () => {
  test('a black hole swallows everything but the gateway, and the session lives', async () => {
    const before = await observer.view('cmi');
    await during(blackHole({ carrier: 'cmi' }), async () => {
      for (const family of families) {
        expect((await measure('cmi', family)).loss).toBe(100);
        expect((await measure('cmi', family, { addresses: [carrierPlan('cmi').router[family]] })).loss).toBe(
          0,
        );
        expect((await measure('pccw', family)).loss).toBe(0);
      }
    });
    for (const family of families) expect((await measure('cmi', family)).loss).toBe(0);
    expect(sameSessions(await observer.view('cmi'), before)).toBe(true);
  });

  test.each(['out', 'back'] as const)(
    'a black hole of one region in direction %s acts there alone',
    async (direction) => {
      await during(blackHole({ carrier: 'pccw', region: 'ID', direction }), async () => {
        for (const family of families) {
          expect((await measure('pccw', family, { regions: ['ID'] })).loss).toBe(100);
          expect((await measure('pccw', family, { regions: ['PH', 'MY', 'VN', 'SG'] })).loss).toBe(0);
        }
        expect((await measure('cmi', 4, { regions: ['ID'] })).loss).toBe(0);
      });
    },
  );

  test('loss in percent is that loss, in one family if so wished', async () => {
    await during(loss({ carrier: 'cmi', direction: 'out', families: [4] }, 20), async () => {
      const measured = (await measure('cmi', 4, { count: 50 })).loss;
      expect(measured).toBeGreaterThan(12);
      expect(measured).toBeLessThan(28);
      expect((await measure('cmi', 6)).loss).toBe(0);
    });
  });

  test('bursts lose runs of packets', async () => {
    await during(burstLoss({ carrier: 'cmi', direction: 'out' }, 20, 100), async () => {
      expect((await measure('cmi', 4, { count: 20 })).loss).toBe(20);
    });
  });

  test('delay is added to the round trip, in one region if so wished', async () => {
    await during(delay({ carrier: 'hkbn', region: 'VN', direction: 'out' }, 150, 20), async () => {
      for (const family of families) {
        const slow = await measure('hkbn', family, { regions: ['VN'] });
        expect(slow.loss).toBe(0);
        expect(slow.medianMillis).toBeGreaterThan(125);
        expect(slow.medianMillis).toBeLessThan(190);
        expect((await measure('hkbn', family, { regions: ['SG'] })).medianMillis).toBeLessThan(20);
      }
    });
    await during(delay({ carrier: 'hkbn' }, 100), async () => {
      for (const family of families) {
        const slow = await measure('hkbn', family);
        expect(slow.loss).toBe(0);
        expect(slow.medianMillis).toBeGreaterThan(198);
        expect(slow.medianMillis).toBeLessThan(240);
      }
    });
    for (const family of families) expect((await measure('hkbn', family)).medianMillis).toBeLessThan(20);
  });

  test('one of two equal paths dead: some targets lost whole, and about half of the TCP handshakes', async () => {
    await during(pathDead({ carrier: 'cmi' }, 0), async () => {
      const answered = await tcpAnswered('cmi', targets[0]?.address[4] ?? '', 60);
      // Both directions choose a path, so between a quarter and a half comes through.
      expect(answered).toBeGreaterThan(3);
      expect(answered).toBeLessThan(48);
    });
    expect(await tcpAnswered('cmi', targets[0]?.address[4] ?? '', 20)).toBe(20);
  });

  test('one target dead or rate limited leaves the others alone', async () => {
    const [first] = targets;
    if (first === undefined) throw new Error('no targets');
    await during(targetDead(first.address), async () => {
      expect((await measure('cmi', 4, { addresses: [first.address[4]] })).loss).toBe(100);
      expect((await measure('cmi', 6, { addresses: [first.address[6]] })).loss).toBe(100);
      expect((await measure('cmi', 4, { regions: ['PH'] })).loss).toBe(0);
      expect(await tcpAnswered('cmi', first.address[4], 3)).toBe(0);
    });
    await during(targetRateLimited(first.address, 5), async () => {
      const limited = (await measure('cmi', 4, { addresses: [first.address[4]], count: 40 })).loss;
      expect(limited).toBeGreaterThan(40);
      expect(limited).toBeLessThan(95);
      expect((await measure('cmi', 4, { regions: ['PH'] })).loss).toBe(0);
      expect(await tcpAnswered('cmi', first.address[4], 10)).toBe(10);
    });
  });
});

describe('faults of the link', () => {
  test.each([
    ['down at the carrier', linkDownAtCarrier('pccw')],
    ['down at the node', linkDownAtNode('pccw')],
    ['deleted', interfaceDeleted('pccw')],
  ])(
    '%s: everything is lost, and mending brings the addresses and the session back',
    async (_name, fault) => {
      await during(fault, async () => {
        expect((await measure('pccw', 4, { count: 2 }).catch(() => ({ loss: 100 }))).loss).toBe(100);
        expect((await measure('cmi', 4, { count: 2 })).loss).toBe(0);
      });
      const gateway = (family: Family) => ({ addresses: [carrierPlan('pccw').router[family]], count: 3 });
      for (const family of families) {
        await waitUntil(
          'the gateway',
          async () => (await measure('pccw', family, gateway(family))).loss === 0,
        );
      }
      await waitUntil('all routes', allHeld, { timeoutMillis: 60_000 });
    },
  );
});

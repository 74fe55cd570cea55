import { describe, expect, test } from 'vitest';
import { notRunOfErrno } from '../../probes/flight.ts';
import type { Footing } from '../../probes/socket/interface.ts';
import { inspectFooting } from '../../probes/socket/interface.ts';
import { openRouteAsker } from '../../probes/socket/route.ts';
import { socketAddress } from '../../probes/socket/address.ts';
import { newStream, replan, streamKey } from '../../probes/stream.ts';
import { makeWayOut } from '../../probes/way-out.ts';
import type { ProbeTask } from '../../src/types/outcome.ts';
import { instant, millis } from '../../src/types/units.ts';

const options = { uplink: 'cmi', interface: 'eth1', source: '192.0.2.2', family: 4 } as const;
const fit: Footing = { kind: 'fit', index: 7 };
const unfit: Footing = { kind: 'unfit', why: 'source-missing', errno: 'EADDRNOTAVAIL' };

describe('way out', () => {
  function scripted(...footings: Footing[]) {
    let looks = 0;
    const faults: string[] = [];
    const wayOut = makeWayOut(options, () => footings[Math.min(looks++, footings.length - 1)] ?? fit);
    wayOut.onBroken((fault) => faults.push(fault.why));
    return { wayOut, faults, looks: () => looks };
  }

  test('looks again only when the last look is too old, or forgotten', () => {
    const { wayOut, looks } = scripted(fit);
    wayOut.footing(instant(0), 500);
    wayOut.footing(instant(500), 500);
    expect(looks()).toBe(1);
    wayOut.footing(instant(501), 500);
    expect(looks()).toBe(2);
    wayOut.forget();
    wayOut.footing(instant(501), 500);
    expect(looks()).toBe(3);
  });

  test('tells once that it broke, and nothing when it heals', () => {
    const { wayOut, faults } = scripted(fit, unfit, unfit, fit);
    for (const at of [0, 1000, 2000, 3000]) wayOut.footing(instant(at), 500);
    expect(faults).toEqual(['source-missing']);
  });

  test('an interface that was made again between two looks broke what was opened before', () => {
    const { wayOut, faults } = scripted(fit, { kind: 'fit', index: 8 });
    for (const at of [0, 1000]) wayOut.footing(instant(at), 500);
    expect(faults).toEqual(['interface-missing']);
  });
});

describe('the kernel', () => {
  test('finds 127.0.0.1 on lo, another source missing, and no interface of a name that nobody has', () => {
    expect(inspectFooting('lo', 4, '127.0.0.1')).toEqual({ kind: 'fit', index: 1 });
    expect(inspectFooting('lo', 4, '192.0.2.77')).toMatchObject({ kind: 'unfit', why: 'source-missing' });
    expect(inspectFooting('cwnone0', 4, '127.0.0.1')).toMatchObject({
      kind: 'unfit',
      why: 'interface-missing',
    });
  });

  test('has a route to 127.0.0.9 by lo and none to 192.0.2.1 by lo', () => {
    const asker = openRouteAsker();
    const source = socketAddress(4, '127.0.0.1', 0, 1);
    expect(asker.ask(4, socketAddress(4, '127.0.0.9', 0, 1), source, 1)).toEqual({ kind: 'routed' });
    expect(asker.ask(4, socketAddress(4, '192.0.2.1', 0, 1), source, 1)).toMatchObject({ kind: 'unrouted' });
    asker.close();
  });
});

test.each([
  ['ENOBUFS', 'send-queue'],
  ['EAGAIN', 'send-queue'],
  ['ENETUNREACH', 'route-missing'],
  ['ENODEV', 'interface-missing'],
  ['EPERM', 'send-failed'],
])('a send that %s refuses is %s', (errno, why) => {
  expect(notRunOfErrno(errno)).toEqual({ kind: 'not-run', why, errno });
});

test('a stream stays while its uplink, source, address, kind and port do, and follows the rest', () => {
  const task: ProbeTask = {
    id: 1,
    ...options,
    address: '198.51.100.10',
    target: 'jkt-1',
    region: 'ID',
    class: 'target',
    kind: 'icmp',
    port: 0,
    intervalMillis: millis(200),
    timeoutMillis: millis(1000),
  };
  const renamed = { ...task, id: 9, target: 'jkt-9', region: 'PH' };
  expect(streamKey(renamed)).toBe(streamKey(task));
  expect(streamKey({ ...task, address: '198.51.100.11' })).not.toBe(streamKey(task));
  const stream = newStream(task, 3, makeWayOut(options), instant(0));
  const { pace } = stream;
  replan(stream, renamed, instant(5));
  expect(stream.task.id).toBe(9);
  expect(stream.pace).toBe(pace);
});

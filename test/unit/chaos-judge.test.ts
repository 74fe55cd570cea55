/** Every invariant of the chaos runs over logs made by hand: held where it holds, broken where it is broken. */
import { describe, expect, test } from 'vitest';
import { answerAddress } from '../../lab/chaos/addresses.ts';
import { labBounds } from '../../lab/chaos/bounds.ts';
import type { Fact, Phase, RecordAbout } from '../../lab/chaos/facts.ts';
import type { ChaosFault } from '../../lab/chaos/fault.ts';
import { judge } from '../../lab/chaos/judge.ts';
import { carrierNames, type CarrierName, type FleetNodeName } from '../../lab/network/names.ts';
import type { Family } from '../../src/types/units.ts';

const prefixes = ['203.0.113.0/24', '2001:db8:a::/48'];
const nodes: readonly FleetNodeName[] = ['hk1', 'hk2'];
const second = 1000;

const begin: Fact = { kind: 'begin', at: 0, nodes, prefixes, seed: 1, bounds: labBounds };
const end = (at = 120): Fact => ({ kind: 'end', at: at * second });

/** Both nodes announce everything everywhere. */
const quiet: readonly Fact[] = [
  begin,
  ...nodes.flatMap((node) =>
    carrierNames.flatMap((carrier) =>
      ([4, 6] as const).map(
        (family): Fact => table(0, node, carrier, family, [prefixes[family === 4 ? 0 : 1] ?? '']),
      ),
    ),
  ),
];

function table(
  at: number,
  node: FleetNodeName,
  carrier: CarrierName,
  family: Family,
  held: readonly string[],
): Fact {
  return { kind: 'table', at: at * second, node, carrier, family, prefixes: held };
}

function heard(
  at: number,
  what: 'announced' | 'withdrawn',
  more: Partial<Extract<Fact, { kind: 'heard' }>> = {},
): Fact {
  const family = more.family ?? 4;
  const prefix = prefixes[family === 4 ? 0 : 1] ?? '';
  const place = { node: 'hk1', carrier: 'cmi', family } as const;
  const path = what === 'announced' ? [65_001] : [];
  return { kind: 'heard', at: at * second, ...place, what, prefix, drained: false, path, ...more };
}

let ids = 0;
function fault(from: number, to: number, one: ChaosFault): readonly Fact[] {
  ids += 1;
  const id = ids;
  const at = (phase: Phase, seconds: number): Fact => ({
    kind: 'fault',
    at: seconds * second,
    id,
    phase,
    fault: one,
  });
  return [at('applying', from), at('applied', from), at('mending', to), at('mended', to)];
}

function record(at: number, about: RecordAbout, node: FleetNodeName = 'hk1'): Fact {
  return { kind: 'record', at: at * second, node, about };
}
const acted = (at: number, family: Family = 4): Fact =>
  record(at, { kind: 'acted', carrier: 'cmi', family, text: '' });
const decided = (at: number, guard: 'last-resort' | 'hold' | null): Fact =>
  record(at, { kind: 'decision', carrier: 'cmi', family: 4, to: 'announce', guard });

const session = (at: number, up: boolean): Fact => ({
  kind: 'session',
  at: at * second,
  node: 'hk1',
  carrier: 'cmi',
  family: 4,
  up,
});
const answer = (at: number, addresses: 'silent' | readonly string[]): Fact => ({
  kind: 'dns',
  at: at * second,
  site: 'db2',
  client: '73.1.1.0/24',
  family: 4,
  answer: addresses,
});

const blackHole: ChaosFault = {
  kind: 'uplink-dead',
  node: 'hk1',
  carrier: 'cmi',
  family: 4,
  direction: 'both',
};
const broken = (...facts: readonly (Fact | readonly Fact[])[]): readonly string[] => [
  ...new Set(judge([...quiet, ...facts.flat(), end()]).map(({ invariant }) => invariant)),
];
const withdrawnInTime = [heard(15, 'withdrawn'), acted(14.9), heard(45, 'announced'), acted(44.9)];

test('nothing happens, and nothing is broken', () => {
  expect(broken()).toEqual([]);
});

test('a black hole is withdrawn in time, told in DNS, and returns', () => {
  const [cmi, pccw] = [answerAddress('hk1', 'cmi', 4), answerAddress('hk1', 'pccw', 4)];
  const answers = [answer(12, [cmi, pccw]), answer(35, [pccw]), answer(50, [cmi, pccw])];
  expect(broken(fault(10, 40, blackHole), withdrawnInTime, answers)).toEqual([]);
});

describe('dead', () => {
  test('an announcement that stays on a dead uplink breaks it', () => {
    expect(broken(fault(10, 40, blackHole))).toEqual(['dead']);
  });
  test('not where a guard holds it and the history says so', () => {
    expect(broken(fault(10, 40, blackHole), decided(13, 'last-resort'), decided(41, null))).toEqual([]);
  });
  test('a guard that holds returns is no excuse', () => {
    expect(broken(fault(10, 40, blackHole), decided(13, 'hold'), decided(41, null))).toEqual(['dead']);
  });
  test('not while the daemon cannot act; then the bound begins anew', () => {
    const halted = fault(11, 30, { kind: 'daemon', node: 'hk1', what: 'halted' });
    expect(broken(fault(10, 40, blackHole), halted)).toEqual([]);
    expect(broken(fault(10, 50, blackHole), halted)).toEqual(['dead']);
  });
  test('not for as long as the machine stood still', () => {
    const stall: Fact = { kind: 'stall', at: 16 * second, millis: 5000 };
    const late = [heard(25, 'withdrawn'), acted(25), heard(45, 'announced'), acted(45)];
    expect(broken(fault(10, 40, blackHole), late)).toEqual(['dead']);
    expect(broken(fault(10, 40, blackHole), late, stall)).toEqual([]);
  });
  test('a fault of one family is one of that family', () => {
    expect(
      broken(fault(10, 40, { ...blackHole, family: 6 }), heard(12, 'withdrawn', { family: 6 }), acted(12, 6)),
    ).toEqual([]);
  });
});

describe('announcer', () => {
  const all = (at: number, what: 'announced' | 'withdrawn'): readonly Fact[] =>
    nodes.flatMap((node) =>
      carrierNames.flatMap((carrier) => [
        heard(at, what, { node, carrier }),
        record(at, { kind: 'acted', carrier, family: 4, text: '' }, node),
      ]),
    );
  test('a prefix that no carrier holds breaks it', () => {
    expect(broken(all(10, 'withdrawn'), all(11, 'announced'))).toContain('announcer');
  });
  test('not where every uplink of every node is dead', () => {
    const holes = carrierNames.flatMap((carrier) => fault(5, 40, { kind: 'carrier-dead', carrier }));
    // IPv6 stays, which is another invariant's affair.
    expect(broken(holes, all(10, 'withdrawn'), all(41, 'announced'))).not.toContain('announcer');
  });
  test('held by dead uplinks alone, while a live one is withdrawn, breaks it too', () => {
    const holes = fault(20, 100, { kind: 'carrier-dead', carrier: 'cmi' });
    const others = nodes.flatMap((node) =>
      (['pccw', 'hkbn'] as const).flatMap((carrier) => [heard(10, 'withdrawn', { node, carrier })]),
    );
    expect(broken(holes, others)).toContain('announcer');
  });
});

describe('prefixes', () => {
  test('another prefix in an UPDATE or in a table breaks it', () => {
    expect(broken(heard(5, 'announced', { prefix: '203.0.113.0/25' }))).toContain('prefixes');
    expect(broken(table(5, 'hk1', 'cmi', 4, [...prefixes.slice(0, 1), '0.0.0.0/0']))).toEqual(['prefixes']);
  });
  test('another AS in the path breaks it', () => {
    expect(broken(heard(5, 'announced', { path: [65_001, 3491] }))).toContain('prefixes');
  });
});

describe('budget', () => {
  test('an UPDATE for nothing breaks it', () => {
    expect(broken(heard(5, 'announced'), acted(5))).toEqual(['budget']);
  });
  test('a fault of another node accounts for none here', () => {
    const elsewhere = fault(1, 40, { ...blackHole, node: 'hk2', family: 6 });
    const hk2 = heard(3, 'withdrawn', { node: 'hk2', family: 6 });
    const told = record(3, { kind: 'acted', carrier: 'cmi', family: 6, text: '' }, 'hk2');
    expect(broken(elsewhere, hk2, told)).toEqual([]);
    expect(broken(elsewhere, hk2, told, heard(5, 'announced'), acted(5))).toEqual(['budget']);
  });
});

describe('sessions', () => {
  test('a session that falls by itself breaks it', () => {
    expect(broken(session(10, false), session(12, true))).toEqual(['sessions']);
  });
  test('not with its link, nor with BIRD', () => {
    const down: ChaosFault = { kind: 'link-down', node: 'hk1', carrier: 'cmi', end: 'carrier' };
    expect(broken(fault(10, 20, down), session(10, false), session(22, true))).toEqual([]);
    expect(broken(fault(10, 20, { kind: 'bird', node: 'hk1', what: 'killed' }), session(10, false))).toEqual(
      [],
    );
  });
  test('a configure by somebody else is no excuse', () => {
    expect(
      broken(fault(10, 20, { kind: 'bird', node: 'hk1', what: 'configured' }), session(10, false)),
    ).toEqual(['sessions']);
  });
});

describe('dns', () => {
  const cmi = answerAddress('hk1', 'cmi', 4);
  test('an empty answer breaks it', () => {
    expect(broken(answer(5, []))).toEqual(['dns']);
  });
  test('an address of what is long gone breaks it', () => {
    expect(broken(fault(10, 60, blackHole), heard(13, 'withdrawn'), acted(13), answer(35, [cmi]))).toEqual([
      'dns',
    ]);
  });
  test('not while GeoDNS is struck, nor where nothing else is announced', () => {
    const struck = fault(12, 60, { kind: 'geodns', what: 'halted' });
    expect(
      broken(fault(10, 60, blackHole), heard(13, 'withdrawn'), acted(13), struck, answer(35, [cmi])),
    ).toEqual([]);
  });
  test('an address that is nobody’s breaks it', () => {
    expect(broken(answer(5, ['192.0.2.99']))).toEqual(['dns']);
  });
  test('silence breaks it, but of a site that was struck', () => {
    expect(broken(answer(5, 'silent'))).toEqual(['dns']);
    expect(
      broken(fault(4, 9, { kind: 'dns-site', site: 'db2', what: 'halted' }), answer(5, 'silent')),
    ).toEqual([]);
  });
});

describe('history', () => {
  test('a change without a record breaks it', () => {
    expect(broken(fault(10, 40, blackHole), heard(13, 'withdrawn'))).toEqual(['history']);
  });
  test('not what came with its session', () => {
    const down: ChaosFault = { kind: 'link-down', node: 'hk1', carrier: 'cmi', end: 'carrier' };
    const lived = [session(10, false), session(22, true), heard(22.1, 'announced')];
    expect(broken(fault(10, 20, down), lived)).toEqual([]);
  });
  test('entries that were dropped break it', () => {
    expect(broken(record(5, { kind: 'dropped', count: 3 }))).toEqual(['history']);
  });
});

test('edge: a user who is sent to a node that has lost his carrier breaks it', () => {
  const visit: Fact = {
    kind: 'visit',
    at: 40 * second,
    node: 'hk2',
    carrier: 'cmi',
    status: 302,
    sentTo: 'hk1',
  };
  expect(broken(fault(10, 60, blackHole), heard(13, 'withdrawn'), acted(13), visit)).toEqual(['edge']);
  expect(broken({ ...visit, at: 5 * second })).toEqual([]);
});

test('returns: a fleet that is not healthy again breaks it, and says what is not', () => {
  const settled: Fact = {
    kind: 'settled',
    at: 110 * second,
    healthyAfterMillis: null,
    text: 'hk1: cmi4 failed',
  };
  expect(judge([...quiet, settled, end()])).toMatchObject([
    { invariant: 'returns', text: 'hk1: cmi4 failed' },
  ]);
});

/** Which faults, when and for how long: all from a seed. Pure. */
import { chanceOf, type Chance } from '../../src/core/replay/chance.ts';
import { regions } from '../network/addresses.ts';
import { carrierNames, databaseRooms, type FleetNodeName } from '../network/names.ts';
import { type ChaosFault, type ChaosKind, operatorWords, placesOf, redisTroubles } from './fault.ts';

export interface Planned {
  readonly fault: ChaosFault;
  /** From the beginning of the run. */
  readonly startMillis: number;
  readonly lastsMillis: number;
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly nodes: readonly FleetNodeName[];
  /** Nodes with an edge. */
  readonly edges: readonly FleetNodeName[];
  /** Nodes whose clock can be moved. */
  readonly clocks: readonly FleetNodeName[];
  readonly durationMillis: number;
  /** Kinds that this machine cannot do. */
  readonly without?: readonly ChaosKind[];
  /** At most so many at one time. */
  readonly atOnce?: number;
}

/** In order of their start; all end before the run does. */
export function scheduleOf(options: ScheduleOptions): readonly Planned[] {
  const chance = chanceOf(options.seed);
  const atOnce = options.atOnce ?? 4;
  const planned: Planned[] = [];
  for (let at = 2000; at < options.durationMillis - 8000; at += 1500 + chance() * 5500) {
    const startMillis = Math.round(at);
    const running = planned.filter((one) => one.startMillis + one.lastsMillis + gapMillis > startMillis);
    if (running.length >= atOnce) continue;
    const fault = drawFault(chance, options);
    const taken = new Set(running.flatMap((one) => placesOf(one.fault)));
    if (placesOf(fault).some((place) => taken.has(place))) continue;
    const room = options.durationMillis - startMillis - 2000;
    planned.push({ fault, startMillis, lastsMillis: Math.min(room, Math.round(lengthOf(fault, chance))) });
  }
  return planned;
}

/** Between two faults of one place. */
const gapMillis = 3000;

function lengthOf(fault: ChaosFault, chance: Chance): number {
  // BIRD's sessions have a hold time of 30 s.
  if (fault.kind === 'bird') return 3000 + chance() * 12_000;
  return 6000 + chance() * 24_000;
}

type Maker = (draw: Draw) => ChaosFault;

interface Draw {
  readonly pick: <T>(list: readonly T[]) => T;
  readonly between: (low: number, high: number) => number;
  readonly node: FleetNodeName;
  readonly edge: FleetNodeName;
  readonly clock: FleetNodeName;
}

const uplinkOf = ({ node, pick }: Draw) => ({ node, carrier: pick(carrierNames) });

/** The weights tell how often a kind is drawn among the others. */
const makers: Readonly<Record<ChaosKind, readonly [weight: number, make: Maker]>> = {
  'uplink-dead': [
    6,
    (d) => ({
      kind: 'uplink-dead',
      ...uplinkOf(d),
      family: d.pick(['both', 'both', 4, 6] as const),
      direction: d.pick(['both', 'both', 'out', 'back'] as const),
    }),
  ],
  'carrier-dead': [1, (d) => ({ kind: 'carrier-dead', carrier: d.pick(carrierNames) })],
  loss: [2, (d) => ({ kind: 'loss', ...uplinkOf(d), percent: d.pick([2, 5, 10, 20, 40]) })],
  bursts: [
    1,
    (d) => ({ kind: 'bursts', ...uplinkOf(d), length: d.between(2, 6), every: d.between(20, 200) }),
  ],
  delay: [
    1,
    (d) => ({ kind: 'delay', ...uplinkOf(d), millis: d.between(50, 400), jitterMillis: d.between(0, 30) }),
  ],
  'region-dead': [2, (d) => ({ kind: 'region-dead', ...uplinkOf(d), region: d.pick(regions) })],
  'targets-dead': [1, (d) => ({ kind: 'targets-dead', count: d.between(1, 4) })],
  'link-down': [3, (d) => ({ kind: 'link-down', ...uplinkOf(d), end: d.pick(['node', 'carrier'] as const) })],
  'interface-deleted': [1, (d) => ({ kind: 'interface-deleted', ...uplinkOf(d) })],
  bird: [
    3,
    (d) => ({ kind: 'bird', node: d.node, what: d.pick(['killed', 'halted', 'configured'] as const) }),
  ],
  daemon: [3, (d) => ({ kind: 'daemon', node: d.node, what: d.pick(['killed', 'halted'] as const) })],
  prober: [2, (d) => ({ kind: 'prober', node: d.node, what: d.pick(['killed', 'halted'] as const) })],
  service: [2, (d) => ({ kind: 'service', node: d.node })],
  edge: [1, (d) => ({ kind: 'edge', node: d.edge })],
  redis: [2, (d) => ({ kind: 'redis', what: d.pick(redisTroubles) })],
  management: [2, (d) => ({ kind: 'management', node: d.node })],
  'dns-site': [
    2,
    (d) => ({ kind: 'dns-site', site: d.pick(databaseRooms), what: d.pick(['killed', 'halted'] as const) }),
  ],
  geodns: [2, (d) => ({ kind: 'geodns', what: d.pick(['killed', 'halted'] as const) })],
  clock: [
    2,
    (d) => ({ kind: 'clock', node: d.clock, seconds: d.pick([-86_400, -600, -30, 30, 600, 86_400]) }),
  ],
  'disk-full': [2, (d) => ({ kind: 'disk-full', node: d.node })],
  'conntrack-full': [1, (d) => ({ kind: 'conntrack-full', node: d.node })],
  operator: [3, (d) => ({ kind: 'operator', ...uplinkOf(d), word: d.pick(operatorWords) })],
  hand: [2, (d) => ({ kind: 'hand', ...uplinkOf(d), family: d.pick([4, 6] as const) })],
};

function drawFault(chance: Chance, options: ScheduleOptions): ChaosFault {
  const pick = <T>(list: readonly T[]): T => {
    const one = list[Math.floor(chance() * list.length)];
    if (one === undefined) throw new RangeError('nothing to draw from');
    return one;
  };
  const barred = new Set<string>([
    ...(options.without ?? []),
    ...(options.edges.length === 0 ? ['edge'] : []),
    ...(options.clocks.length === 0 ? ['clock'] : []),
  ]);
  const urn = Object.entries(makers).flatMap(([kind, [weight, make]]) =>
    barred.has(kind) ? [] : Array.from({ length: weight }, () => make),
  );
  const node = pick(options.nodes);
  return pick(urn)({
    pick,
    between: (low, high) => low + Math.floor(chance() * (high - low + 1)),
    node,
    edge: options.edges.length === 0 ? node : pick(options.edges),
    clock: options.clocks.length === 0 ? node : pick(options.clocks),
  });
}

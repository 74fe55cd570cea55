/** Faults for `causeway simulate`: what goes wrong within an hour; longer runs have it again each hour. */
import type { NodeConfig } from '../../types/config.ts';
import type { TraceOptions } from './trace.ts';
import type { Fault } from './fault.ts';
import { chanceOf } from './chance.ts';

export interface SimulatedScenario {
  readonly name: string;
  readonly summary: string;
  readonly ambient?: TraceOptions['ambient'];
  /** The faults of an hour that begins at 0; `shift` moves them by chance. */
  readonly faults: (place: Place, shiftMillis: number) => readonly Fault[];
}

/** Names that faults are about. */
interface Place {
  readonly uplinks: readonly string[];
  /** Of the first uplink. */
  readonly region: string;
  readonly target: string;
}

const minute = 60_000;
const hour = 60 * minute;
const flapMillis = 30_000;
const usual: TraceOptions['ambient'] = { share: 0.002, bursts: { share: 0, meanMillis: 0 } };

export const simulatedScenarios: readonly SimulatedScenario[] = [
  { name: 'ambient', summary: 'nothing but 0.2 % loss everywhere', faults: () => [] },
  {
    name: 'bursts',
    summary: '0.5 % loss in bursts of a second, on each uplink by itself',
    ambient: { share: 0, bursts: { share: 0.005, meanMillis: 1000 } },
    faults: () => [],
  },
  one('black-hole', 'everything behind the first uplink dead for 10 minutes', 10, 1),
  one('step', '20 % loss on the first uplink for 20 minutes', 20, 0.2),
  one('faint', '6 % loss on the first uplink for 30 minutes', 30, 0.06),
  {
    name: 'slow-rise',
    summary: 'loss on the first uplink that grows from nothing to 30 % in 10 minutes and stays for 10 more',
    faults: ({ uplinks }, shift) => [
      {
        ...fault(uplinks[0] ?? '', 'loss grows to 30 %', 10 * minute + shift, 20),
        loss: (since) => Math.min(1, since / (10 * minute)) * 0.3,
      },
    ],
  },
  {
    name: 'slow',
    summary: 'round trips of the first uplink longer by 400 ms for 20 minutes',
    faults: ({ uplinks }, shift) => [
      {
        ...fault(uplinks[0] ?? '', '400 ms slower', 10 * minute + shift, 20),
        loss: () => 0,
        addedMillis: 400,
      },
    ],
  },
  {
    name: 'flapping',
    summary: 'the first uplink 30 s dead, 30 s well, all the time',
    faults: ({ uplinks }) => [
      {
        ...fault(uplinks[0] ?? '', '30 s dead, 30 s well', 0, 60),
        loss: (since) => (Math.floor(since / flapMillis) % 2 === 1 ? 1 : 0),
      },
    ],
  },
  {
    name: 'target-dead',
    summary: 'one target of the first uplink dead all the time',
    faults: ({ uplinks, target }) => [{ ...fault(uplinks[0] ?? '', `${target} dead`, 0, 60), target }],
  },
  {
    name: 'rate-limited',
    summary: 'one target of the first uplink answers 70 % of the probes',
    faults: ({ uplinks, target }) => [
      { ...fault(uplinks[0] ?? '', `${target} limits`, 0, 60), target, loss: () => 0.3 },
    ],
  },
  {
    name: 'regional',
    summary: 'one region dead behind the first uplink for 20 minutes',
    faults: ({ uplinks, region }, shift) => [
      { ...fault(uplinks[0] ?? '', `${region} dead`, 10 * minute + shift, 20), region },
    ],
  },
  {
    name: 'all-together',
    summary: 'all uplinks dead in the same second, for 10 minutes',
    faults: (_place, shift) => [{ ...fault('', 'all dead', 10 * minute + shift, 10), uplink: null }],
  },
  {
    name: 'one-after-another',
    summary: 'each uplink dead for 6 minutes, the next one 4 minutes after the one before',
    faults: ({ uplinks }, shift) =>
      uplinks.map((uplink, index) => fault(uplink, 'dead', (10 + 4 * index) * minute + shift, 6)),
  },
];

function one(name: string, summary: string, minutes: number, loss: number): SimulatedScenario {
  const text = loss === 1 ? 'everything dead' : `${loss * 100} % loss`;
  return {
    name,
    summary,
    faults: ({ uplinks }, shift) => [
      { ...fault(uplinks[0] ?? '', text, 10 * minute + shift, minutes), loss: () => loss },
    ],
  };
}

/** Everything of an uplink dead. */
function fault(uplink: string, text: string, fromMillis: number, minutes: number): Fault {
  const toMillis = fromMillis + minutes * minute;
  const what = uplink === '' ? text : `${uplink}: ${text}`;
  return {
    text: what,
    uplink,
    region: null,
    target: null,
    fromMillis,
    toMillis,
    loss: () => 1,
    addedMillis: 0,
  };
}

export function scenarioAmbient({ ambient }: SimulatedScenario): TraceOptions['ambient'] {
  return ambient ?? usual;
}

/** The faults of the whole run, each hour's moved by up to a minute by chance. */
export function faultsOver(
  scenario: SimulatedScenario,
  config: Pick<NodeConfig, 'uplinks'>,
  seed: number,
  lengthMillis: number,
): readonly Fault[] {
  const chance = chanceOf(seed ^ 0x5eed);
  const first = config.uplinks[0]?.targets[0];
  const place: Place = {
    uplinks: config.uplinks.map(({ name }) => name),
    region: first?.region ?? '',
    target: first?.name ?? '',
  };
  return Array.from({ length: Math.ceil(lengthMillis / hour) }, (_, index) => index * hour).flatMap((from) =>
    scenario.faults(place, Math.round(chance() * minute)).map((found) => ({
      ...found,
      fromMillis: found.fromMillis + from,
      toMillis: Math.min(found.toMillis + from, from + hour),
    })),
  );
}

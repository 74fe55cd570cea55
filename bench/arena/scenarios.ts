/** The traces: faults whose detection is timed, and quiet years in which every alarm is false. */
import type { ProbeKind } from '../../src/types/outcome.ts';
import type { Ambient, Fault } from './path.ts';
import type { CausewaySetting } from './rules/causeway.ts';
import { type Layout, fiveRegions, oneRegion } from './settings.ts';

/** A fault that begins at a moment. */
export interface DelayScenario {
  readonly name: string;
  readonly kinds: readonly ProbeKind[];
  /** The fault that begins at `from`. */
  readonly fault: (fromMillis: number) => Fault;
  /** How much later than that the delay counts from: when loss passes what the policy calls bad. */
  readonly countsAfterMillis: number;
  /** The median that DESIGN 10 promises for the defaults; null: none. */
  readonly reachMillis: number | null;
  readonly layout: Layout;
  /** Whose verdict is timed; the other rules know uplinks alone. */
  readonly subject: CausewaySetting['subject'];
}

/** Long after this a fault is not found. */
export const horizonMillis = 300_000;
/** What is normal while a fault is waited for. */
export const delayAmbient: Ambient = { kind: 'independent', share: 0.002 };
/** Every rule's window is full by then. */
export const faultAfterMillis = 120_000;

const riseMillis = 60_000;
const riseTo = 0.3;
const badLoss = 0.05;
const flapMillis = 10_000;

const ofUplink = { layout: oneRegion, subject: 'uplink' } as const;

export const delayScenarios: readonly DelayScenario[] = [
  step(1, 6500),
  step(0.5, null),
  step(0.2, 9000),
  step(0.1, 13_000),
  step(0.05, 28_000),
  step(0.02, null),
  {
    name: 'slow rise to 30 % in 60 s, from 5 % on',
    kinds: ['icmp'],
    fault: (from) => (probe) => riseTo * Math.min(1, Math.max(0, (probe.atMillis - from) / riseMillis)),
    countsAfterMillis: (badLoss / riseTo) * riseMillis,
    reachMillis: null,
    ...ofUplink,
  },
  {
    name: 'flapping: 10 s dead, 10 s well',
    kinds: ['icmp'],
    fault: (from) => (probe) =>
      probe.atMillis >= from && Math.floor((probe.atMillis - from) / flapMillis) % 2 === 0 ? 1 : 0,
    countsAfterMillis: 0,
    reachMillis: null,
    ...ofUplink,
  },
  {
    name: 'one of two equal paths dead',
    kinds: ['icmp', 'tcp'],
    fault: (from) => (probe, leg) => (probe.atMillis >= from && leg < 0.5 ? 1 : 0),
    countsAfterMillis: 0,
    reachMillis: null,
    ...ofUplink,
  },
  {
    name: 'one region of five dead: the region’s verdict',
    kinds: ['icmp'],
    fault: (from) => (probe) => (probe.atMillis >= from && probe.target < 2 ? 1 : 0),
    countsAfterMillis: 0,
    reachMillis: null,
    layout: fiveRegions,
    subject: { region: 'ID' },
  },
];

function step(loss: number, reachMillis: number | null): DelayScenario {
  return {
    name: `${loss * 100} % loss`,
    kinds: ['icmp'],
    fault: (from) => (probe) => (probe.atMillis >= from ? loss : 0),
    countsAfterMillis: 0,
    reachMillis,
    ...ofUplink,
  };
}

/** Years without a fault of the uplink. */
export interface QuietScenario {
  readonly name: string;
  readonly layout: Layout;
  readonly ambientShare: number;
  /** Mean probes of our own stream that a burst takes; null: losses are independent. */
  readonly burstProbes: number | null;
  /** Constant, of targets by number: what is wrong there all the time and is not the uplink's fault. */
  readonly spoiled: readonly number[];
  readonly spoiledLoss: number;
  /** Whether DESIGN 10 promises no false alarm here in 1,000 days at the defaults. */
  readonly promised: boolean;
}

const plain = { layout: oneRegion, spoiled: [], spoiledLoss: 0, promised: false };

export const quietScenarios: readonly QuietScenario[] = [
  ...[0.001, 0.002, 0.005, 0.01].map((share) => ({
    ...plain,
    name: `${share * 100} % independent`,
    ambientShare: share,
    burstProbes: null,
  })),
  ...[0.001, 0.002, 0.005, 0.01].map((share) => ({
    ...plain,
    name: `${share * 100} % in bursts of 5`,
    ambientShare: share,
    burstProbes: 5,
    promised: share === 0.002,
  })),
  { ...promisedWith('one target dead', [0], 1) },
  { ...promisedWith('one target limited to 70 %', [0], 0.3) },
  { ...promisedWith('one region of five dead', [0, 1], 1), layout: fiveRegions },
];

function promisedWith(name: string, spoiled: readonly number[], spoiledLoss: number): QuietScenario {
  return {
    ...plain,
    name: `0.2 % in bursts of 5, ${name}`,
    ambientShare: 0.002,
    burstProbes: 5,
    spoiled,
    spoiledLoss,
    promised: true,
  };
}

/**
 * The simulated carrier: which probe is lost. Every rule gets a path of the same seed, hence the same blackouts and the
 * same fault at the same moment; what is lost independently is drawn for each probe, since rules probe at different
 * times. Time is in milliseconds from the start of the trace.
 */
import type { ProbeKind } from '../../src/types/outcome.ts';
import { type Random, exponential, randomOf, trialsBefore } from './random.ts';

export interface Probe {
  /** 0 is the one that a rule with a single target asks. */
  readonly target: number;
  readonly kind: ProbeKind;
  readonly atMillis: number;
}

/** What is normal there. `bursts`: moments in which everything is lost, of that mean length, together that share. */
export type Ambient =
  | { readonly kind: 'independent'; readonly share: number }
  | { readonly kind: 'bursts'; readonly share: number; readonly meanMillis: number };

/** The share of probes that the fault takes; `leg` is where the probe's flow falls among equal paths, from 0 to 1. */
export type Fault = (probe: Probe, leg: number) => number;

export interface Path {
  /** Whether it is lost. Probes come in the order of their times. */
  loses(probe: Probe): boolean;
  /** The ambient alone takes nothing until then, nor of this many probes more. */
  quiet(): { readonly untilMillis: number; readonly probes: number };
  /** Leaves out that many probes that `quiet` said are not lost. */
  skip(probes: number): void;
}

/** The path of a seed. */
export function makePath(ambient: Ambient, fault: Fault, seed: number): Path {
  // Blackouts have a generator of their own: they must not depend on how often a rule probes.
  const blackouts = makeBlackouts(ambient, randomOf(seed * 2 + 1));
  const random = randomOf(seed * 2 + 2_000_000_011);
  const legs = new Map<number, number>();
  const legOf = (probe: Probe): number => {
    // A handshake has a fresh source port; an echo's flow is its target's, whatever its identifier.
    if (probe.kind === 'tcp') return random();
    const known = legs.get(probe.target);
    if (known !== undefined) return known;
    const leg = randomOf(seed * 31 + probe.target)();
    legs.set(probe.target, leg);
    return leg;
  };
  const share = ambient.kind === 'independent' ? ambient.share : 0;
  let well = trialsBefore(random, share);
  return {
    loses: (probe) => {
      well -= 1;
      const byChance = well < 0;
      if (byChance) well = trialsBefore(random, share);
      if (byChance || blackouts.covers(probe.atMillis)) return true;
      const part = fault(probe, legOf(probe));
      return part > 0 && (part >= 1 || random() < part);
    },
    quiet: () => ({ untilMillis: blackouts.nextMillis(), probes: well }),
    skip: (probes) => {
      well -= probes;
    },
  };
}

interface Blackouts {
  covers(atMillis: number): boolean;
  /** When the present or next one begins. */
  nextMillis(): number;
}

function makeBlackouts(ambient: Ambient, random: Random): Blackouts {
  if (ambient.kind === 'independent' || ambient.share === 0)
    return { covers: () => false, nextMillis: () => Infinity };
  const gapMillis = (ambient.meanMillis * (1 - ambient.share)) / ambient.share;
  let from = exponential(random, gapMillis);
  let to = from + exponential(random, ambient.meanMillis);
  return {
    covers: (at) => {
      while (at >= to) {
        from = to + exponential(random, gapMillis);
        to = from + exponential(random, ambient.meanMillis);
      }
      return at >= from;
    },
    nextMillis: () => from,
  };
}

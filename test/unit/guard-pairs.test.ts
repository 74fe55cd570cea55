/**
 * Every pair of guards together: what they hold and what they let through. Uplinks cmi, pccw and hkbn; each guard
 * brings its own situation, and the table says what becomes of the three uplinks when two situations meet.
 */
import { describe, expect, test } from 'vitest';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { type DecideMemory, emptyDecideMemory } from '../../src/core/decide/memory.ts';
import type { Uplink } from '../../src/types/config.ts';
import { instant } from '../../src/types/units.ts';
import { type Fact, inputAt, policy, uplinkNamed } from '../support/world.ts';

const returns = ['hold', 'rate', 'flap', 'canary'] as const;
const leaves = ['all-bad', 'last-resort', 'capacity'] as const;
const others = ['no-consent', 'frozen'] as const;
const all = [...returns, ...leaves, ...others] as const;
type Situation = (typeof all)[number];

const at = 100_000;
const names = ['cmi', 'pccw', 'hkbn'];

/** cmi was withdrawn by a verdict and measures healthy again, in the return situations. */
function memoryFor(situations: readonly Situation[]): DecideMemory {
  const isReturn = situations.some((one) => returns.some((other) => other === one));
  const since = sinceOf(situations) * 1000;
  return {
    ...emptyDecideMemory,
    standing: Object.fromEntries(
      names.map((name) => [
        `${name}_web4`,
        isReturn && name === 'cmi'
          ? { state: 'withdraw', reason: 'loss', text: 'x', byVerdict: true }
          : { state: 'announce', reason: 'healthy', text: 'x', byVerdict: false },
      ]),
    ),
    clocks: isReturn ? { cmi4: { bad: false, flaps: 1, holdUntil: instant(since + 60_000) } } : {},
    penalties: situations.includes('flap') ? { cmi_web4: { points: 1900, at: instant(at * 1000) } } : {},
    events: situations.includes('rate')
      ? ['x', 'y', 'z'].map((uplink) => ({ uplink, at: instant((at - 100) * 1000) }))
      : [],
  };
}

/** Since when cmi is healthy again: just now where the hold is to hold it. */
function sinceOf(situations: readonly Situation[]): number {
  return situations.includes('hold') ? at - 10 : at - 1000;
}

function factsFor(situations: readonly Situation[]): Readonly<Record<string, Fact>> {
  const isReturn = situations.some((one) => returns.some((other) => other === one));
  const well: Fact = { health: 'healthy' };
  const cmi = isReturn ? { ...well, since: sinceOf(situations) } : well;
  const failed = (since: number, loss = 1): Fact => ({ health: 'failed', since: at - since, loss });
  if (situations.includes('all-bad'))
    return { cmi: isReturn ? cmi : failed(3), pccw: failed(2), hkbn: failed(1, 0.9) };
  if (situations.includes('last-resort'))
    return { cmi: isReturn ? cmi : failed(300), pccw: failed(500), hkbn: failed(1, 0.5) };
  if (situations.includes('capacity'))
    return { cmi, pccw: { health: 'degraded', since: at - 1 }, hkbn: well };
  return { cmi, pccw: well, hkbn: well };
}

function inputFor(situations: readonly Situation[]): DecideInput {
  const full = situations.includes('capacity');
  return inputAt(at, factsFor(situations), {
    uplinks: names.map((name): Uplink => ({ ...uplinkNamed(name), capacityBits: full ? 10e9 : null })),
    traffic: new Map(full ? names.map((name) => [name, 9e9]) : []),
    policy: {
      ...policy,
      recovery: { ...policy.recovery, canary: situations.includes('canary') ? 'drain' : 'off' },
    },
    freeze: situations.includes('frozen') ? { author: 'ops', reason: 'storm', at: '' } : null,
    readiness: new Map(
      situations.includes('no-consent')
        ? [['web', { state: 'not-ready', since: instant(0), text: 'haproxy is down' }]]
        : [],
    ),
    fleet: situations.includes('no-consent')
      ? new Map([['web4', { consent: 'refused', announcingNodes: 0, text: 'no other node announces it' }]])
      : null,
  });
}

/** `state guard` of the three uplinks in the order of the config. */
function outcomeOf(situations: readonly Situation[]): string {
  const { wish } = decide(inputFor(situations), memoryFor(situations));
  return wish.announcements.map((one) => `${one.state} ${one.held?.guard ?? ''}`.trim()).join(', ');
}

/** Alone, each guard holds what it is for. */
const alone: Readonly<Record<Situation, string>> = {
  hold: 'withdraw hold, announce, announce',
  rate: 'withdraw rate, announce, announce',
  flap: 'withdraw flap, announce, announce',
  canary: 'drain canary, announce, announce',
  'all-bad': 'announce all-bad, announce all-bad, announce all-bad',
  'last-resort': 'withdraw, withdraw, announce last-resort',
  capacity: 'announce, announce capacity, announce',
  'no-consent': 'drain no-consent, drain no-consent, drain no-consent',
  frozen: 'announce, announce, announce',
};

/**
 * By `one + other`. A return that a repair needs (cmi, where all others failed) waits for nothing; the first failed one
 * leaves in the same tick where no budget holds it, the last one in the next.
 */
const pairs: Readonly<Record<string, string>> = {
  'hold + rate': 'withdraw hold, announce, announce',
  'hold + flap': 'withdraw hold, announce, announce',
  'hold + canary': 'withdraw hold, announce, announce',
  'hold + all-bad': 'announce, withdraw, announce last-resort',
  'hold + last-resort': 'announce, withdraw, announce last-resort',
  'hold + capacity': 'withdraw hold, announce capacity, announce',
  'hold + no-consent': 'withdraw, drain no-consent, drain no-consent',
  'hold + frozen': 'withdraw hold, announce, announce',
  'rate + flap': 'withdraw rate, announce, announce',
  'rate + canary': 'withdraw rate, announce, announce',
  'rate + all-bad': 'announce, announce rate, announce last-resort',
  'rate + last-resort': 'announce, announce rate, announce last-resort',
  'rate + capacity': 'withdraw rate, announce capacity, announce',
  'rate + no-consent': 'withdraw, drain no-consent, drain no-consent',
  'rate + frozen': 'withdraw rate, announce, announce',
  'flap + canary': 'withdraw flap, announce, announce',
  'flap + all-bad': 'announce, withdraw, announce last-resort',
  'flap + last-resort': 'announce, withdraw, announce last-resort',
  'flap + capacity': 'withdraw flap, announce capacity, announce',
  'flap + no-consent': 'withdraw, drain no-consent, drain no-consent',
  'flap + frozen': 'withdraw flap, announce, announce',
  'canary + all-bad': 'announce, withdraw, announce last-resort',
  'canary + last-resort': 'announce, withdraw, announce last-resort',
  'canary + capacity': 'drain canary, announce capacity, announce',
  'canary + no-consent': 'withdraw, drain no-consent, drain no-consent',
  'canary + frozen': 'withdraw frozen, announce, announce',
  'all-bad + last-resort': 'announce all-bad, announce all-bad, announce all-bad',
  'all-bad + capacity': 'announce all-bad, announce all-bad, announce all-bad',
  'all-bad + no-consent': 'drain no-consent, drain no-consent, drain no-consent',
  'all-bad + frozen': 'announce all-bad, announce all-bad, announce all-bad',
  'last-resort + capacity': 'withdraw, withdraw, announce last-resort',
  'last-resort + no-consent': 'withdraw, withdraw, drain no-consent',
  'last-resort + frozen': 'announce frozen, announce frozen, announce last-resort',
  'capacity + no-consent': 'drain no-consent, drain no-consent, drain no-consent',
  'capacity + frozen': 'announce, announce capacity, announce',
  'no-consent + frozen': 'announce frozen, announce frozen, announce frozen',
};

const allPairs = all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other] as const));

describe('each guard alone', () => {
  test.each(all)('%s', (one) => {
    expect(outcomeOf([one])).toBe(alone[one]);
  });
});

describe('every pair of guards', () => {
  test.each(allPairs)('%s with %s', (one, other) => {
    expect(outcomeOf([one, other])).toBe(pairs[`${one} + ${other}`]);
  });
});

/** Stories of decide: moments in a row, each with what is measured and what the wish must be. */
import { expect } from 'vitest';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory, type DecideMemory } from '../../src/core/decide/memory.ts';
import type { Service } from '../../src/types/config.ts';
import type { FleetWord } from '../../src/types/fleet-word.ts';
import type { Override, OverrideSubject } from '../../src/types/override.ts';
import type { ReadinessFact } from '../../src/types/readiness.ts';
import { instant } from '../../src/types/units.ts';
import { type Fact, inputAt, policy, web } from './world.ts';

export interface Moment {
  readonly at: number;
  readonly facts: Readonly<Record<string, Fact>>;
  readonly more?: Partial<DecideInput>;
  /** `state` or `state guard`, by uplink. */
  readonly wish: Readonly<Record<string, string>>;
}

/** A row of moments; `always` holds in each. */
export interface Story {
  readonly name: string;
  readonly always?: Partial<DecideInput>;
  readonly moments: readonly Moment[];
}

export function play(moments: readonly Moment[], always: Partial<DecideInput> = {}): void {
  let memory: DecideMemory = emptyDecideMemory;
  for (const { at, facts, more, wish } of moments) {
    const decision = decide(inputAt(at, facts, { ...always, ...more }), memory);
    memory = decision.memory;
    const got = Object.fromEntries(
      decision.wish.announcements.map((one) => [one.uplink, `${one.state} ${one.held?.guard ?? ''}`.trim()]),
    );
    expect({ at, wish: got }).toEqual({ at, wish });
  }
}

/** Facts in short. */
export const well: Fact = { health: 'healthy' };
export const failedAt = (since: number, more: Partial<Fact> = {}): Fact => ({
  health: 'failed',
  since,
  ...more,
});
/** Facts in short. */
export const wellAt = (since: number): Fact => ({ health: 'healthy', since });
export const slowAt = (since: number): Fact => ({ health: 'degraded', since });

/** An operator's word about a selection. */
export function said(
  state: Override['state'],
  subject: Partial<Extract<OverrideSubject, { kind: 'selection' }>>,
  more: Partial<Override> = {},
): Override {
  return {
    subject: { kind: 'selection', service: null, uplink: null, family: null, ...subject },
    state,
    author: 'ops',
    reason: 'ticket 42',
    at: '2026-11-30T01:00:00Z',
    expires: null,
    ...more,
  };
}

/** An open maintenance window. */
export const window = (state: Override['state'], uplink: string): Override =>
  said(state, { uplink }, { author: 'maintenance', reason: 'carrier window' });

/** What the check of web says. */
export const readiness = (state: ReadinessFact['state']): Partial<DecideInput> => ({
  readiness: new Map([['web', { state, since: instant(0), text: `haproxy is ${state}` }]]),
});
export const withCanary = {
  policy: { ...policy, recovery: { ...policy.recovery, canary: 'drain' as const } },
};
export const ofService = (more: Partial<Service>): Partial<DecideInput> => ({
  services: [{ ...web, ...more }],
});
export const fleetSays = (
  consent: FleetWord['consent'],
  announcingNodes: number | null,
): Partial<DecideInput> => ({
  fleet: new Map([['web4', { consent, announcingNodes, text: `the fleet says ${consent}` }]]),
});
export const frozen = { freeze: { author: 'ops', reason: 'storm', at: '' } };
export const both = { cmi: well, pccw: well };

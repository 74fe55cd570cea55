/** When a session is surely down: after ten seconds, by a hand, or at once where BFD or the hold timer ended it. */
import { describe, expect, test } from 'vitest';
import { sessionFacts, type SessionMemory } from '../../src/daemon/session-facts.ts';
import type { BirdView, ProtocolSeen } from '../../src/types/bird-view.ts';
import { instant } from '../../src/types/units.ts';
import { nodeWith } from '../support/node-config.ts';

const config = nodeWith(['cmi', 'pccw']);

function session(name: string, more: Partial<ProtocolSeen>): ProtocolSeen {
  const texts = { description: null, message: null };
  return {
    name,
    proto: 'BGP',
    state: 'start',
    sinceMillis: null,
    info: 'Active',
    channels: [],
    ...texts,
    ...more,
  };
}

const up = { state: 'up', info: 'Established' } as const;

function viewOf(protocols: readonly ProtocolSeen[]): BirdView {
  return {
    kind: 'seen',
    readAt: instant(0),
    version: '2.0.12',
    serverMillis: 0,
    bootMillis: 0,
    configuredMillis: 0,
    running: true,
    protocols: new Map(protocols.map((one) => [one.name, one])),
  };
}

function factOf(view: BirdView, before: SessionMemory, nowMillis: number) {
  const { facts, memory } = sessionFacts(config, view, [], before, instant(nowMillis));
  return { fact: facts.get('cmi4'), memory };
}

const fallen = (more: Partial<ProtocolSeen> = {}, other: Partial<ProtocolSeen> = up): BirdView =>
  viewOf([session('bgp_cmi4', more), session('bgp_pccw4', other)]);

describe('a session that is not Established', () => {
  test('is surely down after ten seconds, and unknown until then', () => {
    const first = factOf(fallen(), new Map(), 1000);
    expect(first.fact).toBe('unknown');
    expect(factOf(fallen(), first.memory, 10_999).fact).toBe('unknown');
    expect(factOf(fallen(), first.memory, 11_000).fact).toBe('down');
  });

  test.each(['bfd', 'hold-timer', 'link'] as const)(
    'is so at once by %s, and stays so when BIRD forgets why',
    (lostBy) => {
      const first = factOf(fallen({ lostBy }), new Map(), 1000);
      expect(first.fact).toBe('down');
      expect(factOf(fallen(), first.memory, 1200).fact).toBe('down');
      expect(factOf(fallen(up), first.memory, 1400).fact).toBe('up');
    },
  );

  test('of which all fell by the same words waits: the machine may have stood still', () => {
    const view = fallen({ lostBy: 'bfd' }, { lostBy: 'bfd' });
    expect(factOf(view, new Map(), 1000).fact).toBe('unknown');
  });
});

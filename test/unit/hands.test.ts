/** Whose hand: what is adopted from BIRD, what ends an override, and what is nobody's word. */
import { describe, expect, test } from 'vitest';
import { type HandsInput, lookOf, readHands, stillReleased } from '../../src/core/hands/hands.ts';
import { subjectsOf } from '../../src/core/hands/subject.ts';
import type { BirdSeen } from '../../src/types/bird-view.ts';
import type { Override } from '../../src/types/override.ts';
import { birdShowing, configuredAt, type Shown } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';

const subjects = subjectsOf(nodeWith(['cmi']));
const at = '2026-11-30T00:00:00Z';
const later = configuredAt + 60_000;

const announced: Readonly<Record<string, Shown>> = {
  announce_cmi_web4: { state: 'up', description: 'announced: healthy' },
  drain_cmi_web4: { state: 'down', description: 'not drained' },
  bgp_cmi4: { state: 'up' },
  learn_cmi4: { state: 'up' },
};
const drained = { ...announced, drain_cmi_web4: { state: 'up', description: 'drained: slow' } } as const;
const ours: Shown = { state: 'down', message: 'causeway: loss', sinceMillis: later };

function withdrawnBy(author: string): Override {
  const subject = { kind: 'announcement', service: 'web', uplink: 'cmi', family: 4 } as const;
  return { subject, state: 'withdraw', author, reason: 'ticket 42', at, expires: null };
}

function hands(before: BirdSeen | null, seen: BirdSeen, more: Partial<HandsInput> = {}) {
  const { overrides, events } = readHands({
    subjects,
    seen,
    last: before === null ? null : lookOf(before, subjects),
    switched: new Set(),
    fileIsOurs: true,
    overrides: [],
    settling: new Set(),
    at,
    ...more,
  });
  return {
    overrides: overrides.map((one) => `${one.subject.kind} ${one.state} ${one.author}: ${one.reason}`),
    events: events.map((one) => `${one.kind} ${one.protocol}`),
  };
}

describe('a hand that takes down', () => {
  const cases: readonly {
    name: string;
    before: Readonly<Record<string, Shown>>;
    after: Readonly<Record<string, Shown>>;
    adopted: readonly string[];
  }[] = [
    {
      name: 'announce_ with a reason',
      before: announced,
      after: { announce_cmi_web4: { state: 'down', message: 'ticket 42', sinceMillis: later } },
      adopted: ['announcement withdraw birdc: ticket 42'],
    },
    {
      name: 'announce_ without a reason',
      before: announced,
      after: { announce_cmi_web4: { state: 'down', description: 'announced: healthy', sinceMillis: later } },
      adopted: ['announcement withdraw birdc: birdc disable announce_cmi_web4'],
    },
    {
      name: 'announce_ that the file once held down and we returned',
      before: announced,
      after: { announce_cmi_web4: { state: 'down', description: 'withdrawn: loss', sinceMillis: later } },
      adopted: ['announcement withdraw birdc: birdc disable announce_cmi_web4'],
    },
    {
      name: 'the drain_ of a drained announcement',
      before: drained,
      after: { drain_cmi_web4: { state: 'down', message: 'x', sinceMillis: later } },
      adopted: ['announcement withdraw birdc: x'],
    },
    {
      name: 'the session',
      before: announced,
      after: { bgp_cmi4: { state: 'down', message: 'fibre works', sinceMillis: later } },
      adopted: ['session withdraw birdc: fibre works'],
    },
    {
      name: 'learn_',
      before: announced,
      after: { learn_cmi4: { state: 'down', message: 'x', sinceMillis: later } },
      adopted: ['egress withdraw birdc: x'],
    },
    { name: 'nothing: it was us', before: announced, after: { announce_cmi_web4: ours }, adopted: [] },
    {
      name: 'nothing: the file that BIRD parsed holds it down',
      before: announced,
      after: {
        announce_cmi_web4: { state: 'down', description: 'withdrawn: loss', sinceMillis: configuredAt },
      },
      adopted: [],
    },
  ];
  test.each(cases)('$name', ({ before, after, adopted }) => {
    expect(hands(birdShowing(before), birdShowing({ ...before, ...after })).overrides).toEqual(adopted);
  });

  describe('in the moment after a command of ours, before the next look', () => {
    const switched = new Set(['announce_cmi_web4', 'drain_cmi_web4']);
    const taken = (protocol: string, shown: Shown) =>
      hands(birdShowing(withdrawnPair), birdShowing({ ...withdrawnPair, [protocol]: shown }), { switched });
    const withdrawnPair = { ...announced, announce_cmi_web4: ours, drain_cmi_web4: ours };
    test.each(['announce_cmi_web4', 'drain_cmi_web4'])('%s: is known by its words', (protocol) => {
      const shown = { state: 'down', message: 'ticket 42', sinceMillis: later } as const;
      expect(taken(protocol, shown)).toEqual({
        overrides: ['announcement withdraw birdc: ticket 42'],
        events: [`adopted ${protocol}`],
      });
    });
    test.each([
      ['our words', ours],
      ['no words, which a configure leaves too', { state: 'down', sinceMillis: later }],
      ['others’ words on what is up', { state: 'up', message: 'ticket 42', sinceMillis: later }],
    ] as const)('%s: nobody’s', (_name, shown) => {
      expect(taken('announce_cmi_web4', shown).events).toEqual([]);
    });
  });

  test('is adopted once', () => {
    const seen = birdShowing({
      ...announced,
      announce_cmi_web4: { state: 'down', message: 'ticket 42', sinceMillis: later },
    });
    expect(hands(seen, seen, { overrides: [withdrawnBy('birdc')] }).events).toEqual([]);
  });

  test('is not read out of a BIRD that shuts down', () => {
    const seen = birdShowing(
      { ...announced, announce_cmi_web4: { state: 'down', sinceMillis: later } },
      { running: false },
    );
    expect(hands(birdShowing(announced), seen).events).toEqual([]);
  });
});

describe('a hand that an operator released', () => {
  const byHand = birdShowing({
    ...announced,
    announce_cmi_web4: { state: 'down', message: 'ticket 42', sinceMillis: later },
  });
  const released = new Set(['announce_cmi_web4', 'drain_cmi_web4']);

  test('is not adopted again, though BIRD still shows its message, also where nothing is remembered', () => {
    expect(hands(byHand, byHand, { released }).events).toEqual([]);
    expect(hands(null, byHand, { released }).events).toEqual([]);
    expect(hands(null, byHand).events).toEqual(['adopted announce_cmi_web4']);
  });

  test('is forgotten for what went up, so that the next hand counts', () => {
    const up = birdShowing(announced);
    expect(stillReleased(released, byHand)).toEqual(released);
    expect(stillReleased(released, up)).toEqual(new Set(['drain_cmi_web4']));
    expect(hands(up, byHand, { released: stillReleased(released, up) }).events).toEqual([
      'adopted announce_cmi_web4',
    ]);
  });
});

describe('an enable', () => {
  const withdrawn = birdShowing({ ...announced, announce_cmi_web4: ours });
  const both = birdShowing(drained);

  test('of both protocols that a hand took down only ends the override', () => {
    const result = hands(withdrawn, both, { overrides: [withdrawnBy('birdc')] });
    expect(result).toEqual({ overrides: [], events: ['ended announce_cmi_web4'] });
  });
  test('of the second protocol a moment later is still that hand', () => {
    const first = birdShowing(announced);
    expect(hands(first, both, { settling: new Set(['cmi_web4']) }).events).toEqual([]);
  });
  test('against a verdict is honoured', () => {
    expect(hands(withdrawn, birdShowing(announced)).overrides).toEqual([
      'announcement announce birdc: birdc enable announce_cmi_web4',
    ]);
  });
  test('of drain_ alone drains', () => {
    expect(hands(birdShowing(announced), both).overrides).toEqual([
      'announcement drain birdc: birdc enable drain_cmi_web4',
    ]);
  });
  test.each([
    ['a configure of BIRD', { configuredMillis: later }, {}],
    ['a restart of BIRD', { bootMillis: later, configuredMillis: later }, {}],
    ['a change of the file', {}, { fileIsOurs: false }],
    ['our own command', {}, { switched: new Set(['announce_cmi_web4']) }],
  ] as const)('after %s is nobody’s word', (_name, bird, more) => {
    expect(hands(withdrawn, birdShowing(announced, bird), more).events).toEqual([]);
  });
  describe('a moment after a configure, before the next look', () => {
    const configured = { configuredMillis: later };
    const up = (description: string, sinceMillis: number): BirdSeen =>
      birdShowing({ ...announced, announce_cmi_web4: { state: 'up', description, sinceMillis } }, configured);
    test('ends a hand’s override: the text that was parsed holds it down', () => {
      const enabled = up('by hand: ticket 42', later + 20);
      expect(hands(withdrawn, enabled, { overrides: [withdrawnBy('birdc')] })).toEqual({
        overrides: [],
        events: ['ended announce_cmi_web4'],
      });
    });
    test('is honoured against a verdict', () => {
      expect(hands(withdrawn, up('withdrawn: loss', later + 20)).overrides).toEqual([
        'announcement announce birdc: birdc enable announce_cmi_web4',
      ]);
    });
    test.each([
      ['what the text has up', up('announced: healthy', later + 20), {}],
      [
        'what was up at the last look',
        up('by hand: ticket 42', later + 20),
        { last: lookOf(both, subjects) },
      ],
      ['what was up before', up('by hand: ticket 42', later - 20), {}],
      ['a file that somebody wrote', up('by hand: ticket 42', later + 20), { fileIsOurs: false }],
    ])('is nobody’s word of %s', (_name, seen, more) => {
      expect(hands(withdrawn, seen, { overrides: [withdrawnBy('birdc')], ...more }).events).toEqual([]);
    });
  });
  describe('against a verdict, while no daemon ran', () => {
    const kept = { ...lookOf(withdrawn, subjects), serverMillis: later, beforeRestart: true } as const;
    const upSince = (sinceMillis: number): BirdSeen =>
      birdShowing({ ...announced, announce_cmi_web4: { state: 'up', sinceMillis } });
    test('is honoured', () => {
      expect(hands(null, upSince(later + 3001), { last: kept }).overrides).toEqual([
        'announcement announce birdc: birdc enable announce_cmi_web4',
      ]);
    });
    test.each([
      ['within the age of the look that was kept', upSince(later + 2900), kept],
      ['of which BIRD says no time', upSince(Number.NaN), kept],
      ['by a look without a time', upSince(later + 9000), { ...kept, serverMillis: null }],
    ])('is nobody’s word %s: the forerunner may have heard it', (_name, seen, last) => {
      expect(hands(null, seen, { last }).events).toEqual([]);
    });
    test('ends a hand’s override in any case, for that was kept', () => {
      const asked = { last: kept, overrides: [withdrawnBy('birdc')] };
      expect(hands(null, upSince(later + 10), asked).overrides).toEqual([]);
    });
  });
  test('with our own message is ours, though the daemon died before it remembered it', () => {
    const returned = birdShowing({
      ...announced,
      announce_cmi_web4: { state: 'up', message: 'causeway: healthy', sinceMillis: later },
    });
    expect(hands(withdrawn, returned).events).toEqual([]);
  });
  test('after a restart of BIRD does not end a hand’s override', () => {
    const restarted = birdShowing(announced, { bootMillis: later, configuredMillis: later });
    expect(hands(withdrawn, restarted, { overrides: [withdrawnBy('birdc')] }).events).toEqual([]);
  });
  test('does not end an override that came by a command of ours', () => {
    expect(hands(withdrawn, birdShowing(announced), { overrides: [withdrawnBy('ops')] }).events).toEqual([]);
  });
});

/** Who is heard: by seq and own time alone, never by anybody's wall clock. */
import { describe, expect, test } from 'vitest';
import { goneNodes, hearBeats, hearPresence, isMeeting, stateOf, unread } from '../../src/core/fleet/hear.ts';
import { type Beat, emptyFleetMemory, type FleetMemory } from '../../src/core/fleet/memory.ts';
import { instant } from '../../src/types/units.ts';
import { beatOf, fleetRules, presenceOf } from './fleet-world.ts';

type Nodes = FleetMemory['nodes'];

/** Beats of hk2, each at a second, with its presence read at once. */
function heard(...rows: readonly (readonly [seconds: number, beat: Beat])[]): Nodes {
  let nodes: Nodes = emptyFleetMemory.nodes;
  for (const [seconds, beat] of rows) {
    nodes = hearBeats(nodes, [beat], fleetRules, instant(seconds * 1000));
    const { node, epoch, content } = beat;
    nodes = hearPresence(nodes, presenceOf(node, { epoch, content }));
  }
  return nodes;
}

function stateAt(nodes: Nodes, seconds: number): string {
  const one = nodes.get('hk2');
  if (one === undefined) return 'not there';
  const state = stateOf(one, fleetRules.expireMillis, instant(seconds * 1000));
  return state.kind === 'heard' ? 'heard' : state.why;
}

describe('a node', () => {
  test.each([
    { name: 'that was seen once is not heard yet', rows: [[0, beatOf('hk2', 7)]], at: 0, state: /seen once/ },
    {
      name: 'whose seq goes on is heard',
      rows: [
        [0, beatOf('hk2', 7)],
        [1, beatOf('hk2', 8)],
      ],
      at: 2,
      state: /^heard$/,
    },
    {
      name: 'that repeats its seq, as one that is paused, is unknown after the expiry',
      rows: [
        [0, beatOf('hk2', 7)],
        [1, beatOf('hk2', 8)],
        [3, beatOf('hk2', 8)],
        [5.9, beatOf('hk2', 8)],
      ],
      at: 6,
      state: /silent for 5 s/,
    },
    {
      name: 'whose tick hangs is unknown although it speaks',
      rows: [
        [0, beatOf('hk2', 7)],
        [1, beatOf('hk2', 8, { ageMillis: 4900 })],
      ],
      at: 1.2,
      state: /repeats what is 5 s old/,
    },
    {
      name: 'that restarts with a greater epoch and a smaller seq is heard on',
      rows: [
        [0, beatOf('hk2', 7)],
        [1, beatOf('hk2', 1, { epoch: 101 })],
      ],
      at: 2,
      state: /^heard$/,
    },
    {
      name: 'is not taken back by an older epoch while it is heard',
      rows: [
        [0, beatOf('hk2', 7)],
        [1, beatOf('hk2', 8)],
        [2, beatOf('hk2', 99, { epoch: 99 })],
      ],
      at: 2,
      state: /^heard$/,
    },
    {
      name: 'that lost its disk and its clock is heard again after it was silent and goes on',
      rows: [
        [0, beatOf('hk2', 7)],
        [1, beatOf('hk2', 8)],
        [7, beatOf('hk2', 1, { epoch: 5 })],
        [8, beatOf('hk2', 2, { epoch: 5 })],
      ],
      at: 8,
      state: /^heard$/,
    },
  ] as const)('$name', ({ rows, at, state }) => {
    expect(stateAt(heard(...rows), at)).toMatch(state);
  });

  test('is read again when its content changes, and counts only when it was', () => {
    const nodes = hearBeats(
      heard([0, beatOf('hk2', 1)], [1, beatOf('hk2', 2)]),
      [beatOf('hk2', 3, { content: 3 })],
      fleetRules,
      instant(2000),
    );
    expect(unread(nodes)).toEqual(['hk2']);
    expect(stateAt(nodes, 2)).toBe('not read yet');
    const older = hearPresence(nodes, presenceOf('hk2', { content: 2 }));
    expect(stateAt(older, 2)).toBe('not read yet');
    expect(stateAt(hearPresence(nodes, presenceOf('hk2', { content: 3 })), 2)).toBe('heard');
  });

  test('is met from when it was first seen until it is heard, and no longer than the expiry', () => {
    const isMet = (nodes: Nodes, seconds: number): boolean =>
      isMeeting(nodes, fleetRules.expireMillis, instant(seconds * 1000));
    const seen = heard([0, beatOf('hk2', 1)]);
    expect([isMet(emptyFleetMemory.nodes, 0), isMet(seen, 0.1), isMet(seen, 4.9), isMet(seen, 5)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isMet(heard([0, beatOf('hk2', 1)], [0.1, beatOf('hk2', 2)]), 0.2)).toBe(false);
  });

  test('is gone after a day of silence, and the node itself is never among the others', () => {
    const nodes = heard([0, beatOf('hk2', 1)], [1, beatOf('hk2', 2)]);
    expect(goneNodes(nodes, instant(86_400_000))).toEqual([]);
    expect(goneNodes(nodes, instant(86_402_000))).toEqual(['hk2']);
    expect(hearBeats(nodes, [beatOf('hk1', 1)], fleetRules, instant(2000)).has('hk1')).toBe(false);
  });
});

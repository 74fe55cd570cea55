/** What nodes tell each other for their edges, and when it is worth telling. */
import { expect, test } from 'vitest';
import { edgeMark, edgeNodes } from '../../src/daemon/fleet-edge.ts';
import { FleetSpeaker } from '../../src/daemon/fleet-speaker.ts';
import { instant } from '../../src/types/units.ts';
import type { EdgeNodeView } from '../../src/types/wire/node-to-edge.ts';
import { presenceOf } from './fleet-world.ts';

function viewOf(score: number, up = true): EdgeNodeView {
  const families = { '4': { up } };
  return {
    host: 'hk2.example',
    accepting: true,
    weight: 100,
    uplinks: { cmi: { carrier: 'cmi', score, families } },
  };
}

test('nodes that are heard and have an edge are told to it; a fleet that cannot be read is said to be so', () => {
  const others = [presenceOf('hk2', { edge: viewOf(97) }), presenceOf('hk3')];
  expect(edgeNodes(others)).toEqual({ nodes: new Map([['hk2', viewOf(97)]]), read: true });
  expect(edgeNodes(null)).toEqual({ nodes: new Map(), read: false });
});

test('a score that wavers is nothing new, one that falls is, and so is a family that goes down', () => {
  expect(edgeMark(viewOf(97))).toBe(edgeMark(viewOf(99)));
  expect(edgeMark(viewOf(97))).not.toBe(edgeMark(viewOf(60)));
  expect(edgeMark(viewOf(97))).not.toBe(edgeMark(viewOf(97, false)));
});

test('a presence is said anew when it changes, counts from then, and carries the edge’s view', () => {
  const { epoch: _e, seq: _s, content: _c, ageMillis: _a, ...body } = presenceOf('hk1');
  const speaker = new FleetSpeaker(7);
  expect(speaker.next(instant(0))).toBe(null);
  expect(speaker.note(body, viewOf(97), instant(0))).toBe(true);
  expect(speaker.next(instant(100))).toMatchObject({
    epoch: 7,
    seq: 1,
    content: 1,
    ageMillis: 100,
    ring: true,
  });
  expect(speaker.note(body, viewOf(98), instant(200))).toBe(false);
  expect(speaker.next(instant(250))).toMatchObject({ seq: 2, content: 1, ageMillis: 50, ring: false });
  expect(speaker.note({ ...body, frozen: true }, null, instant(300))).toBe(true);
  expect(speaker.next(instant(300))).toMatchObject({ seq: 3, content: 3, ring: true });
  expect(speaker.last).not.toHaveProperty('edge');
  speaker.unsaid();
  expect(speaker.next(instant(300))).toMatchObject({ seq: 4, content: 4, ring: true });
  speaker.goAbove(50);
  expect(speaker.next(instant(300))).toMatchObject({ epoch: 51, seq: 5, content: 5 });
});

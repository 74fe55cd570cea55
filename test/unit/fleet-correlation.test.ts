/** Whose fault it is, and what that is worth as evidence. */
import { describe, expect, test } from 'vitest';
import { announcerState, announces } from '../../src/core/fleet/announcers.ts';
import { correlate, findingText } from '../../src/core/fleet/correlation.ts';
import { evidenceOf } from '../../src/core/fleet/evidence.ts';
import { announcementOf, presenceOf, targetOf } from './fleet-world.ts';

const failedCmi = announcementOf({ health: 'failed' });
const goodPccw = announcementOf({ uplink: 'pccw', carrier: 'pccw' });

describe('an announcer', () => {
  test.each([
    ['is what is seen exported, ready and not failed', {}, 'live', 'announces'],
    ['is not one that has failed', { health: 'failed' }, 'live', 'failed'],
    ['is not one whose service is not ready', { ready: false }, 'live', 'not-ready'],
    ['is not one that is about to be withdrawn', { wish: 'withdraw' }, 'live', 'leaving'],
    ['counts by what is seen alone in observe mode', { wish: 'withdraw' }, 'observe', 'announces'],
    ['is not one that is drained', { seen: 'drained', wish: 'drain' }, 'live', 'drained'],
    ['is not one whose wish alone says so', { seen: 'absent' }, 'live', 'absent'],
    ['is not one of a session that is down', { seen: 'session-down' }, 'live', 'session-down'],
  ] as const)('%s', (_, more, mode, state) => {
    const one = announcementOf(more);
    expect(announcerState(one, mode)).toBe(state);
    expect(announces(presenceOf('hk2', { mode, announcements: [one] }), 'web', 4)).toBe(
      state === 'announces',
    );
  });
});

describe('a finding', () => {
  test('is the target’s fault where two nodes lose it and nobody sees it well', () => {
    const targets = [targetOf('198.51.100.10', 'failed')];
    const both = [presenceOf('hk1', { targets }), presenceOf('hk2', { targets })];
    expect(correlate(both)).toEqual([
      { kind: 'target', address: '198.51.100.10', family: 4, nodes: ['hk1', 'hk2'] },
    ]);
    const well = presenceOf('tk1', { targets: [targetOf('198.51.100.10', 'healthy')] });
    expect(correlate([...both, well])).toEqual([]);
  });

  test('a target that one uplink of a node sees well is well on that node', () => {
    const targets = [targetOf('198.51.100.10', 'failed'), targetOf('198.51.100.10', 'healthy', 'pccw')];
    expect(correlate([presenceOf('hk1', { targets }), presenceOf('hk2', { targets })])).toEqual([]);
  });

  test('is the carrier’s fault where it fails on two nodes that have others, and names where it is well', () => {
    const announcements = [failedCmi, goodPccw];
    const found = correlate([
      presenceOf('hk1', { announcements }),
      presenceOf('hk2', { announcements }),
      presenceOf('sg1', { announcements: [announcementOf(), goodPccw] }),
    ]);
    expect(found).toEqual([
      { kind: 'carrier', carrier: 'cmi', family: 4, nodes: ['hk1', 'hk2'], wellOn: ['sg1'] },
    ]);
    expect(found.map((one) => findingText(one))).toEqual([
      "cmi fails in IPv4 on hk1, hk2, not on sg1: the carrier's fault",
    ]);
  });

  test('is everybody’s fault where every uplink of every node fails', () => {
    const announcements = [failedCmi, announcementOf({ ...goodPccw, health: 'failed' })];
    const found = correlate([presenceOf('hk1', { announcements }), presenceOf('hk2', { announcements })]);
    expect(found).toEqual([{ kind: 'everybody', family: 4, nodes: ['hk1', 'hk2'] }]);
  });

  test('is the carrier’s in a region that fails by it on two nodes, and fails on the carrier otherwise not', () => {
    const towards = (region: string) => ({ region, uplink: 'cmi', carrier: 'cmi', family: 4 as const });
    const found = correlate([
      presenceOf('hk1', { failedRegions: [towards('ID'), towards('PH')] }),
      presenceOf('hk2', { failedRegions: [towards('ID'), { ...towards('ID'), uplink: 'cmi2' }] }),
    ]);
    expect(found).toEqual([
      { kind: 'region', carrier: 'cmi', region: 'ID', family: 4, nodes: ['hk1', 'hk2'] },
    ]);
    expect(found.map((one) => findingText(one))).toEqual([
      "cmi fails in IPv4 towards ID on hk1, hk2, and is fine elsewhere: the carrier's fault in that region",
    ]);
  });

  test('one node alone finds nothing', () => {
    const targets = [targetOf('198.51.100.10', 'failed')];
    expect(correlate([presenceOf('hk1', { announcements: [failedCmi], targets })])).toEqual([]);
  });
});

describe('the evidence of a failed uplink', () => {
  const self = presenceOf('hk1', {
    announcements: [failedCmi],
    targets: [targetOf('198.51.100.10', 'failed'), targetOf('198.51.100.11', 'failed')],
  });
  test.each([
    ['is its own fault where others see half of its targets well', ['healthy', 'failed'], 'own'],
    ['is shared where others lose them too', ['failed', 'failed'], 'shared'],
    ['is unclear where others know nothing of them', ['unknown', 'unknown'], 'unclear'],
  ] as const)('%s', (_, [first, second], evidence) => {
    const other = presenceOf('hk2', {
      targets: [targetOf('198.51.100.10', first), targetOf('198.51.100.11', second)],
    });
    expect(evidenceOf(self, [other], 'web', 4)).toBe(evidence);
  });

  test('is unclear in the other family, and where nothing has failed', () => {
    const other = presenceOf('hk2', { targets: [targetOf('198.51.100.10', 'healthy')] });
    expect(evidenceOf(self, [other], 'web', 6)).toBe('unclear');
    expect(evidenceOf(presenceOf('hk1'), [other], 'web', 4)).toBe('unclear');
  });
});

/** Sessions of other names, and the views of an announcement that never stand for each other. */
import { describe, expect, test } from 'vitest';
import { adoptedIn, belongsToAdopted, withAdopted } from '../../bird/adopt.ts';
import { configuredState, exportedState } from '../../src/core/views.ts';
import type { BirdSeen } from '../../src/types/bird-view.ts';
import { birdShowing, type Shown } from '../support/bird.ts';
import { uplinkNamed, web } from '../support/world.ts';

const uplinks = ['cmi', 'pccw'].map((name) => uplinkNamed(name));
const adopt = new Map([
  ['cmi4', 'my_cmi_v4'],
  ['pccw4', 'their-pccw'],
]);

function showing(names: Readonly<Record<string, Shown & { proto?: string }>>): BirdSeen {
  const view = birdShowing(names);
  const protocols = new Map(
    [...view.protocols].map(([name, shown]) => [
      name,
      { ...shown, proto: names[name]?.proto ?? shown.proto },
    ]),
  );
  return { ...view, protocols };
}

const operators = showing({
  my_cmi_v4: { state: 'up', info: 'Established', proto: 'BGP' },
  'their-pccw': { state: 'start', info: 'Active', proto: 'BGP' },
  anycast4: { state: 'up' },
});

describe('adopted sessions', () => {
  test('are seen under the names of their uplinks, and keep their own', () => {
    const view = withAdopted(operators, adoptedIn(operators, adopt, uplinks));
    expect(view.protocols.get('bgp_cmi4')).toMatchObject({ name: 'my_cmi_v4', info: 'Established' });
    expect(view.protocols.get('bgp_pccw4')).toMatchObject({ name: 'their-pccw', info: 'Active' });
    expect(view.protocols.has('anycast4')).toBe(true);
  });

  test('are the same in the view that shows them under our names', () => {
    const theirs = adoptedIn(operators, adopt, uplinks);
    expect(adoptedIn(withAdopted(operators, theirs), adopt, uplinks)).toEqual(theirs);
  });

  test('are adopted no longer once BIRD has a session of our own name', () => {
    const moved = showing({
      bgp_cmi4: { state: 'up', info: 'Established', proto: 'BGP' },
      'their-pccw': { state: 'up', info: 'Established', proto: 'BGP' },
    });
    expect(adoptedIn(moved, adopt, uplinks)).toEqual([{ uplink: 'pccw', family: 4, name: 'their-pccw' }]);
  });

  test('that BIRD does not have, or that are no sessions, are not there', () => {
    const other = showing({ my_cmi_v4: { state: 'up', proto: 'Static' } });
    const view = withAdopted(other, adoptedIn(other, adopt, uplinks));
    expect(view.protocols.has('bgp_cmi4')).toBe(false);
    expect(view.protocols.has('bgp_pccw4')).toBe(false);
  });

  test('own the protocols that BIRD need not have yet, in their family and of their uplink alone', () => {
    const theirs = adoptedIn(operators, adopt, uplinks);
    const owned = ['bgp_cmi4', 'learn_cmi4', 'announce_cmi_web4', 'drain_pccw_web4'];
    const others = ['bgp_cmi6', 'announce_cmi_web6', 'announce_hkbn_web4', 'announce_cmi2_web4', 'k_cmi4'];
    for (const name of owned) expect(belongsToAdopted(name, theirs)).toBe(true);
    for (const name of others) expect(belongsToAdopted(name, theirs)).toBe(false);
  });
});

describe('the views of an announcement', () => {
  const pair = (
    announce: Shown['state'],
    drain: Shown['state'],
    exported: number | null,
    info = 'Established',
  ) => {
    const view = birdShowing({
      announce_cmi_web4: { state: announce },
      drain_cmi_web4: { state: drain },
      bgp_cmi4: { state: info === 'Established' ? 'up' : 'start', info },
    });
    const protocols = new Map(view.protocols);
    const session = protocols.get('bgp_cmi4');
    if (session === undefined) throw new Error('no session');
    const channel = {
      family: 4 as const,
      state: 'UP',
      imported: 1,
      exported,
      importUpdates: null,
      importWithdraws: null,
      exportUpdates: null,
      exportWithdraws: null,
    }; // prettier-ignore
    protocols.set('bgp_cmi4', { ...session, channels: [channel] });
    return { ...view, protocols };
  };
  const views = (seen: BirdSeen) => [
    configuredState(seen, 'cmi', 'web', 4),
    exportedState(seen, [web], 'cmi', 'web', 4),
  ];

  test.each([
    ['announced and sent', pair('up', 'down', 1), ['announce', 'exported']],
    ['drained and sent', pair('up', 'up', 1), ['drain', 'exported']],
    ['withdrawn and gone', pair('down', 'down', 0), ['withdraw', 'not-exported']],
    ['announced, and yet not sent', pair('up', 'down', 0), ['announce', 'not-exported']],
    ['withdrawn, and yet something is sent', pair('down', 'down', 1), ['withdraw', 'unknown']],
    ['announced, with more sent than there is', pair('up', 'down', 3), ['announce', 'unknown']],
    ['a count that BIRD does not show', pair('up', 'down', null), ['announce', 'unknown']],
    ['a session that is down', pair('up', 'down', null, 'Active'), ['announce', 'session-down']],
    ['nothing of ours in BIRD', birdShowing({}), [null, 'unknown']],
  ])('%s', (_, seen, expected) => {
    expect(views(seen)).toEqual(expected);
  });
});

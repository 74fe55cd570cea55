/** Egress follows the wish, and never leaves the node without a way out. */
import { describe, expect, test } from 'vitest';
import { decideEgress } from '../../src/core/decide/egress.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { protocolWishes } from '../../src/core/plan/protocols.ts';
import type { Override } from '../../src/types/override.ts';
import type { AnnounceState } from '../../src/types/wire/enums.ts';
import type { AnnouncementWish } from '../../src/types/wish.ts';
import { birdShowing } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';

const names = ['cmi', 'pccw', 'hkbn'];
const roads = names.map((uplink) => ({ uplink, family: 4 as const }));
const all = new Set(['cmi4', 'pccw4', 'hkbn4']);

function announcement(uplink: string, service: string, state: AnnounceState): AnnouncementWish {
  return {
    service,
    uplink,
    family: 4,
    state,
    reason: 'loss',
    text: 'loss 34 %',
    author: 'causeway',
    held: null,
  };
}

function hand(uplink: string): Override {
  return {
    subject: { kind: 'egress', uplink, family: 4 },
    state: 'withdraw',
    author: 'birdc',
    reason: 'x',
    at: '',
    expires: null,
  };
}

function ways(
  states: readonly AnnounceState[],
  usable: ReadonlySet<string> = all,
  hands: readonly string[] = [],
) {
  const announcements = states.map((state, index) => announcement(names[index] ?? '', 'web', state));
  return decideEgress(
    roads,
    announcements,
    hands.map((name) => hand(name)),
    usable,
  ).map((one) => one.state);
}

describe('egress', () => {
  test.each<[string, readonly AnnounceState[], readonly string[]]>([
    ['is in use where all is announced', ['announce', 'announce', 'announce'], ['use', 'use', 'use']],
    ['is avoided where all is withdrawn', ['withdraw', 'announce', 'announce'], ['avoid', 'use', 'use']],
    ['is avoided where all is drained', ['announce', 'drain', 'announce'], ['use', 'avoid', 'use']],
    [
      'keeps the first way out when all is withdrawn',
      ['withdraw', 'withdraw', 'withdraw'],
      ['use', 'avoid', 'avoid'],
    ],
    ['keeps a drained way before a withdrawn one', ['withdraw', 'drain', 'drain'], ['avoid', 'use', 'avoid']],
  ])('%s', (_name, states, expected) => {
    expect(ways(states)).toEqual(expected);
  });

  test('of an uplink stays while one of its services is announced', () => {
    const announcements = [announcement('cmi', 'web', 'withdraw'), announcement('cmi', 'dns', 'announce')];
    expect(decideEgress(roads.slice(0, 1), announcements, [], all)[0]?.state).toBe('use');
  });
  test('is kept where the others carry no default', () => {
    expect(ways(['withdraw', 'announce', 'announce'], new Set(['cmi4']))).toEqual(['use', 'use', 'use']);
  });
  test('obeys a hand on learn_, also on the last one', () => {
    expect(ways(['announce', 'withdraw', 'withdraw'], all, ['cmi'])).toEqual(['avoid', 'use', 'avoid']);
    expect(ways(['announce', 'announce', 'announce'], all, names)).toEqual(['avoid', 'avoid', 'avoid']);
  });
  test('is commanded just before the withdrawal, and not held up by the file', () => {
    const announcements = [announcement('cmi', 'web', 'withdraw'), announcement('pccw', 'web', 'announce')];
    const wish = { announcements, egress: decideEgress(roads.slice(0, 2), announcements, [], all) };
    const up = { state: 'up' } as const;
    const seen = birdShowing({
      announce_cmi_web4: up,
      drain_cmi_web4: { state: 'down' },
      learn_cmi4: up,
      bgp_cmi4: up,
    });
    const { steps } = plan(wish, protocolWishes(nodeWith(['cmi', 'pccw']), wish, []), seen);
    expect(steps.map(({ protocol, purpose }) => `${purpose} ${protocol}`)).toEqual([
      'avoid learn_cmi4',
      'withdraw announce_cmi_web4',
    ]);
  });
});

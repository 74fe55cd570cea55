/** Steps from what BIRD shows to the wish: the right ones, in an order in which no better route flashes up. */
import { describe, expect, test } from 'vitest';
import { plan } from '../../src/core/plan/plan.ts';
import { protocolWishes } from '../../src/core/plan/protocols.ts';
import type { AnnounceState } from '../../src/types/wire/enums.ts';
import type { AnnouncementWish, Wish } from '../../src/types/wish.ts';
import { birdShowing, type Shown } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';

function wishOf(states: Readonly<Record<string, AnnounceState>>): Wish {
  const announcements = Object.entries(states).map(
    ([uplink, state]): AnnouncementWish => ({
      service: 'web',
      uplink,
      family: 4,
      state,
      reason: 'loss',
      text: 'in a test',
      author: 'causeway',
      held: null,
    }),
  );
  return { announcements, egress: [] };
}

const up: Shown = { state: 'up' };
const down: Shown = { state: 'down' };
const pairs = {
  announce: [up, down],
  drain: [up, up],
  withdraw: [down, down],
  halfDrain: [down, up],
} as const;

function steps(wished: AnnounceState, shown: keyof typeof pairs): readonly string[] {
  const [announce, drain] = pairs[shown];
  const wish = wishOf({ cmi: wished });
  const seen = birdShowing({ announce_cmi_web4: announce, drain_cmi_web4: drain });
  return plan(wish, protocolWishes(nodeWith(['cmi']), wish, []), seen).steps.map(
    ({ command, protocol, purpose }) => `${purpose}: ${command} ${protocol.replace('_cmi_web4', '')}`,
  );
}

const ways: readonly { from: keyof typeof pairs; to: AnnounceState; steps: readonly string[] }[] = [
  { from: 'announce', to: 'announce', steps: [] },
  { from: 'drain', to: 'drain', steps: [] },
  { from: 'withdraw', to: 'withdraw', steps: [] },
  { from: 'announce', to: 'withdraw', steps: ['withdraw: disable announce'] },
  { from: 'drain', to: 'withdraw', steps: ['withdraw: disable announce', 'withdraw: disable drain'] },
  { from: 'announce', to: 'drain', steps: ['drain: enable drain'] },
  { from: 'withdraw', to: 'drain', steps: ['return: enable drain', 'return: enable announce'] },
  { from: 'withdraw', to: 'announce', steps: ['return: enable announce'] },
  { from: 'drain', to: 'announce', steps: ['return: disable drain'] },
  { from: 'halfDrain', to: 'announce', steps: ['return: enable announce', 'return: disable drain'] },
  { from: 'halfDrain', to: 'drain', steps: ['drain: enable announce'] },
  { from: 'halfDrain', to: 'withdraw', steps: ['withdraw: disable drain'] },
];

describe('plan', () => {
  test.each(ways)('from $from to $to', ({ from, to, steps: expected }) => {
    expect(steps(to, from)).toEqual(expected);
  });

  test('announces the better one before anything leaves', () => {
    const wish = wishOf({ cmi: 'withdraw', pccw: 'announce' });
    const seen = birdShowing({
      announce_cmi_web4: up,
      drain_cmi_web4: down,
      announce_pccw_web4: down,
      drain_pccw_web4: down,
    });
    const planned = plan(wish, protocolWishes(nodeWith(['cmi', 'pccw']), wish, []), seen);
    expect(planned.steps.map((step) => step.protocol)).toEqual(['announce_pccw_web4', 'announce_cmi_web4']);
  });

  test('withdraws before an unrelated return', () => {
    const wish: Wish = {
      announcements: [
        ...wishOf({ cmi: 'withdraw' }).announcements,
        ...wishOf({ pccw: 'announce' }).announcements.map((one) => ({ ...one, service: 'dns' })),
      ],
      egress: [],
    };
    const seen = birdShowing({
      announce_cmi_web4: up,
      drain_cmi_web4: down,
      announce_pccw_dns4: down,
      drain_pccw_dns4: down,
    });
    const planned = plan(wish, protocolWishes(nodeWith(['cmi', 'pccw']), wish, []), seen);
    expect(planned.steps.map((step) => step.protocol)).toEqual(['announce_cmi_web4', 'announce_pccw_dns4']);
  });

  test.each(['stop', 'flush'] as const)(
    'leaves a protocol in state %s alone until it is down, since a hand may be on it, and lets nothing else leave its group',
    (state) => {
      const wish = wishOf({ cmi: 'announce', pccw: 'withdraw' });
      const shown = (announce: Shown) =>
        birdShowing({
          announce_cmi_web4: announce,
          drain_cmi_web4: down,
          announce_pccw_web4: up,
          drain_pccw_web4: down,
        });
      const protocols = protocolWishes(nodeWith(['cmi', 'pccw']), wish, []);
      expect(plan(wish, protocols, shown({ state })).steps).toEqual([]);
      expect(
        plan(wish, protocols, shown(down)).steps.map(({ command, protocol }) => `${command} ${protocol}`),
      ).toEqual(['enable announce_cmi_web4', 'disable announce_pccw_web4']);
    },
  );

  test('names what BIRD lacks and plans nothing for it', () => {
    const wish = wishOf({ cmi: 'withdraw' });
    const planned = plan(wish, protocolWishes(nodeWith(['cmi']), wish, []), birdShowing({}));
    expect(planned).toEqual({ steps: [], missing: ['announce_cmi_web4', 'drain_cmi_web4'] });
  });
});

/** The upper rungs of the ladder: operators, maintenance, readiness, the boot, the fleet's consent and the freeze. */
import { describe, test } from 'vitest';
import { millis } from '../../src/types/units.ts';
import {
  both,
  failedAt,
  fleetSays,
  frozen,
  ofService,
  play,
  readiness,
  said,
  type Story,
  well,
  wellAt,
  window,
} from '../support/story.ts';
import { guards } from '../support/world.ts';

const overrides: readonly Story[] = [
  {
    name: 'a selection covers all that it names, and the more specific one wins, whatever their order and age',
    moments: [
      {
        at: 1,
        facts: both,
        more: {
          overrides: [said('withdraw', { uplink: 'cmi' }), said('drain', {}, { at: '2026-11-30T09:00:00Z' })],
        },
        wish: { cmi: 'withdraw', pccw: 'drain' },
      },
    ],
  },
  {
    name: 'of equally specific overrides the newest wins',
    moments: [
      {
        at: 1,
        facts: both,
        more: {
          overrides: [
            said('withdraw', { uplink: 'cmi' }, { at: '2026-11-30T02:00:00Z' }),
            said('drain', { service: 'web' }, { at: '2026-11-30T03:00:00Z' }),
          ],
        },
        wish: { cmi: 'drain', pccw: 'drain' },
      },
    ],
  },
  {
    name: 'a force to announce holds against a failed verdict, and when it ends guard 3 still keeps the last one',
    moments: [
      {
        at: 10,
        facts: { cmi: failedAt(10) },
        more: { overrides: [said('announce', { uplink: 'cmi' })] },
        wish: { cmi: 'announce' },
      },
      { at: 11, facts: { cmi: failedAt(10) }, wish: { cmi: 'announce last-resort' } },
    ],
  },
  {
    name: 'a force to announce that ends leaves a healthy uplink announced, hold or not',
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      {
        at: 105,
        facts: { cmi: wellAt(100), pccw: well },
        more: { overrides: [said('announce', { uplink: 'cmi' })] },
        wish: { cmi: 'announce', pccw: 'announce' },
      },
      { at: 110, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
];

const maintenance: readonly Story[] = [
  {
    name: 'a window drains, withdraws and gives back at once when it ends',
    moments: [
      {
        at: 1,
        facts: both,
        more: { overrides: [window('drain', 'cmi')] },
        wish: { cmi: 'drain', pccw: 'announce' },
      },
      {
        at: 600,
        facts: both,
        more: { overrides: [window('withdraw', 'cmi')] },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      { at: 7800, facts: both, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'of overlapping windows the one that leaves less counts',
    moments: [
      {
        at: 1,
        facts: both,
        more: { overrides: [window('drain', 'cmi'), window('withdraw', 'cmi')] },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'an uplink that fails in a drain window is withdrawn, and the window gives nothing back',
    moments: [
      {
        at: 10,
        facts: { cmi: failedAt(10), pccw: well },
        more: { overrides: [window('drain', 'cmi')] },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
    ],
  },
  {
    name: "an operator's word stands above a window",
    moments: [
      {
        at: 1,
        facts: both,
        more: { overrides: [window('withdraw', 'cmi'), said('announce', { uplink: 'cmi' })] },
        wish: { cmi: 'announce', pccw: 'announce' },
      },
    ],
  },
];

const ready: readonly Story[] = [
  {
    name: 'a service that is not ready is drained on all uplinks where it stands alone, and returns at once',
    moments: [
      { at: 1, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 2, facts: both, more: readiness('not-ready'), wish: { cmi: 'drain', pccw: 'drain' } },
      { at: 3, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'alone: withdraw withdraws it, and repairs nothing while it is not ready',
    always: ofService({ alone: 'withdraw' }),
    moments: [
      { at: 1, facts: both, more: readiness('not-ready'), wish: { cmi: 'withdraw', pccw: 'withdraw' } },
      { at: 2, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'unknown readiness changes nothing, either way',
    moments: [
      { at: 1, facts: both, more: readiness('unknown'), wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 2, facts: both, more: readiness('not-ready'), wish: { cmi: 'drain', pccw: 'drain' } },
      { at: 3, facts: both, more: readiness('unknown'), wish: { cmi: 'drain', pccw: 'drain' } },
    ],
  },
  {
    name: 'with a fleet it is drained first and withdrawn with consent; without an answer it stays drained',
    moments: [
      {
        at: 1,
        facts: both,
        more: { ...readiness('not-ready'), ...fleetSays('silent', null) },
        wish: { cmi: 'drain no-consent', pccw: 'drain no-consent' },
      },
      {
        at: 2,
        facts: both,
        more: { ...readiness('not-ready'), ...fleetSays('given', 1) },
        wish: { cmi: 'withdraw', pccw: 'withdraw' },
      },
    ],
  },
  {
    name: 'what a verdict withdrew does not return, not even drained, before the service is ready',
    moments: [
      {
        at: 1,
        facts: { cmi: failedAt(1), pccw: well },
        more: readiness('ready'),
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      {
        at: 400,
        facts: { cmi: wellAt(100), pccw: well },
        more: readiness('not-ready'),
        wish: { cmi: 'withdraw', pccw: 'drain' },
      },
      {
        at: 401,
        facts: { cmi: wellAt(100), pccw: well },
        more: readiness('ready'),
        wish: { cmi: 'announce', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'after a boot a service with a check comes up withdrawn, until it was ready once',
    always: { booting: true },
    moments: [
      { at: 1, facts: both, more: readiness('unknown'), wish: { cmi: 'withdraw', pccw: 'withdraw' } },
      { at: 2, facts: both, more: readiness('not-ready'), wish: { cmi: 'withdraw', pccw: 'withdraw' } },
      { at: 3, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 4, facts: both, more: readiness('not-ready'), wish: { cmi: 'drain', pccw: 'drain' } },
    ],
  },
  {
    name: 'the boot holds no service without a check',
    always: { booting: true },
    moments: [{ at: 1, facts: both, wish: { cmi: 'announce', pccw: 'announce' } }],
  },
];

const consents: readonly Story[] = [
  {
    name: 'with consent the last one leaves, stays away while others announce, and returns when too few do',
    moments: [
      {
        at: 40,
        facts: { cmi: failedAt(40) },
        more: fleetSays('refused', 0),
        wish: { cmi: 'announce last-resort' },
      },
      { at: 50, facts: { cmi: failedAt(40) }, more: fleetSays('given', 1), wish: { cmi: 'withdraw' } },
      { at: 51, facts: { cmi: failedAt(40) }, more: fleetSays('silent', null), wish: { cmi: 'withdraw' } },
      { at: 52, facts: { cmi: failedAt(40) }, more: fleetSays('refused', 1), wish: { cmi: 'withdraw' } },
      {
        at: 53,
        facts: { cmi: failedAt(40) },
        more: fleetSays('refused', 0),
        wish: { cmi: 'announce last-resort' },
      },
    ],
  },
  {
    name: 'a fleet that is silent is no consent',
    moments: [
      {
        at: 40,
        facts: { cmi: failedAt(40) },
        more: fleetSays('silent', null),
        wish: { cmi: 'announce last-resort' },
      },
    ],
  },
];

const freezes: readonly Story[] = [
  {
    name: 'a freeze in the middle of a fault holds what stands, and thaw acts by the budgets',
    moments: [
      { at: 1, facts: both, wish: { cmi: 'announce', pccw: 'announce' } },
      {
        at: 10,
        facts: { cmi: failedAt(10), pccw: well },
        more: frozen,
        wish: { cmi: 'announce frozen', pccw: 'announce' },
      },
      { at: 11, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
    ],
  },
  {
    name: 'what failed and recovered in a freeze is not touched by the thaw',
    moments: [
      { at: 1, facts: both, wish: { cmi: 'announce', pccw: 'announce' } },
      {
        at: 10,
        facts: { cmi: failedAt(10), pccw: well },
        more: frozen,
        wish: { cmi: 'announce frozen', pccw: 'announce' },
      },
      {
        at: 20,
        facts: { cmi: wellAt(20), pccw: well },
        more: frozen,
        wish: { cmi: 'announce', pccw: 'announce' },
      },
      { at: 21, facts: { cmi: wellAt(20), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'what failed in a freeze and is unknown at the thaw stays as it stood',
    moments: [
      { at: 1, facts: both, wish: { cmi: 'announce', pccw: 'announce' } },
      {
        at: 10,
        facts: { cmi: failedAt(10), pccw: well },
        more: frozen,
        wish: { cmi: 'announce frozen', pccw: 'announce' },
      },
      {
        at: 20,
        facts: { cmi: { health: 'unknown' }, pccw: well },
        wish: { cmi: 'announce', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'operators act in a freeze, and what stood before returns when they end it',
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      {
        at: 20,
        facts: both,
        more: {
          ...frozen,
          overrides: [said('announce', { uplink: 'cmi' }), said('drain', { uplink: 'pccw' })],
        },
        wish: { cmi: 'announce', pccw: 'drain' },
      },
      { at: 30, facts: both, more: frozen, wish: { cmi: 'withdraw frozen', pccw: 'announce' } },
    ],
  },
  {
    name: 'of two that fail in a freeze neither takes the room of the other in max_withdrawals',
    always: {
      guards: { ...guards, keepUplinks: 0, maxWithdrawals: { count: 1, windowMillis: millis(60_000) } },
    },
    moments: [
      { at: 1, facts: both, more: frozen, wish: { cmi: 'announce', pccw: 'announce' } },
      {
        at: 40,
        facts: { cmi: failedAt(10), pccw: failedAt(39) },
        more: frozen,
        wish: { cmi: 'announce frozen', pccw: 'announce frozen' },
      },
      {
        at: 41,
        facts: { cmi: failedAt(10), pccw: failedAt(39) },
        wish: { cmi: 'announce rate', pccw: 'withdraw' },
      },
    ],
  },
  {
    name: 'windows, readiness and repairs wait for the thaw',
    moments: [
      { at: 1, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
      {
        at: 2,
        facts: both,
        more: { ...frozen, ...readiness('not-ready'), overrides: [window('withdraw', 'cmi')] },
        wish: { cmi: 'announce frozen', pccw: 'announce frozen' },
      },
    ],
  },
];

describe('overrides', () => {
  test.each(overrides)('$name', ({ moments, always }) => play(moments, always));
});
describe('maintenance', () => {
  test.each(maintenance)('$name', ({ moments, always }) => play(moments, always));
});
describe('readiness and the boot', () => {
  test.each(ready)('$name', ({ moments, always }) => play(moments, always));
});
describe('consent', () => {
  test.each(consents)('$name', ({ moments, always }) => play(moments, always));
});
describe('freeze', () => {
  test.each(freezes)('$name', ({ moments, always }) => play(moments, always));
});

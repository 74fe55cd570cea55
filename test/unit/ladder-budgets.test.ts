/** Guards with a memory: max_withdrawals, the flap budget and canaries, with what they hold and what they let through. */
import { describe, test } from 'vitest';
import { millis } from '../../src/types/units.ts';
import {
  both,
  failedAt,
  ofService,
  play,
  readiness,
  said,
  slowAt,
  type Story,
  well,
  wellAt,
  withCanary,
} from '../support/story.ts';
import { type Fact, guards } from '../support/world.ts';

const third = (name: string, since: number): Readonly<Record<string, Fact>> => ({
  cmi: well,
  pccw: well,
  hkbn: well,
  [name]: failedAt(since),
});
const cutAt = (since: number): Fact => failedAt(since, { reason: 'link-down' });

const budgets: readonly Story[] = [
  {
    name: 'past max_withdrawals nothing returns until the window has passed; failed ones leave all the same',
    moments: [
      { at: 10, facts: third('cmi', 10), wish: { cmi: 'withdraw', pccw: 'announce', hkbn: 'announce' } },
      {
        at: 40,
        facts: { ...third('pccw', 40), cmi: wellAt(30) },
        wish: { cmi: 'withdraw hold', pccw: 'withdraw', hkbn: 'announce' },
      },
      {
        at: 95,
        facts: { cmi: wellAt(30), pccw: failedAt(40), hkbn: well },
        wish: { cmi: 'withdraw rate', pccw: 'withdraw', hkbn: 'announce' },
      },
      {
        at: 909,
        facts: { cmi: wellAt(30), pccw: failedAt(40), hkbn: well },
        wish: { cmi: 'withdraw rate', pccw: 'withdraw', hkbn: 'announce' },
      },
      {
        at: 910,
        facts: { cmi: wellAt(30), pccw: failedAt(40), hkbn: well },
        wish: { cmi: 'announce', pccw: 'withdraw', hkbn: 'announce' },
      },
    ],
    always: { guards: { ...guards, maxWithdrawals: { count: 2, windowMillis: millis(900_000) } } },
  },
  {
    name: 'past max_withdrawals a withdrawal with no good one announced is held, the worst go first',
    always: { guards: { ...guards, maxWithdrawals: { count: 1, windowMillis: millis(900_000) } } },
    moments: [
      {
        at: 100,
        facts: {
          cmi: failedAt(10, { loss: 0.9 }),
          pccw: failedAt(40, { loss: 0.5 }),
          hkbn: failedAt(70, { loss: 0.1 }),
        },
        wish: { cmi: 'withdraw', pccw: 'announce rate', hkbn: 'announce last-resort' },
      },
      {
        at: 1000,
        facts: {
          cmi: failedAt(10, { loss: 0.9 }),
          pccw: failedAt(40, { loss: 0.5 }),
          hkbn: failedAt(70, { loss: 0.1 }),
        },
        wish: { cmi: 'withdraw', pccw: 'withdraw', hkbn: 'announce last-resort' },
      },
    ],
  },
  {
    name: 'max_withdrawals does not hold the end of a drain, but it does hold the end of a canary',
    always: {
      ...withCanary,
      guards: { ...guards, maxWithdrawals: { count: 1, windowMillis: millis(900_000) } },
    },
    moments: [
      {
        at: 1,
        facts: { cmi: failedAt(1), pccw: slowAt(1), hkbn: well },
        wish: { cmi: 'withdraw', pccw: 'drain', hkbn: 'announce' },
      },
      {
        at: 100,
        facts: { cmi: wellAt(30), pccw: wellAt(30), hkbn: well },
        wish: { cmi: 'withdraw rate', pccw: 'announce', hkbn: 'announce' },
      },
      {
        at: 1000,
        facts: { cmi: wellAt(30), pccw: well, hkbn: well },
        wish: { cmi: 'drain canary', pccw: 'announce', hkbn: 'announce' },
      },
      {
        at: 1010,
        facts: { cmi: wellAt(30), pccw: failedAt(1010), hkbn: well },
        wish: { cmi: 'drain canary', pccw: 'withdraw', hkbn: 'announce' },
      },
      {
        at: 1070,
        facts: { cmi: wellAt(30), pccw: failedAt(1010), hkbn: well },
        wish: { cmi: 'drain rate', pccw: 'withdraw', hkbn: 'announce' },
      },
    ],
  },
  {
    name: 'what leaves because an override ended is no uplink event',
    always: {
      guards: {
        ...guards,
        flapBudget: 'rfc7196',
        maxWithdrawals: { count: 2, windowMillis: millis(900_000) },
      },
    },
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      {
        at: 105,
        facts: { cmi: { health: 'unknown' }, pccw: well },
        more: { overrides: [said('announce', { uplink: 'cmi' })] },
        wish: { cmi: 'announce', pccw: 'announce' },
      },
      {
        at: 110,
        facts: { cmi: { health: 'unknown' }, pccw: well },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      { at: 160, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'links and sessions that are down spend nothing of max_withdrawals',
    always: { guards: { ...guards, maxWithdrawals: { count: 1, windowMillis: millis(900_000) } } },
    moments: [
      {
        at: 10,
        facts: { cmi: failedAt(10, { reason: 'link-down' }), pccw: well },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      { at: 200, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'a second flap waits for the flap budget, and is then announced',
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 160, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 170, facts: { cmi: failedAt(170), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 400, facts: { cmi: wellAt(250), pccw: well }, wish: { cmi: 'withdraw flap', pccw: 'announce' } },
      // 1000 × 2^(-160 s / 15 min) + 1000 = 1884 falls to 1000 in 13:43.
      { at: 990, facts: { cmi: wellAt(250), pccw: well }, wish: { cmi: 'withdraw flap', pccw: 'announce' } },
      { at: 994, facts: { cmi: wellAt(250), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'links that are down spend nothing of the flap budget',
    moments: [
      { at: 10, facts: { cmi: cutAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 160, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 170, facts: { cmi: cutAt(170), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 400, facts: { cmi: wellAt(250), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'a drain that does not fit the flap budget is not made',
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 160, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 200, facts: { cmi: slowAt(200), pccw: well }, wish: { cmi: 'announce flap', pccw: 'announce' } },
      { at: 915, facts: { cmi: slowAt(200), pccw: well }, wish: { cmi: 'drain', pccw: 'announce' } },
    ],
  },
  {
    name: 'a return is a canary where the budget has room: drained for recovery.clean, then announced',
    always: withCanary,
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 1200, facts: { cmi: wellAt(1000), pccw: well }, wish: { cmi: 'drain canary', pccw: 'announce' } },
      { at: 1259, facts: { cmi: wellAt(1000), pccw: well }, wish: { cmi: 'drain canary', pccw: 'announce' } },
      { at: 1260, facts: { cmi: wellAt(1000), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'a canary is skipped where the whole cycle does not fit the flap budget',
    always: withCanary,
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 200, facts: { cmi: wellAt(100), pccw: well }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
  {
    name: 'a canary that fails is withdrawn at once, and one that is unknown stays drained',
    always: withCanary,
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 1200, facts: { cmi: wellAt(1000), pccw: well }, wish: { cmi: 'drain canary', pccw: 'announce' } },
      {
        at: 1210,
        facts: { cmi: { health: 'unknown' }, pccw: well },
        wish: { cmi: 'drain', pccw: 'announce' },
      },
      { at: 1220, facts: { cmi: wellAt(1000), pccw: well }, wish: { cmi: 'drain canary', pccw: 'announce' } },
      { at: 1230, facts: { cmi: failedAt(1230), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
    ],
  },
  {
    name: 'hold, canary and budgets delay no repair',
    always: withCanary,
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: well }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      {
        at: 40,
        facts: { cmi: wellAt(35), pccw: failedAt(40) },
        wish: { cmi: 'announce', pccw: 'announce last-resort' },
      },
      { at: 41, facts: { cmi: wellAt(35), pccw: failedAt(40) }, wish: { cmi: 'announce', pccw: 'withdraw' } },
    ],
  },
  {
    name: 'a ready service is announced on its best uplink, though the flap budget of all is spent',
    always: ofService({ alone: 'withdraw' }),
    moments: [
      { at: 1, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 2, facts: both, more: readiness('not-ready'), wish: { cmi: 'withdraw', pccw: 'withdraw' } },
      { at: 3, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 4, facts: both, more: readiness('not-ready'), wish: { cmi: 'withdraw', pccw: 'withdraw' } },
      { at: 5, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'withdraw flap' } },
      // What the budget withholds is announced to nobody: the failed one waits for the better one, and that for nothing.
      {
        at: 30,
        facts: { cmi: failedAt(30), pccw: well },
        more: readiness('ready'),
        wish: { cmi: 'announce last-resort', pccw: 'announce' },
      },
      {
        at: 31,
        facts: { cmi: failedAt(30), pccw: well },
        more: readiness('ready'),
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'a service that flaps is left drained by the flap budget until there is room',
    moments: [
      { at: 1, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 2, facts: both, more: readiness('not-ready'), wish: { cmi: 'drain', pccw: 'drain' } },
      { at: 3, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 4, facts: both, more: readiness('not-ready'), wish: { cmi: 'drain', pccw: 'drain' } },
      { at: 5, facts: both, more: readiness('ready'), wish: { cmi: 'drain flap', pccw: 'drain flap' } },
      { at: 2000, facts: both, more: readiness('ready'), wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
];

describe('budgets and canaries', () => {
  test.each(budgets)('$name', ({ moments, always }) => play(moments, always));
});

/** What the budgets make of returns, as the carriers hear it: a canary, and a carrier that flaps once too often. */
import { blackHole } from '../faults/packet-filter.ts';
import { announced, gone, heard, quiet, sessionsLived, untouched } from './expect.ts';
import { healthyAgain, statusSays } from './expect-node.ts';
import type { Scenario } from './stage.ts';

const hole = blackHole({ carrier: 'cmi' });

export const budgetScenarios: readonly Scenario[] = [
  {
    name: 'canary',
    summary: 'a carrier that recovers gets the prefixes drained first, and fully when it has measured clean',
    node: { patience: '2s', canary: true },
    async run(stage) {
      await stage.hit(hole);
      await gone(stage, 'cmi');
      await stage.mend(hole);
      // The canary of a family may be over before the other's begins, so what was heard says it, not what is held.
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['withdraw', 'drain', 'announce']);
      await healthyAgain(stage);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'flap-budget',
    summary: 'the second flap leaves at once, but does not return before a carrier that damps has forgotten',
    node: { patience: '2s', flapBudget: 'cisco' },
    async run(stage) {
      await stage.hit(hole);
      await gone(stage, 'cmi');
      await stage.mend(hole);
      await announced(stage, 'cmi');
      await stage.hit(hole);
      await gone(stage, 'cmi');
      await stage.mend(hole);
      await statusSays(
        stage,
        'cmi held by flap, for minutes',
        ({ uplinks }) =>
          uplinks.find(({ uplink }) => uplink === 'cmi')?.families['4']?.announcements[0]?.held?.guard ===
          'flap',
        30_000,
      );
      await quiet(stage, 3000);
      heard(stage, 'cmi', ['withdraw', 'announce', 'withdraw']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
];

/** Several uplinks fail: what must stay announced, and in which order things move. */
import { together } from '../faults/fault.ts';
import { blackHole, loss } from '../faults/packet-filter.ts';
import { carrierNames } from '../network/names.ts';
import { families } from '../../src/types/units.ts';
import { announced, gone, heard, quiet, sessionsLived, Unexpected, untouched } from './expect.ts';
import { healthyAgain, statusSays } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

export const guardScenarios: readonly Scenario[] = [
  {
    name: 'all-fail-together',
    summary: 'all three fail at once: all stay announced, held: all-bad, with an alarm',
    async run(stage) {
      const fault = together(
        'black hole behind all three carriers',
        carrierNames.map((carrier) => blackHole({ carrier })),
      );
      await stage.hit(fault);
      await statusSays(stage, 'alarm all-bad', ({ alarms }) => alarms.some(({ code }) => code === 'all-bad'));
      await quiet(stage, 8000);
      await statusSays(stage, 'all held', ({ uplinks }) =>
        uplinks.every(({ families: f }) =>
          f['4']?.announcements.every(({ held }) => held?.guard === 'all-bad'),
        ),
      );
      await stage.mend(fault);
      await healthyAgain(stage);
      await untouched(stage, ...carrierNames);
    },
  },
  {
    name: 'one-after-another',
    summary: 'they fail further apart than guards.together: two leave, the last stays, last-resort',
    node: { patience: '2s', together: '1s' },
    async run(stage) {
      await failInTurn(stage);
      await quiet(stage, 4000);
      heard(stage, 'hkbn', []);
      // The last one recovers first; else the design lets it leave for the first that does.
      await stage.mend(loss({ carrier: 'hkbn' }, 60));
      await statusSays(
        stage,
        'hkbn healthy again',
        ({ uplinks }) =>
          uplinks.some(
            ({ uplink, families: f }) =>
              uplink === 'hkbn' && [f['4'], f['6']].every((one) => one?.health === 'healthy'),
          ),
        40_000,
      );
      await stage.mend(
        together('cmi and pccw', [blackHole({ carrier: 'cmi' }), blackHole({ carrier: 'pccw' })]),
      );
      await announced(stage, 'cmi');
      await announced(stage, 'pccw');
      await healthyAgain(stage);
      await sessionsLived(stage);
      heard(stage, 'cmi', ['withdraw', 'announce']);
      heard(stage, 'pccw', ['withdraw', 'announce']);
      await untouched(stage, 'hkbn');
    },
  },
  {
    name: 'better-one-first',
    summary: 'the first recovers while only a dead last one is left: it is announced before the last leaves',
    // A hold far longer than the scenario: the repair must not wait for it.
    node: { patience: '2s', together: '1s', recovery: { clean: '3s', hold: '60s' } },
    async run(stage) {
      await failInTurn(stage);
      await stage.mend(blackHole({ carrier: 'cmi' }));
      await alwaysOneIsLeft(stage, () => gone(stage, 'hkbn'));
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['withdraw', 'announce']);
      heard(stage, 'hkbn', ['withdraw']);
      for (const family of families) {
        const events = stage.timeline.wire().filter((event) => event.family === family);
        const back = events.find((event) => event.carrier === 'cmi' && event.kind === 'announced');
        const left = events.find((event) => event.carrier === 'hkbn' && event.kind === 'withdrawn');
        if (back === undefined || left === undefined || back.at > left.at) {
          throw new Unexpected(`IPv${family}: hkbn left before cmi was announced`);
        }
      }
      await sessionsLived(stage);
    },
  },
];

/** CMI dies, then PCCW, each a while after the other; then HKBN loses most packets and is kept all the same. */
async function failInTurn(stage: Stage): Promise<void> {
  await stage.hit(blackHole({ carrier: 'cmi' }));
  await gone(stage, 'cmi');
  await stage.hit(blackHole({ carrier: 'pccw' }));
  await gone(stage, 'pccw');
  await stage.hit(loss({ carrier: 'hkbn' }, 60));
  await statusSays(stage, 'last-resort on hkbn', ({ uplinks }) =>
    uplinks.some(
      ({ uplink, families: f }) =>
        uplink === 'hkbn' &&
        [f['4'], f['6']].every((one) =>
          one?.announcements.every(({ held }) => held?.guard === 'last-resort'),
        ),
    ),
  );
}

/** While something goes on, at every look at least one carrier holds each family. */
async function alwaysOneIsLeft(stage: Stage, action: () => Promise<void>): Promise<void> {
  const done = new AbortController();
  const watching = (async () => {
    while (!done.signal.aborted) {
      const views = await stage.lab.observer.views();
      for (const family of families) {
        if (carrierNames.every((name) => views[name].routes[family] === null)) {
          throw new Unexpected(`no carrier holds the IPv${family} route`);
        }
      }
    }
  })();
  const acting = action().finally(() => {
    done.abort();
  });
  await Promise.all([watching, acting]);
}

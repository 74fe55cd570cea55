/** Safe apply on a modelled BIRD and disk: death, foreign `configure`, BIRD's timer and a full disk at every step. */
import { describe, expect, test } from 'vitest';
import { recover } from '../../bird/apply/put-back.ts';
import { applyBase } from '../../bird/apply/sequence.ts';
import { readStates, restate, sameBase } from '../../bird/file-states.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { nodeWith } from '../support/node-config.ts';
import {
  Died,
  goBack,
  load,
  type Outside,
  outsideWith,
  restart,
  upIn,
  withdraw,
  worldOf,
} from '../support/apply-model.ts';

const config = nodeWith(['cmi', 'pccw']);
const plain = renderConfig(config, new Map());
const changed = { ...config, uplinks: config.uplinks.map((uplink) => ({ ...uplink, med: uplink.med + 1 })) };
const next = (states: ReadonlyMap<string, { disabled: boolean; description: string }>): string =>
  renderConfig(changed, states);
const request = { dryRun: false, yesReset: false, yesWithdraw: false };
const cmi = ['announce_cmi_web4', 'drain_cmi_web4'];
const pccw = ['announce_pccw_web4', 'drain_pccw_web4'];
const down = (text: string, names: readonly string[]): string =>
  restate(text, new Map(names.map((name) => [name, { disabled: true, description: 'withdrawn: loss' }])));

/** cmi was withdrawn while BIRD ran: by command and in the file, so the text that BIRD parsed still announces it. */
function withdrawnWhileRunning(): Outside {
  const outside = outsideWith(plain, cmi);
  outside.file = down(plain, cmi);
  return outside;
}

async function steps(): Promise<number> {
  let last = 0;
  const play = { next, readBack: () => [], at: (count: number) => void (last = count) };
  await applyBase(worldOf(withdrawnWhileRunning(), play), request, () => undefined);
  return last;
}
const stepCount = await steps();

const meanwhile = {
  nothing: () => undefined,
  'BIRD’s timer expires': (outside: Outside) => outside.timer && goBack(outside),
  'BIRD restarts': restart,
  'somebody gives configure': (outside: Outside) => load(outside, false),
} as const;

function expectBack(outside: Outside): void {
  expect(outside.applying).toBeNull();
  expect(outside.timer).toBe(false);
  expect(outside.running).toBe(outside.file);
  expect(readStates(outside.file).get('announce_cmi_web4')?.disabled).toBe(true);
  expect([...upIn(outside)]).not.toContain('announce_cmi_web4');
  for (const up of outside.history) expect([...up]).not.toContain('announce_cmi_web4');
}

test('an apply that goes well ends with the new base, confirmed, in the present wish', async () => {
  const outside = withdrawnWhileRunning();
  const said: string[] = [];
  const play = { next, readBack: () => [], at: () => undefined };
  const result = await applyBase(worldOf(outside, play), request, ({ step }) => said.push(step));
  expect(result).toMatchObject({ kind: 'applied', by: 'causeway' });
  expect(said).toEqual([
    'render',
    'check',
    'rehearse',
    'baseline',
    'swap',
    'configure',
    'read-back',
    'confirm',
  ]);
  expect(sameBase(outside.file, next(new Map()))).toBe(true);
  expect(outside.confirmed).toBe(outside.file);
  expectBack(outside);
});

test('nothing changed means nothing applied', async () => {
  const outside = withdrawnWhileRunning();
  const play = {
    next: (states: Parameters<typeof next>[0]) => renderConfig(config, states),
    readBack: () => [],
    at: () => undefined,
  };
  expect(await applyBase(worldOf(outside, play), request, () => undefined)).toEqual({ kind: 'nothing' });
  expect(outside.history).toEqual([]);
});

test('an apply whose read-back fails goes back, and revives nothing', async () => {
  const outside = withdrawnWhileRunning();
  const play = { next, readBack: () => ['bgp_pccw4 is not up again (Active)'], at: () => undefined };
  const result = await applyBase(worldOf(outside, play), request, () => undefined);
  expect(result).toMatchObject({ kind: 'undone', problems: ['bgp_pccw4 is not up again (Active)'] });
  expect(sameBase(outside.file, plain)).toBe(true);
  expectBack(outside);
});

test('a change of the wish inside the window ends it, and what it withdrew does not come back', async () => {
  const outside = withdrawnWhileRunning();
  let isHurried = false;
  const readBack = () => {
    withdraw(outside, pccw);
    outside.switchedDown = new Set([...outside.switchedDown, ...pccw]);
    isHurried = true;
    return ['bgp_pccw4 is not up again (Active)'];
  };
  const play = { next, readBack, at: () => undefined, isHurried: () => isHurried };
  expect(await applyBase(worldOf(outside, play), request, () => undefined)).toMatchObject({ kind: 'undone' });
  expectBack(outside);
  const afterIt = outside.history.slice(2);
  expect(afterIt.length).toBeGreaterThan(0);
  for (const up of afterIt) expect([...up]).not.toContain('announce_pccw_web4');
});

test('a foreign configure inside the window is told as the one that confirmed', async () => {
  const outside = withdrawnWhileRunning();
  const readBack = () => {
    load(outside, false);
    return [];
  };
  const result = await applyBase(
    worldOf(outside, { next, readBack, at: () => undefined }),
    request,
    () => undefined,
  );
  expect(result).toMatchObject({ kind: 'applied', by: 'foreign' });
  expectBack(outside);
});

test('a timer that expired before the confirm is no success', async () => {
  const outside = withdrawnWhileRunning();
  const readBack = () => {
    goBack(outside);
    return [];
  };
  const result = await applyBase(
    worldOf(outside, { next, readBack, at: () => undefined }),
    request,
    () => undefined,
  );
  expect(result).toMatchObject({ kind: 'undone' });
  expect(sameBase(outside.file, plain)).toBe(true);
  expectBack(outside);
});

test('another pending configure timeout is left alone', async () => {
  const outside = withdrawnWhileRunning();
  load(outside, true);
  const result = await applyBase(
    worldOf(outside, { next, readBack: () => [], at: () => undefined }),
    request,
    () => undefined,
  );
  expect(result).toMatchObject({ kind: 'refused', step: 'baseline' });
  expect(outside.timer).toBe(true);
});

const moments = Array.from({ length: stepCount }, (_, index) => index + 1);

describe.each(Object.entries(meanwhile))('while the daemon is dead, %s:', (_what, happens) => {
  test.each([true, false])(
    'death at any step is put right by the next start, and never announces more than the wish (read-back fails: %s)',
    async (fails) => {
      for (const at of moments) {
        const outside = withdrawnWhileRunning();
        const die = (count: number): void => {
          if (count === at) throw new Died('kill -9');
        };
        const play = { next, readBack: () => (fails ? ['not up'] : []), at: die };
        await applyBase(worldOf(outside, play), request, () => undefined);
        happens(outside);
        const recovery = await recover(worldOf(outside, { ...play, at: () => undefined }));
        expect(recovery.kind).not.toBe('stuck');
        expect([plain, next(new Map())].some((base) => sameBase(base, outside.file))).toBe(true);
        if (outside.running !== outside.file) {
          // No apply had begun: BIRD parsed an older wish, and the commands hold down what it lacks.
          expect(sameBase(outside.running, outside.file)).toBe(true);
          load(outside, false);
        }
        expectBack(outside);
      }
    },
  );
});

test.each([true, false])(
  'a disk that fills up at any step leaves one whole base in the file and in BIRD (read-back fails: %s)',
  async (fails) => {
    for (const at of moments) {
      const outside = withdrawnWhileRunning();
      const fill = (count: number): void => {
        if (count === at) outside.full = true;
      };
      const play = { next, readBack: () => (fails ? ['not up'] : []), at: fill };
      const result = await applyBase(worldOf(outside, play), request, () => undefined);
      if (result.kind === 'refused')
        expect([outside.file, outside.running].every((text) => sameBase(text, plain))).toBe(true);
      outside.full = false;
      const recovery = await recover(worldOf(outside, { ...play, at: () => undefined }));
      expect(recovery.kind).not.toBe('stuck');
      expect(sameBase(outside.running, outside.file)).toBe(true);
      expect(outside.applying).toBeNull();
      for (const up of outside.history) expect([...up]).not.toContain('announce_cmi_web4');
    }
  },
);

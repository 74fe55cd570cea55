/** Which goes first, the file or the command, and what a start makes of a command that came before its file. */
import { describe, expect, test } from 'vitest';
import type { FileState } from '../../bird/file-states.ts';
import type { BirdClient } from '../../bird/client.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import type { Step, StepPurpose } from '../../src/core/plan/plan.ts';
import { act } from '../../src/daemon/act.ts';
import { adoptSeen } from '../../src/daemon/adopt-seen.ts';
import type { FileOutcome } from '../../src/daemon/file-keeper.ts';
import { birdShowing, type Shown } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';

const step = (purpose: StepPurpose, protocol: string): Step => ({
  command: purpose === 'return' ? 'enable' : 'disable',
  protocol,
  message: 'loss',
  purpose,
  group: 'web4',
});

/** One act; in the order in which things happened. The disk ends only when `until` has happened. */
async function happens(steps: readonly Step[], until: string | null): Promise<readonly string[]> {
  const happened: string[] = [];
  const waiting: (() => void)[] = [];
  const note = (what: string): void => {
    happened.push(what);
    if (what === until) for (const go of waiting) go();
  };
  const client: BirdClient = {
    version: '2.0.12',
    close: () => undefined,
    command: async (text) => {
      const [verb = '', protocol = ''] = text.split(' ');
      note(`${verb} ${protocol}`);
      const [code, word] = verb === 'enable' ? ['0011', 'enabled'] : ['0009', 'disabled'];
      return { code: '0000', lines: [{ code, text: `${protocol}: ${word}` }] };
    },
  };
  const hold = async (): Promise<FileOutcome> => {
    if (until !== null) await new Promise<void>((resolve) => void waiting.push(resolve));
    note('file');
    return { kind: 'as-wished' };
  };
  await act(
    {
      config: { mode: 'live' },
      client,
      file: { hold },
      narrator: { file: () => undefined, steps: () => undefined },
      wallTime: () => '',
    },
    { steps, missing: [] },
    new Map(),
  );
  return happened;
}

describe('a tick', () => {
  const leaving = [
    step('avoid', 'learn_cmi4'),
    step('withdraw', 'announce_cmi_web4'),
    step('drain', 'drain_pccw_web4'),
  ];

  test('sends what takes away while the disk still writes', async () => {
    expect(await happens(leaving, 'disable drain_pccw_web4')).toEqual([
      'disable learn_cmi4',
      'disable announce_cmi_web4',
      'disable drain_pccw_web4',
      'file',
    ]);
  });

  test('sends a return after its file, and what leaves beside it after the return', async () => {
    const steps = [step('return', 'announce_hkbn_web4'), ...leaving];
    expect(await happens(steps, null)).toEqual([
      'file',
      'enable announce_hkbn_web4',
      'disable learn_cmi4',
      'disable announce_cmi_web4',
      'disable drain_pccw_web4',
    ]);
  });
});

describe('a start after a death between the command and the file', () => {
  const config = nodeWith(['cmi']);
  const up: FileState = { disabled: false, description: 'announced: healthy' };
  const down: FileState = { disabled: true, description: 'not drained' };
  const gone: FileState = { disabled: true, description: 'withdrawn: loss 90 %' };
  const file = (announce: FileState, drain: FileState): ReadonlyMap<string, FileState> =>
    new Map([
      ['announce_cmi_web4', announce],
      ['drain_cmi_web4', drain],
    ]);
  const standing = (announce: Shown, drain: Shown, states = file(up, down)) =>
    adoptSeen(
      config,
      states,
      birdShowing({ announce_cmi_web4: announce, drain_cmi_web4: drain }),
      emptyDecideMemory,
    )?.standing['cmi_web4'];
  const ours = (text: string): Shown => ({ state: 'down', message: `causeway: ${text}` });

  test('a withdrawal that BIRD shows stands, and only a verdict returns it', () => {
    expect(standing(ours('loss 90 %'), { state: 'down' })).toEqual({
      state: 'withdraw',
      reason: 'as-found',
      text: 'loss 90 %',
      byVerdict: true,
    });
  });

  test('a drain that BIRD shows stands', () => {
    const drained: Shown = { state: 'up', message: 'causeway: slow' };
    expect(standing({ state: 'up' }, drained)).toMatchObject({ state: 'drain', byVerdict: true });
  });

  test('an operator’s word returns without a hold', () => {
    expect(standing(ours('withdraw by kim: ticket 42'), { state: 'down' })).toMatchObject({
      state: 'withdraw',
      byVerdict: false,
    });
  });

  test.each<[string, Shown, Shown, ReadonlyMap<string, FileState>]>([
    ['BIRD and the file agree', { state: 'up' }, { state: 'down' }, file(up, down)],
    ['the file has it withdrawn too', ours('loss'), ours('loss'), file(gone, gone)],
    ['a hand took it down', { state: 'down', message: 'ticket 42' }, { state: 'down' }, file(up, down)],
    ['nobody said why it is down', { state: 'down' }, { state: 'down' }, file(up, down)],
    [
      'the drain was taken up by a hand',
      { state: 'up' },
      { state: 'up', message: 'ticket 42' },
      file(up, down),
    ],
    ['the file knows neither', ours('loss'), { state: 'down' }, new Map()],
  ])('nothing is taken from BIRD where %s', (_why, announce, drain, states) => {
    expect(standing(announce, drain, states)).toBeUndefined();
  });
});

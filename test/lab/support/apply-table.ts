/** One row of the table of changes: said by `causeway diff`, done by `causeway apply`, measured at the carriers. */
import { expect } from 'vitest';
import { waitUntil } from '../../../lab/network/wait.ts';
import { type Lab, sessionsUp } from '../../../lab/node/lab.ts';
import {
  askApply,
  editConfig,
  expectOneBase,
  expectQuiet,
  measure,
  measuredEffects,
  predictedEffects,
} from './apply-lab.ts';
import type { Change } from './apply-changes.ts';

export async function playChange(lab: Lab, change: Change): Promise<void> {
  const { network } = lab;
  if (change.first !== undefined) {
    await change.first(network);
    await waitUntil('the sessions to be as before', () => sessionsUp(lab.observer), {
      timeoutMillis: 60_000,
    });
  }
  editConfig(network, (document) => change.edit(document, network));
  const said = await askApply(network, ['diff']);
  const before = await measure(lab);
  await change.carrier?.(network);
  const done = await askApply(network, ['apply', '--yes-reset', '--yes-withdraw']);
  if (said.kind === 'nothing') expect(done).toEqual(said);
  if (said.kind !== 'differs' || done.kind !== 'applied') {
    expect([said.kind, done]).toEqual(['nothing', { kind: 'nothing' }]);
    expect(change.sessions).toEqual([]);
    expect(measuredEffects(before, await measure(lab))).toEqual([]);
    return;
  }
  expect(done.diff).toEqual(said.diff);
  const predicted = predictedEffects(said.diff);
  expect(predicted.filter((one) => /^bgp_\w+ (?:reset|added|removed)$/.test(one))).toEqual(
    change.sessions.toSorted(),
  );
  await waitUntil(
    `the carriers to see: ${predicted.join(', ') || 'nothing'}`,
    async () => {
      const effects = measuredEffects(before, await measure(lab));
      if (effects.join('\n') === predicted.join('\n')) return true;
      throw new Error(effects.join(', ') || 'nothing');
    },
    { timeoutMillis: 30_000, everyMillis: 100 },
  );
  expectQuiet(said.diff, before, await measure(lab));
  await expectOneBase(network);
}

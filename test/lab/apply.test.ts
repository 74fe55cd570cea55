/** Safe apply in the lab: what is said before is what the carriers then see; what does not come up is undone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followWire } from '../../lab/carrier/wire-log.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird } from '../../lab/node/bird.ts';
import { type Lab, startLab } from '../../lab/node/lab.ts';
import { readStatus } from '../../lab/node/program.ts';
import {
  askApply,
  editConfig,
  expectOneBase,
  measure,
  measuredEffects,
  uplinkIn,
} from './support/apply-lab.ts';
import { changesNamed } from './support/apply-changes.ts';
import { expectRight, killStorm, toggle } from './support/apply-kills.ts';
import { playChange } from './support/apply-table.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab(freshLabId());
});
afterAll(() => lab?.remove());

describe('the effect that is said before is the one that the carriers see:', () => {
  test.each(changesNamed(['MED', 'prefix added', 'hold time', 'uplink removed']))('$name', (change) =>
    playChange(lab, change),
  );
});

test('the daemon runs with the applied config: an uplink that is gone is probed no more', async () => {
  const status = await readStatus(lab.network);
  expect(status?.uplinks.map(({ uplink }) => uplink)).toEqual(['cmi', 'hkbn']);
});

test('without the consent that it needs nothing is changed', async () => {
  const { network } = lab;
  const before = await measure(lab);
  editConfig(network, (document) => void document.services['web']?.prefixes.splice(0, 1));
  expect(await askApply(network, ['apply'])).toMatchObject({
    kind: 'needs-consent',
    lacking: { withdraw: true, reset: false },
  });
  editConfig(network, (document) => void document.services['web']?.prefixes.unshift('203.0.113.0/24'));
  expect(measuredEffects(before, await measure(lab))).toEqual([]);
});

test('a withdrawal inside an open window ends it, and going back revives nothing', async () => {
  const { network, observer } = lab;
  const wire = followWire(network);
  try {
    const file = join(network.folder, 'wrong.key');
    writeFileSync(file, 'the-carrier-has-none\n');
    editConfig(network, (document) => {
      uplinkIn(document, 'hkbn').peer['password_file'] = file;
    });
    const applied = askApply(network, ['apply', '--yes-reset']);
    await waitUntil('a window that waits for hkbn', async () => {
      const status = await askNodeBird(network, 'configure status');
      return status.some((line) => line.includes('unconfirmed'));
    });
    await toggle(network);
    await waitUntil('cmi to lose the routes', async () => {
      const { routes } = await observer.view('cmi');
      return routes[4] === null && routes[6] === null;
    });
    const result = await applied;
    expect(result.kind).toBe('undone');
    expect(result.kind === 'undone' && result.problems.join()).toMatch(
      /bgp_hkbn4 .*the wish changed meanwhile/,
    );
    await waitUntil('hkbn to be back', async () => (await observer.view('hkbn')).sessions[4].established, {
      timeoutMillis: 60_000,
    });
    const atCmi = wire.events().filter(({ carrier, kind }) => carrier === 'cmi' && kind !== 'withdrawn');
    expect(atCmi).toEqual([]);
    expect(await expectOneBase(network)).not.toContain('the-carrier-has-none');
    editConfig(network, (document) => {
      delete uplinkIn(document, 'hkbn').peer['password_file'];
    });
    await toggle(network);
    await expectRight(lab);
  } finally {
    wire.stop();
  }
});

test('kill -9 of the daemon at random moments of apply and of withdraw leaves one base and the wish', async () => {
  await killStorm(lab, { kills: 6, seed: 20261130 });
  await expectOneBase(lab.network);
});

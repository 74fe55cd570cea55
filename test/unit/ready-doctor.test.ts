/** Readiness in `causeway doctor`. */
import { expect, test } from 'vitest';
import { examine, isSound } from '../../src/host/doctor.ts';
import { readyDoctorChecks } from '../../src/host/ready/doctor.ts';
import type { ReadyProbe } from '../../src/types/ready-check.ts';
import { millis } from '../../src/types/units.ts';
import { nodeWith } from '../support/node-config.ts';
import { web } from '../support/world.ts';

const pace = { intervalMillis: millis(1000), timeoutMillis: millis(10_000), rise: 2, fall: 3 };

function examineWith(probes: readonly ReadyProbe[], onBoot: 'as-left' | 'hold' = 'as-left') {
  const ready = probes.map((probe) => ({ probe, ...pace }));
  return examine(readyDoctorChecks({ ...nodeWith(['cmi']), onBoot, services: [{ ...web, ready }] }), null);
}

test('a check that passes is well, one that fails is a warning', async () => {
  const found = await examineWith([
    { kind: 'file', path: '/etc/hosts' },
    { kind: 'file', path: '/etc/hosts/below' },
  ]);
  expect(found.map(({ id, finding }) => [id, finding.kind])).toEqual([
    ['ready.web.1', 'ok'],
    ['ready.web.2', 'warning'],
  ]);
  expect(isSound(found)).toBe(true);
});

test('a check that cannot run is wrong, since the service would stay as it is for ever', async () => {
  const [found] = await examineWith([{ kind: 'file', path: `/${'x'.repeat(300)}` }]);
  expect(found?.finding).toMatchObject({ kind: 'wrong', what: expect.stringContaining('ENAMETOOLONG') });
});

test('on_boot: hold without its unit is a warning; without a check there is nothing to say', async () => {
  const found = await examineWith([{ kind: 'file', path: '/etc/hosts' }], 'hold');
  expect(found.map(({ id }) => id)).toEqual(['ready.web.1', 'boot-unit']);
  expect(['ok', 'warning']).toContain(found[1]?.finding.kind);
  expect(await examineWith([], 'hold')).toEqual([]);
});

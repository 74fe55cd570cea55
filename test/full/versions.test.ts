/** Every supported BIRD that can be had: the golden configs are accepted, and the main scenarios go as they should. */
import { readdirSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { birdVersions } from '../../lab/bird-versions.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { type Lab, startLab, waitHealthy } from '../../lab/node/lab.ts';
import { scenarioNamed } from '../../lab/scenarios/list.ts';
import { play, reportText } from '../../lab/scenarios/play.ts';

/** TCP-AO is not in every version; `test/golden` tells them apart. */
const goldens = readdirSync('test/golden')
  .filter((name) => name.endsWith('.conf') && name !== 'tcp-ao.conf')
  .map((name) => `test/golden/${name}`);
const names = [
  'black-hole',
  'delay-400',
  'drain-and-withdraw',
  'foreign-configure',
  'hand-on-both',
  'hands-while-drained',
];

test('there are golden configs, and more than one BIRD', () => {
  expect(goldens.length).toBeGreaterThan(2);
  expect(birdVersions().length).toBeGreaterThan(1);
});

describe.each(birdVersions())('BIRD $version', ({ bird }) => {
  test.each(goldens)('accepts %s', async (file) => {
    const { exitCode, stderr } = await execa(bird, ['-p', '-c', file], { reject: false });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  });

  describe('in the lab', () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await startLab(freshLabId(), { bird });
    });
    afterAll(() => lab?.remove());

    test.each(names)('%s', async (name) => {
      const scenario = scenarioNamed(name);
      if (scenario === null) throw new Error(`there is no scenario ${name}`);
      await waitHealthy(lab);
      const report = await play(lab, scenario);
      if (!report.passed) throw new Error(reportText(report));
    });
  });
});

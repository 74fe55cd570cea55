/** The whole table of changes, on the versions whose `configure` differs most: what is said is what the carriers see. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { birdVersions } from '../../lab/bird-versions.ts';
import { freshLabId } from '../../lab/network/names.ts';
import { type Lab, startLab } from '../../lab/node/lab.ts';
import { changes } from '../lab/support/apply-changes.ts';
import { playChange } from '../lab/support/apply-table.ts';

const versions = birdVersions().filter(({ version }) => /^(?:2\.0\.|2\.20\.|3\.4\.)/.test(version));

describe.each(versions)('BIRD $version', ({ bird }) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab(freshLabId(), { bird });
  });
  afterAll(() => lab?.remove());

  test.each(changes)('$name', (change) => playChange(lab, change));
});

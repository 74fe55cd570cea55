import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labOfNamespace } from '../../lab/network/names.ts';
import { labIds } from '../../lab/network/owner.ts';
import { listNamespaces, processesInside } from '../../lab/network/removal.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { scenarios } from '../../lab/scenarios/list.ts';
import { playAll, type Playing } from '../../lab/scenarios/play-all.ts';
import { reportText } from '../../lab/scenarios/play.ts';

let playing: Playing;

/** The longest first, so that it does not stand alone at the end. */
const order = [...scenarios].sort(
  (a, b) => Number(b.node?.recovery === 'defaults') - Number(a.node?.recovery === 'defaults'),
);

beforeAll(() => {
  playing = playAll(order, 2);
});

afterAll(async () => {
  await playing?.end;
});

describe('on real BIRD', () => {
  test.each(scenarios.map(({ name, summary }) => [name, summary] as const))('%s: %s', async (name) => {
    const report = await playing.report(name);
    if (!report.passed) throw new Error(reportText(report));
    const figures = Object.entries(report.measured).map(([what, millis]) => `${what} ${millis} ms`);
    if (figures.length > 0) process.stdout.write(`   ${name}: ${figures.join(', ')}\n`);
  });

  test('nothing is left of the labs: no namespace, no process, no folder', async () => {
    await playing.end;
    const ours = new Set(playing.labs());
    expect(listNamespaces().filter((name) => ours.has(labOfNamespace(name) ?? ''))).toEqual([]);
    await waitUntil('no process in them', () => processesInside(playing.inodes()).length === 0);
    expect(labIds().filter((id) => ours.has(id))).toEqual([]);
  });

  test('exactly one scenario has the recovery that the program has by itself', () => {
    expect(scenarios.filter(({ node }) => node?.recovery === 'defaults')).toHaveLength(1);
  });
});

/**
 * A node with a hand-written bird.conf, whose sessions have other names: observed as it is, then taken over uplink by
 * uplink. What happened is asked at the carriers.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sameSessions } from '../../lab/carrier/compare.ts';
import type { WireEvent } from '../../lab/carrier/wire-log.ts';
import { carriers } from '../../lab/network/addresses.ts';
import type { CarrierName } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird } from '../../lab/node/bird.ts';
import { sessionsUp } from '../../lab/node/lab.ts';
import { readStatus, startDaemon } from '../../lab/node/program.ts';
import { families, type Family } from '../../src/types/units.ts';
import { expectPublished } from '../support/published-json.ts';
import {
  type HandWrittenNode,
  operatorsConf,
  startHandWrittenNode,
  theirName,
} from './support/hand-written-node.ts';

let node: HandWrittenNode;
beforeAll(async () => {
  node = await startHandWrittenNode();
});
afterAll(() => node?.remove());

const eventsOf = (carrier: CarrierName): readonly WireEvent[] =>
  node.wire.events().filter((event) => event.carrier === carrier);

describe('observing', () => {
  test('sees the sessions and what they export, and changes nothing', async () => {
    await startDaemon(node.network);
    const status = await waitUntil('all to be seen exported', async () => {
      const document = await readStatus(node.network);
      const all = document?.uplinks.flatMap(({ families: each }) => [each['4'], each['6']]) ?? [];
      const isSeen = all.every((one) => one?.announcements.every(({ seen }) => seen === 'exported') === true);
      return all.length > 0 && isSeen ? document : null;
    });
    for (const { families: each } of status.uplinks) {
      expect(each['4']?.session.state).toBe('Established');
      expect(each['4']?.announcements[0]).toMatchObject({ configured: null, seen: 'exported' });
    }
    expect(status.alarms.filter(({ code }) => code === 'protocol-missing')).toEqual([]);
    expect(readFileSync(node.conf, 'utf8')).toBe(operatorsConf());
    expect(node.wire.events()).toEqual([]);
  });

  test('a session of theirs that is taken down is seen down, and nothing is done about it', async () => {
    await askNodeBird(node.network, `disable ${theirName('hkbn', 6)}`);
    await waitUntil('the status to say so', async () => {
      const document = await readStatus(node.network);
      const hkbn = document?.uplinks.find(({ uplink }) => uplink === 'hkbn')?.families['6'];
      return hkbn?.announcements[0]?.seen === 'session-down';
    });
    await askNodeBird(node.network, `enable ${theirName('hkbn', 6)}`);
    await waitUntil('six sessions again', () => sessionsUp(node.observer), { timeoutMillis: 60_000 });
  });
});

describe('migrating', () => {
  test('without consent it names the resets and changes nothing', async () => {
    const asked = await node.run(node.migrateWords('cmi'));
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain('--yes-reset');
    expect(asked.stdout).toMatch(/RESETS upstream_cmi_v4, upstream_cmi_v6/);
    const told = await node.run(node.migrateWords('cmi', '--json'));
    expect(told.exitCode).toBe(1);
    expect(expectPublished('migrate', told.stdout)).toMatchObject({
      steps: expect.arrayContaining([expect.stringContaining('RESETS')]),
      result: null,
    });
    expect(readFileSync(node.conf, 'utf8')).toBe(operatorsConf());
  });

  test.each<CarrierName>(['cmi', 'pccw', 'hkbn'])(
    'takes %s over, drained first, and no other carrier hears a thing',
    async (carrier) => {
      const others = carriers.map(({ name }) => name).filter((name) => name !== carrier);
      const before = await node.observer.views();
      const from = new Map(carriers.map(({ name }) => [name, eventsOf(name).length]));
      // One as programs read it, the others as people do.
      const asJson = carrier === 'pccw';
      const said = await node.run(node.migrateWords(carrier, '--yes-reset', ...(asJson ? ['--json'] : [])));
      if (asJson)
        expect(expectPublished('migrate', said.stdout)).toMatchObject({ result: { kind: 'migrated' } });
      else expect(`${said.stdout}${said.stderr}`).toContain(`${carrier} is taken over`);
      expect(said.exitCode).toBe(0);
      const after = await waitUntil(`${carrier} to hold both routes, undrained`, async () => {
        const views = await node.observer.views();
        return families.every((family) => views[carrier].routes[family]?.communities.length === 0)
          ? views
          : null;
      });
      for (const other of others) {
        expect(eventsOf(other).slice(from.get(other))).toEqual([]);
        // Nothing that is counted of a session may change where nothing is taken over.
        expect(sameSessions(before[other], after[other])).toBe(true);
      }
      for (const family of families) expectStory(carrier, family, from.get(carrier) ?? 0);
    },
  );

  test('afterwards everything is Causeway’s, and is seen so', async () => {
    expect((await node.run(node.migrateWords('cmi', '--yes-reset'))).stdout).toContain('nothing is left');
    const nothing = await node.run(node.migrateWords('cmi', '--yes-reset', '--json'));
    expect(expectPublished('migrate', nothing.stdout)).toEqual({ steps: [], result: null });
    const left = (await askNodeBird(node.network, 'show protocols')).filter((line) => line.includes(' BGP '));
    expect(new Set(left.map((line) => line.split(' ')[0]))).toEqual(
      new Set(carriers.flatMap(({ name }) => families.map((family) => `bgp_${name}${family}`))),
    );
    await waitUntil('all to be seen exported', async () => {
      const document = await readStatus(node.network);
      const all = document?.uplinks.flatMap(({ families: each }) => [each['4'], each['6']]) ?? [];
      return all.every((one) =>
        one?.announcements.every(
          ({ configured, exported }) => configured === 'announce' && exported === 'exported',
        ),
      );
    });
  });
});

/** Drained, closed, opened, drained still, and then as it should be: once each, in this order. */
function expectStory(carrier: CarrierName, family: Family, from: number): void {
  const story = eventsOf(carrier)
    .slice(from)
    .filter((event) => event.family === family && event.kind !== 'withdrawn')
    .map((event) => {
      if (event.kind === 'session') return event.up ? 'up' : 'down';
      return event.kind === 'announced' && event.communities.includes('65535:0') ? 'drained' : 'announced';
    });
  const turns = story.filter((word, index) => word !== story[index - 1]);
  expect(turns).toEqual(['drained', 'down', 'up', 'drained', 'announced']);
}

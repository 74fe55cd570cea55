/** The daemon's telling as it is put together: real outboxes on disk, a real receiver on loopback, a fabricated tick. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { openTelling, type Telling } from '../../src/daemon/tell.ts';
import { newOperatorState } from '../../src/daemon/operator-state.ts';
import type { TickReport, World } from '../../src/daemon/tick.ts';
import type { BirdView } from '../../src/types/bird-view.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import { announceName, drainName, sessionName } from '../../src/types/protocol-names.ts';
import { families, instant } from '../../src/types/units.ts';
import { statusDocument } from '../../src/types/wire/status.ts';
import type { AnnouncementWish } from '../../src/types/wish.ts';
import { type HttpReceiver, startReceiver } from '../support/http-receiver.ts';
import { inputAt } from '../support/world.ts';
import { sample } from './config-sample.ts';

const patient = { timeout: 30_000, interval: 10 };
let folder = '';
let receiver: HttpReceiver;
let telling: Telling | null = null;
let history: HistoryEvent[] = [];
let config: NodeConfig;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-tell-'));
  receiver = await startReceiver();
  writeFileSync(join(folder, 'token'), 'token-of-hk1\n');
  history = [];
});
afterEach(async () => {
  await telling?.close();
  telling = null;
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(more: string): Promise<Telling> {
  const read = readConfig('c.yaml', `${sample}${more}paths: { state: "${folder}/state" }\n`);
  if (read.kind === 'bad') throw new Error(read.problems.map((one) => one.text).join('\n'));
  config = read.config;
  telling = await openTelling({
    config: () => config,
    log: pino({ level: 'silent' }),
    tell: (event) => void history.push(event),
  });
  return telling;
}
const geodns = (): string =>
  `geodns: { url: "${receiver.url}", token_file: "${folder}/token", ttl: 5s, deadline: 9s, heartbeat: 1s }\n`;

/** A tick in which these uplinks are withdrawn, drained by an operator, or announced, and BIRD shows the rest exported. */
function tick(states: Readonly<Record<string, AnnouncementWish['state']>>): TickReport {
  const announcements = config.uplinks.flatMap(({ name: uplink }) =>
    families.map((family): AnnouncementWish => {
      const state = states[uplink] ?? 'announce';
      const reason = state === 'announce' ? 'healthy' : state === 'drain' ? 'override' : 'loss';
      const author = state === 'drain' ? 'ops' : 'causeway';
      return {
        service: 'web',
        uplink,
        family,
        state,
        reason,
        text: `${state} in a test`,
        author,
        held: null,
      };
    }),
  );
  const protocol = (name: string, isUp: boolean, info = '') => ({
    name,
    proto: '',
    state: isUp ? ('up' as const) : ('down' as const),
    sinceMillis: null,
    info,
    description: null,
    message: null,
    channels: [],
  });
  const shown = config.uplinks.flatMap(({ name }) =>
    families.flatMap((family) => [
      protocol(sessionName(name, family), true, 'Established'),
      protocol(announceName(name, 'web', family), true),
      protocol(drainName(name, 'web', family), false),
    ]),
  );
  const view: BirdView = {
    kind: 'seen',
    readAt: instant(0),
    version: '2.17',
    serverMillis: null,
    bootMillis: null,
    configuredMillis: null,
    running: true,
    protocols: new Map(shown.map((one) => [one.name, one])),
  };
  return {
    at: instant(0),
    view,
    health: [],
    wish: { announcements, egress: [] },
    protocols: new Map(),
    file: { kind: 'as-wished' },
    plan: { steps: [], missing: [] },
    results: [],
  };
}
function world(): World {
  const operator = newOperatorState();
  operator.decided = inputAt(0, {});
  return { operator } as World;
}
const stands = (code: string, text: string) => ({ code, text, since: '2026-11-30T01:00:00Z' });
const paths = (): readonly string[] => receiver.received.map(({ method, url }) => `${method} ${url}`);
const afterTick = (states: Parameters<typeof tick>[0], alarms: ReturnType<typeof stands>[] = []): void =>
  telling?.after(tick(states), world(), alarms);

describe('telling beside the tick', () => {
  test('tells GeoDNS and every webhook of a lost uplink, and writes into the history what was acknowledged', async () => {
    await open(
      `${geodns()}webhooks:\n  - { name: legacy, preset: remove-restore, url: "${receiver.url}/old" }\n  - { name: chat, preset: slack, url: "${receiver.url}/chat" }\n`,
    );
    afterTick({ cmi: 'withdraw' });
    await expect.poll(() => paths(), patient).toContain('POST /old/remove/cmi');
    await expect.poll(() => paths(), patient).toContain('PUT /v1/nodes/hk1/uplinks/cmi?wait=0');
    await expect.poll(() => paths(), patient).toContain('POST /old/restore/pccw');
    await expect.poll(() => paths().filter((one) => one === 'POST /chat').length, patient).toBe(1);
    const put = receiver.received.find(({ url }) => url.startsWith('/v1/nodes/hk1/uplinks/cmi'));
    expect(put?.headers.authorization).toBe('Bearer token-of-hk1');
    expect(JSON.parse(put?.body ?? '')).toMatchObject({
      carrier: 'cmi',
      families: { '4': { state: 'down' }, '6': { state: 'down' } },
      seq: expect.any(Number),
    });
    await expect
      .poll(
        () =>
          history.map((one) => (one.kind === 'told' ? `${one.receiver} ${one.subject} ${one.effect}` : '')),
        patient,
      )
      .toEqual(
        expect.arrayContaining([
          'geodns cmi acknowledged',
          'legacy cmi acknowledged',
          'chat cmi acknowledged',
        ]),
      );
  });

  test('a planned drain is acknowledged for the core to count from, and forgotten when it is up again', async () => {
    await open(geodns());
    expect(telling?.dnsFirst()).toMatchObject({ ttlMillis: 5000, deadlineMillis: 9000 });
    afterTick({ cmi: 'drain' });
    await expect
      .poll(() => [...(telling?.dnsFirst()?.toldAt.keys() ?? [])], patient)
      .toEqual(['cmi_web4', 'cmi_web6']);
    const first = telling?.dnsFirst()?.toldAt.get('cmi_web4');
    afterTick({ cmi: 'drain', pccw: 'withdraw' });
    await expect.poll(() => telling?.dnsFirst()?.toldAt.has('pccw_web4'), patient).toBe(true);
    expect(telling?.dnsFirst()?.toldAt.get('cmi_web4')).toBe(first);
    // Another word about it that is not acknowledged yet does not begin the wait anew.
    receiver.answer({ status: 503 });
    afterTick({ cmi: 'withdraw', pccw: 'withdraw' });
    expect(telling?.dnsFirst()?.toldAt.get('cmi_web4')).toBe(first);
    afterTick({});
    expect([...(telling?.dnsFirst()?.toldAt.keys() ?? [])]).toEqual([]);
  });

  test('each code of an alarm is one message when it begins and one when it ends, not one for each text', async () => {
    await open(`webhooks:\n  - { name: chat, preset: slack, url: "${receiver.url}/chat", on: [alarm] }\n`);
    afterTick({}, [stands('all-bad', 'cmi: 31 %'), stands('all-bad', 'pccw: 32 %')]);
    await expect.poll(() => receiver.received.length, patient).toBe(1);
    afterTick({}, [
      stands('all-bad', 'cmi: 41 %'),
      stands('webhook-behind', 'webhook chat has not acknowledged x'),
    ]);
    afterTick({}, []);
    await expect.poll(() => receiver.received.length, patient).toBe(2);
    expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { text: 'hk1: all-bad: cmi: 31 % (and 1 more)' },
      { text: 'hk1: all-bad has ended: cmi: 31 % (and 1 more)' },
    ]);
  });

  test('in mode observe nothing is told, and a reload to live begins it', async () => {
    await open(
      `${geodns()}webhooks:\n  - { name: legacy, preset: remove-restore, url: "${receiver.url}/old" }\n`,
    );
    await telling?.close();
    const live = config;
    config = { ...live, mode: 'observe' };
    telling = await openTelling({
      config: () => config,
      log: pino({ level: 'silent' }),
      tell: () => undefined,
    });
    const told = receiver.received.length;
    afterTick({ cmi: 'withdraw' });
    expect(telling.dnsFirst()).toBeNull();
    expect(telling.status()).toEqual({});
    config = live;
    const isTold = (): boolean => {
      afterTick({ cmi: 'withdraw' });
      return paths().slice(told).includes('POST /old/remove/cmi');
    };
    await expect.poll(isTold, patient).toBe(true);
  });

  test('without either it does nothing at all', async () => {
    await open('');
    afterTick({ cmi: 'withdraw' });
    expect([telling?.dnsFirst(), telling?.alarms(), telling?.status()]).toEqual([null, [], {}]);
  });

  test('the status says what is told, what waits and why', async () => {
    receiver.answer({ status: 503, body: '{"detail":"not durable"}' });
    await open(`${geodns()}webhooks:\n  - { name: own, preset: json, url: "${receiver.url}/own" }\n`);
    afterTick({ cmi: 'withdraw' });
    const cmi = () => telling?.status().geodns?.uplinks.find(({ uplink }) => uplink === 'cmi');
    await expect.poll(() => cmi()?.trouble, patient).toBe('HTTP 503: not durable');
    await expect.poll(() => telling?.status().webhooks?.[0]?.trouble, patient).toContain('HTTP 503');
    const shape = statusDocument.pick({ geodns: true, webhooks: true });
    expect(shape.parse(telling?.status())).toMatchObject({
      geodns: { url: receiver.url, trouble: 'HTTP 503: not durable', acknowledgedSeconds: null },
      webhooks: [{ name: 'own', waiting: 1, refused: 0 }],
    });
    expect(cmi()).toMatchObject({ families: { '4': { state: 'down' } }, waitingSeconds: expect.any(Number) });
  });
});

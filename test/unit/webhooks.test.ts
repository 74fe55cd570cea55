/** Webhooks against a real HTTP server on loopback: presets, escaping, signatures, retries, order. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CourierClock, Delivery } from '../../src/adapters/courier.ts';
import { openExchange } from '../../src/adapters/exchange.ts';
import { openNames } from '../../src/adapters/name-lookup.ts';
import { WebhookSender } from '../../src/adapters/webhooks.ts';
import { readConfig } from '../../src/config/read.ts';
import { startOrder } from '../../src/core/tell/order.ts';
import { openJournal } from '../../src/store/journal.ts';
import { openOutbox, type Outbox } from '../../src/store/outbox.ts';
import type { Webhook, WebhookNews } from '../../src/types/webhook.ts';
import { type HttpReceiver, startReceiver } from '../support/http-receiver.ts';
import { sample } from './config-sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-webhooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileWith = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Pauses take no time, and what should be repeated is remembered. */
let repeats: (() => void)[] = [];
const clock: CourierClock = {
  now: () => performance.now(),
  after(waitMillis, act) {
    if (waitMillis === 7000) {
      repeats.push(act);
      return () => undefined;
    }
    const timer = setTimeout(act, 1);
    return () => clearTimeout(timer);
  },
};
const exchange = openExchange(openNames(() => performance.now()));
afterAll(() => exchange.close());

let receiver: HttpReceiver;
let outbox: Outbox;
let senders: WebhookSender[] = [];
let deliveries: string[] = [];
let count = 0;
const openBox = (): Promise<Outbox> =>
  openOutbox({
    open: () => openJournal(join(folder, `${count}.log`)),
    start: (onDisk) => startOrder(1000, onDisk),
    keysAtMost: 50,
  });
beforeEach(async () => {
  count += 1;
  [senders, deliveries, repeats] = [[], [], []];
  receiver = await startReceiver();
  outbox = await openBox();
});
afterEach(async () => {
  for (const one of senders) one.close();
  await outbox.close();
  await receiver.close();
});

/** As the config makes it. */
function webhookOf(yaml: string): Webhook {
  const read = readConfig('c.yaml', `${sample}webhooks:\n  - { name: own, ${yaml} }\n`);
  if (read.kind === 'bad') throw new Error(read.problems.map((one) => one.text).join('\n'));
  const [webhook] = read.config.webhooks;
  if (webhook === undefined) throw new Error('no webhook');
  return webhook;
}
function sender(yaml: string): WebhookSender {
  const made = new WebhookSender({
    webhook: webhookOf(yaml),
    outbox,
    exchange,
    clock,
    random: () => 0,
    wallMillis: () => 1_796_000_000_000,
    onDelivery: (_news: WebhookNews, { kind }: Delivery) => void deliveries.push(kind),
  });
  senders.push(made);
  return made;
}
const news = (event: WebhookNews['event'], more: Partial<WebhookNews> = {}): WebhookNews => ({
  event,
  node: 'hk1',
  site: 'hkg',
  uplink: 'cmi',
  carrier: 'cmi',
  state: event === 'withdraw' ? 'down' : event === 'drain' ? 'drain' : 'up',
  families: { '4': event === 'withdraw' ? 'down' : 'up' },
  alarm: null,
  reason: 'loss 34 % <b>&"quoted"</b>\nnext line',
  at: '2026-11-30T01:00:00Z',
  ...more,
});
const requests = (): readonly string[] => receiver.received.map(({ method, url }) => `${method} ${url}`);
const until = (requested: number): Promise<void> =>
  expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(requested);
const quietAfter = async (requested: number): Promise<void> => {
  await until(requested);
  await expect.poll(() => deliveries.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(requested);
  expect(receiver.received.length).toBe(requested);
};
const bodyAt = (index: number): unknown => JSON.parse(receiver.received[index]?.body ?? 'null');

describe('presets', () => {
  test('remove-restore drives POST /remove/cmi and /restore/cmi, level-triggered', async () => {
    const hook = sender(`preset: remove-restore, url: "${receiver.url}/", repeat: 7s`);
    hook.tell('uplink cmi', news('announce'));
    await quietAfter(1);
    hook.tell('uplink cmi', news('withdraw'));
    await quietAfter(2);
    hook.tell('uplink cmi', news('withdraw', { reason: 'other figures' }));
    hook.tell('uplink cmi', news('drain'));
    await quietAfter(3);
    hook.tell('uplink cmi', news('announce'));
    await quietAfter(4);
    expect(requests()).toEqual([
      'POST /restore/cmi',
      'POST /remove/cmi',
      'POST /remove/cmi',
      'POST /restore/cmi',
    ]);
  });

  test('what is removed is said again, for an API that forgets; what is restored is not', async () => {
    const hook = sender(`preset: remove-restore, url: "${receiver.url}", repeat: 7s`);
    hook.tell('uplink cmi', news('withdraw'));
    await quietAfter(1);
    expect(repeats.length).toBe(1);
    for (const act of repeats.splice(0)) act();
    await quietAfter(2);
    hook.tell('uplink cmi', news('announce'));
    await quietAfter(3);
    for (const act of repeats.splice(0)) act();
    hook.tell('uplink cmi', news('withdraw'));
    await quietAfter(4);
    expect(requests().slice(2)).toEqual(['POST /restore/cmi', 'POST /remove/cmi']);
  });

  test('slack gets one sentence in which nothing of it is markup', async () => {
    sender(`preset: slack, url_file: ${fileWith('slack.url', `${receiver.url}/services/T0\n`)}`).tell(
      'uplink cmi',
      news('withdraw'),
    );
    await quietAfter(1);
    expect(requests()).toEqual(['POST /services/T0']);
    expect(bodyAt(0)).toEqual({
      text: 'hk1: cmi is withdrawn: loss 34 % &lt;b&gt;&amp;"quoted"&lt;/b&gt;\nnext line',
    });
  });

  test('pagerduty: a trigger and its resolve share a key', async () => {
    const hook = sender(
      `preset: pagerduty, url: "${receiver.url}/v2/enqueue", key_file: ${fileWith('pd.key', 'R0UTE\n')}`,
    );
    hook.tell('uplink cmi', news('withdraw'));
    await quietAfter(1);
    hook.tell('uplink cmi', news('announce'));
    await quietAfter(2);
    const alarm = { uplink: null, carrier: null, state: null, families: null, alarm: 'all-bad' };
    hook.tell('alarm all-bad', news('alarm', alarm));
    await quietAfter(3);
    hook.tell('alarm all-bad', news('alarm-ended', alarm));
    await quietAfter(4);
    const of = (index: number): Readonly<Record<string, unknown>> => bodyAt(index) as Record<string, unknown>;
    expect([0, 1, 2, 3].map((index) => [of(index)['event_action'], of(index)['dedup_key']])).toEqual([
      ['trigger', 'causeway/hk1/cmi'],
      ['resolve', 'causeway/hk1/cmi'],
      ['trigger', 'causeway/hk1/alarm/all-bad'],
      ['resolve', 'causeway/hk1/alarm/all-bad'],
    ]);
    expect(of(0)).toMatchObject({ routing_key: 'R0UTE', payload: { severity: 'error', source: 'hk1' } });
  });

  test('json tells all there is', async () => {
    sender(`preset: json, url: "${receiver.url}/hook"`).tell('uplink cmi', news('drain'));
    await quietAfter(1);
    expect(bodyAt(0)).toEqual({ schema: 1, ...news('drain'), epoch: 1001, seq: 1, id: 'hk1-1001-1' });
  });

  test('at a first start nobody is told that all is well', async () => {
    const hook = sender(`preset: slack, url: "${receiver.url}"`);
    hook.tell('uplink cmi', news('announce'));
    hook.tell('alarm x', news('alarm-ended', { alarm: 'x' }));
    hook.tell('uplink pccw', news('withdraw', { uplink: 'pccw' }));
    await quietAfter(1);
  });
});

describe('templates of one’s own', () => {
  const body = `'{"who": {{json uplink}}, "why": "{{string reason}}", "per": {{json families}}}'`;

  test('what comes from outside stays where it belongs, in the URL, headers and body', async () => {
    const evil = 'a"b\\c\r\nX-Evil: 1 ü 100 %';
    sender(
      `url: "${receiver.url}/t/{{reason}}?q={{carrier}}", method: PUT, headers: { X-Why: "{{reason}}" }, body: ${body}`,
    ).tell('uplink cmi', news('withdraw', { reason: evil, carrier: 'a&b=c' }));
    await quietAfter(1);
    const [got] = receiver.received;
    expect(got?.url).toBe(`/t/${encodeURIComponent(evil)}?q=a%26b%3Dc`);
    expect(got?.headers['x-why']).toBe('a"b\\c X-Evil: 1 ? 100 %');
    expect(got?.headers['x-evil']).toBeUndefined();
    expect(bodyAt(0)).toEqual({ who: 'cmi', why: evil, per: { '4': 'down' } });
    expect(got?.method).toBe('PUT');
  });

  test('a form', async () => {
    sender(
      `url: "${receiver.url}", headers: { Content-Type: application/x-www-form-urlencoded }, body: 'a={{form reason}}&b={{form uplink}}'`,
    ).tell('uplink cmi', news('withdraw', { reason: 'x=1&y 2' }));
    await quietAfter(1);
    expect(receiver.received[0]?.body).toBe('a=x%3D1%26y+2&b=cmi');
    expect(Object.fromEntries(new URLSearchParams(receiver.received[0]?.body))).toEqual({
      a: 'x=1&y 2',
      b: 'cmi',
    });
  });

  test('a request is signed as Standard Webhooks has it, and says the same idempotency key at each attempt', async () => {
    const secret = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
    let failures = 2;
    receiver.answer(() => ({ status: failures-- > 0 ? 503 : 204 }));
    sender(
      `url: "${receiver.url}", body: ${body}, secret_file: ${fileWith('hook.secret', secret)}, token_file: ${fileWith('hook.token', 'tok-en\n')}`,
    ).tell('uplink cmi', news('withdraw'));
    await quietAfter(3);
    for (const { headers, body: sent } of receiver.received) {
      expect(headers['idempotency-key']).toBe('hk1-1001-1');
      expect(headers.authorization).toBe('Bearer tok-en');
      const signed = `hk1-1001-1.1796000000.${sent}`;
      const digest = createHmac('sha256', 'a secret of some length').update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${digest}`);
    }
    expect(deliveries).toEqual(['failed', 'failed', 'acknowledged']);
  });
});

describe('a receiver that is in trouble', () => {
  test('while a request hangs the newer news waits, and then the newest alone is told', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answer({ status: 200, after: gate });
    const hook = sender(`preset: json, url: "${receiver.url}", timeout: 30s`);
    hook.tell('uplink cmi', news('withdraw'));
    await until(1);
    hook.tell('uplink cmi', news('drain'));
    hook.tell('uplink cmi', news('announce'));
    release();
    await quietAfter(2);
    expect([0, 1].map((index) => (bodyAt(index) as { event: string }).event)).toEqual([
      'withdraw',
      'announce',
    ]);
  });

  test('an older one that timed out is not told after the newer (cases D5)', async () => {
    receiver.answer(({ body }) =>
      body.includes('"withdraw"') ? { status: 200, after: new Promise(() => undefined) } : { status: 200 },
    );
    const hook = sender(`preset: json, url: "${receiver.url}", timeout: 100ms`);
    hook.tell('uplink cmi', news('withdraw'));
    await until(1);
    hook.tell('uplink cmi', news('announce'));
    await expect.poll(() => deliveries.at(-1), { timeout: 30_000 }).toBe('acknowledged');
    expect((bodyAt(receiver.received.length - 1) as { event: string }).event).toBe('announce');
    expect(hook.pending()).toEqual([]);
  });

  test('a 4xx is our fault: it is refused, told, and not tried again until there is other news (cases D5)', async () => {
    receiver.answer({ status: 422, body: 'not canonical' });
    const hook = sender(`preset: json, url: "${receiver.url}"`);
    hook.tell('uplink cmi', news('withdraw'));
    await quietAfter(1);
    expect(hook.pending()).toMatchObject([
      { key: 'uplink cmi', isRefused: true, text: 'HTTP 422: not canonical' },
    ]);
    receiver.answer({ status: 200 });
    hook.tell('uplink cmi', news('announce'));
    await quietAfter(2);
    expect(hook.pending()).toEqual([]);
  });

  test('the newer news does not wait behind an older one that is refused', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answer(({ body }) =>
      body.includes('"withdraw"') ? { status: 422, after: gate } : { status: 200 },
    );
    const hook = sender(`preset: json, url: "${receiver.url}", timeout: 30s`);
    hook.tell('uplink cmi', news('withdraw'));
    await until(1);
    hook.tell('uplink cmi', news('drain'));
    release();
    await quietAfter(2);
    expect(hook.pending()).toEqual([]);
  });

  test.each([301, 404, 409])('but an API that keeps a list is asked again after a %i', async (status) => {
    let failures = 2;
    receiver.answer(() => ({
      status: failures-- > 0 ? status : 200,
      headers: { location: 'http://127.0.0.1:1/' },
    }));
    const hook = sender(`preset: remove-restore, url: "${receiver.url}", repeat: 0`);
    hook.tell('uplink cmi', news('withdraw'));
    await quietAfter(3);
    expect(hook.pending()).toEqual([]);
  });

  test('what waits is told after a restart, once', async () => {
    receiver.answer({ status: 500 });
    const before = sender(`preset: json, url: "${receiver.url}"`);
    before.tell('uplink cmi', news('withdraw'));
    await until(2);
    before.close();
    await outbox.close();
    receiver.answer({ status: 200 });
    outbox = await openBox();
    const hook = sender(`preset: json, url: "${receiver.url}"`);
    hook.tell('uplink cmi', news('withdraw'));
    await expect.poll(() => deliveries.at(-1), { timeout: 30_000 }).toBe('acknowledged');
    hook.tell('uplink cmi', news('withdraw'));
    hook.tell('uplink pccw', news('withdraw', { uplink: 'pccw' }));
    await expect
      .poll(() => deliveries.filter((kind) => kind === 'acknowledged').length, { timeout: 30_000 })
      .toBe(2);
    expect(hook.pending()).toEqual([]);
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    expect(keys.at(-1)).not.toBe(keys[0]);
  });

  test('an answer without an end, a secret that is missing and a body that is too large are told by name', async () => {
    receiver.answer({ status: 200, body: 'x'.repeat(100_000) });
    const large = sender(`preset: json, url: "${receiver.url}"`);
    large.tell('uplink cmi', news('withdraw'));
    await expect
      .poll(() => large.pending()[0]?.text, { timeout: 30_000 })
      .toContain('an answer of more than');
    const lacking = sender(`preset: slack, url_file: ${join(folder, 'missing.url')}`);
    lacking.tell('uplink pccw', news('withdraw', { uplink: 'pccw' }));
    await expect.poll(() => lacking.pending().at(-1)?.text, { timeout: 30_000 }).toContain('missing.url');
    const huge = sender(`url: "${receiver.url}", body: '{{json reason}}'`);
    huge.tell('uplink hkbn', news('withdraw', { uplink: 'hkbn', reason: 'x'.repeat(70_000) }));
    await expect
      .poll(() => huge.pending().find(({ key }) => key === 'uplink hkbn')?.text, { timeout: 30_000 })
      .toContain('the body has more than');
  });

  test('what it does not listen for takes what waits away with it', async () => {
    receiver.answer({ status: 500 });
    const hook = sender(`preset: json, url: "${receiver.url}", on: [withdraw]`);
    hook.tell('uplink cmi', news('withdraw'));
    await until(1);
    hook.tell('uplink cmi', news('announce'));
    await expect.poll(() => hook.pending(), { timeout: 30_000 }).toEqual([]);
    expect(hook.told().size).toBe(0);
  });
});

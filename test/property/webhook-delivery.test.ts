/** What a webhook is told reaches a receiver that knows orders as it is in the end, over loss, delay and kill -9. */
import { describe, expect } from 'vitest';
import type { Ask, Reply } from '../../src/adapters/exchange.ts';
import { WebhookSender } from '../../src/adapters/webhooks.ts';
import { startOrder } from '../../src/core/tell/order.ts';
import { type Outbox, openOutbox } from '../../src/store/outbox.ts';
import { millis } from '../../src/types/units.ts';
import type { Webhook, WebhookNews } from '../../src/types/webhook.ts';
import { compareOrder } from '../../src/types/wire/common.ts';
import { randomOf } from '../support/geodns-delivery.ts';
import { fc, test } from '../support/property.ts';
import { VirtualDisk } from '../support/virtual-disk.ts';
import { VirtualTime } from '../support/virtual-time.ts';

/** 10,000 in the full run. */
const runs = process.env['CAUSEWAY_TEST_FULL'] === '1' ? 10_000 : 60;

const webhook: Webhook = {
  name: 'own',
  on: ['withdraw', 'drain', 'announce', 'alarm'],
  url: { kind: 'url', template: [{ kind: 'text', text: 'http://127.0.0.1/' }] },
  way: { kind: 'json' },
  headers: [],
  tokenFile: null,
  secretFile: null,
  caFile: null,
  timeoutMillis: millis(2000),
  repeatMillis: null,
  source: {},
};
type Told = WebhookNews & { readonly epoch: number; readonly seq: number; readonly id: string };

/** Takes what is newer than what it has; by uplink. */
class Receiver {
  readonly told = new Map<string, Told>();
  /** What came under each idempotency key. */
  readonly ids = new Map<string, Set<string>>();

  answer(body: string): number {
    const news = JSON.parse(body) as Told;
    this.ids.set(news.id, (this.ids.get(news.id) ?? new Set()).add(body));
    const last = this.told.get(news.uplink ?? '');
    if (last === undefined || compareOrder(news, last) > 0) this.told.set(news.uplink ?? '', news);
    return 200;
  }
}

const share = fc.constantFrom(0, 0, 0.2, 0.6);
const weather = fc.record({ lost: share, doubled: share, late: share, broken: share });
const script = fc.record({
  seed: fc.integer(),
  weather,
  acts: fc.array(
    fc.record({
      kind: fc.constantFrom('tell', 'tell', 'tell', 'kill'),
      uplink: fc.constantFrom('cmi', 'pccw'),
      event: fc.constantFrom('withdraw', 'drain', 'announce'),
      waitMillis: fc.constantFrom(0, 5, 500, 3000, 70_000),
    }),
    { minLength: 1, maxLength: 20 },
  ),
});
type Script = typeof script extends fc.Arbitrary<infer S> ? S : never;

const newsOf = (uplink: string, event: 'withdraw' | 'drain' | 'announce'): WebhookNews => ({
  event,
  node: 'hk1',
  site: 'hkg',
  uplink,
  carrier: uplink,
  state: event,
  families: { '4': event },
  alarm: null,
  reason: event,
  at: '2026-11-30T01:00:00Z',
});

async function play({ seed, weather: bad, acts }: Script) {
  const [time, random, receiver] = [new VirtualTime(), randomOf(seed), new Receiver()];
  const disk = new VirtualDisk(time, random);
  let isFair = false;
  const delay = (): number => (!isFair && random() < bad.late ? random() * 20_000 : random() * 20);
  const ask = ({ body, timeoutMillis }: Ask): Promise<Reply> =>
    new Promise((resolve) => {
      time.after(timeoutMillis, () => resolve({ kind: 'failed', code: 'timeout', text: '' }));
      const carry = (answered: (reply: Reply) => void): void => {
        if (!isFair && random() < bad.lost) return;
        time.after(delay(), () => {
          const status = !isFair && random() < bad.broken ? 503 : receiver.answer(body);
          if (!isFair && random() < bad.lost) return;
          time.after(delay(), () => answered({ kind: 'answer', status, text: '', retryAfterMillis: null }));
        });
      };
      carry(resolve);
      if (!isFair && random() < bad.doubled) carry(() => undefined);
    });
  const living: { outbox: Outbox | null; sender: WebhookSender | null } = { outbox: null, sender: null };
  const start = async (): Promise<void> => {
    living.sender?.close();
    disk.kill();
    void living.outbox?.close();
    const options = { open: disk.open, keysAtMost: 10, after: time.after };
    const opening = openOutbox({ ...options, start: (onDisk) => startOrder(time.now(), onDisk) });
    await time.runTo(time.now() + 1);
    const outbox = await opening;
    const wallMillis = (): number => 0;
    const sender = new WebhookSender({
      webhook,
      outbox,
      exchange: { ask },
      clock: time,
      random,
      wallMillis,
    });
    Object.assign(living, { outbox, sender });
  };
  const truth = new Map<string, string>();
  await start();
  for (const { kind, uplink, event, waitMillis } of acts) {
    if (kind === 'kill') await start();
    else {
      // Nobody is told at a first start that all is well.
      if (event !== 'announce' || truth.has(uplink)) truth.set(uplink, event);
      living.sender?.tell(`uplink ${uplink}`, newsOf(uplink, event));
      // The next tick cannot come sooner than this; by then the disk has it.
      await time.runTo(time.now() + 150);
    }
    await time.runTo(time.now() + waitMillis);
  }
  isFair = true;
  // No tick says it again: what waits must come by itself.
  await time.runTo(time.now() + 200_000);
  const waiting = living.sender?.pending() ?? [];
  living.sender?.close();
  return { receiver, truth, waiting };
}

describe('telling a webhook', () => {
  test.prop([script], { numRuns: runs })(
    'it ends with the last state, nothing waits, and an idempotency key is of one thing alone',
    async (given) => {
      const { receiver, truth, waiting } = await play(given);
      const told = [...receiver.told].map(([uplink, { event }]) => [uplink, event]);
      expect(new Map(told as [string, string][])).toEqual(truth);
      expect(waiting).toEqual([]);
      for (const bodies of receiver.ids.values()) expect(bodies.size).toBe(1);
    },
  );
});

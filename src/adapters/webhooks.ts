/** One webhook: what it was told last, what waits, and how its receiver's answers are read. */
import { isHeard, isSameNews } from '../core/tell/news.ts';
import type { Letter, Outbox } from '../store/outbox.ts';
import type { Webhook, WebhookNews } from '../types/webhook.ts';
import { Courier, type CourierClock, type Delivery, type Pending } from './courier.ts';
import type { Exchange, Reply } from './exchange.ts';
import { readSecret, readSmall } from './secret-file.ts';
import { type WebhookSecrets, webhookRequest } from './webhook-request.ts';

export interface WebhookOptions {
  readonly webhook: Webhook;
  readonly outbox: Outbox;
  readonly exchange: Pick<Exchange, 'ask'>;
  readonly clock: CourierClock;
  readonly random: () => number;
  readonly wallMillis: () => number;
  readonly onDelivery?: (news: WebhookNews, delivery: Delivery) => void;
}

const pauseMillis = { first: 1000, most: 60_000 };
/** What a person must mend first. */
const slowMillis = 30_000;
const longestRetryAfterMillis = 300_000;
const parallel = 4;
/** Requests that are larger are a fault of a template. */
const mostBodyBytes = 64 * 1024;
const tryAgain = [408, 425, 429];

export class WebhookSender {
  readonly #options: WebhookOptions;
  readonly #courier: Courier;
  readonly #repeats = new Map<string, () => void>();

  constructor(options: WebhookOptions) {
    this.#options = options;
    const { outbox, clock, random } = options;
    this.#courier = new Courier({
      outbox,
      clock,
      random,
      parallel,
      pauseMillis,
      deliver: (letter) => this.#deliver(letter),
      onDelivery: (letter, delivery) => this.#after(letter, delivery),
    });
    for (const letter of outbox.letters().values()) if (letter.isDone) this.#repeatLater(letter);
  }

  /** What is so now under this key; what was told already is not told again. */
  tell(key: string, news: WebhookNews): void {
    const { webhook, outbox } = this.#options;
    const last = outbox.letters().get(key);
    if (last !== undefined && isSameNews(newsIn(last), news)) return;
    if (!isHeard(webhook.on, news)) {
      if (last !== undefined) this.#forget(key);
      return;
    }
    const isGood = news.event === 'announce' || news.event === 'alarm-ended';
    // Nobody wants to hear at a first start that all is well; an API that keeps a list must.
    if (last === undefined && isGood && webhook.way.kind !== 'remove-restore') return;
    this.#repeats.get(key)?.();
    this.#repeats.delete(key);
    this.#courier.post(key, news);
  }

  /** Keys and what was told, or waits to be told, under them. */
  told(): ReadonlyMap<string, WebhookNews> {
    return new Map([...this.#options.outbox.letters()].map(([key, letter]) => [key, newsIn(letter)]));
  }

  pending(): readonly Pending[] {
    return this.#courier.pending();
  }

  close(): void {
    this.#courier.close();
    for (const cancel of this.#repeats.values()) cancel();
  }

  #forget(key: string): void {
    this.#repeats.get(key)?.();
    this.#repeats.delete(key);
    this.#courier.forget(key);
  }

  async #deliver(letter: Letter): Promise<Delivery> {
    const { webhook, exchange, wallMillis } = this.#options;
    const secrets = await readSecrets(webhook);
    if (typeof secrets === 'string') return { kind: 'failed', text: secrets, waitMillis: slowMillis };
    const { ca, ...read } = secrets;
    const atSeconds = Math.floor(wallMillis() / 1000);
    const request = webhookRequest(webhook, newsIn(letter), letter.order, read, atSeconds);
    if (!URL.canParse(request.url))
      return { kind: 'failed', text: 'its URL cannot be read', waitMillis: slowMillis };
    if (Buffer.byteLength(request.body) > mostBodyBytes)
      return { kind: 'refused', text: `the body has more than ${mostBodyBytes} bytes` };
    const { timeoutMillis } = webhook;
    return this.#read(await exchange.ask({ ...request, url: new URL(request.url), timeoutMillis, ca }));
  }

  #read(reply: Reply): Delivery {
    if (reply.kind === 'failed') return { kind: 'failed', text: `${reply.code}: ${reply.text}` };
    const { status, retryAfterMillis } = reply;
    if (status >= 200 && status < 300) return { kind: 'acknowledged' };
    const text = `HTTP ${status}: ${reply.text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200)}`;
    if (status >= 500 || tryAgain.includes(status)) {
      const waitMillis = Math.min(longestRetryAfterMillis, retryAfterMillis ?? 0);
      return { kind: 'failed', text, waitMillis };
    }
    // A carrier that is taken out must come back, whatever the API thought of it once.
    const isLasting = this.#options.webhook.way.kind === 'remove-restore' || status === 401 || status === 403;
    return isLasting ? { kind: 'failed', text, waitMillis: slowMillis } : { kind: 'refused', text };
  }

  #after(letter: Letter, delivery: Delivery): void {
    const news = newsIn(letter);
    this.#options.onDelivery?.(news, delivery);
    if (delivery.kind !== 'acknowledged') return;
    if (news.event === 'alarm-ended' && this.#isNewest(letter)) this.#forget(letter.key);
    else this.#repeatLater(letter);
  }

  #repeatLater(letter: Letter): void {
    const { repeatMillis } = this.#options.webhook;
    const { event } = newsIn(letter);
    if (repeatMillis === null || (event !== 'withdraw' && event !== 'drain')) return;
    this.#repeats.get(letter.key)?.();
    const cancel = this.#options.clock.after(repeatMillis, () => {
      if (this.#isNewest(letter)) this.#courier.again(letter.key);
    });
    this.#repeats.set(letter.key, cancel);
  }

  #isNewest({ key, order }: Letter): boolean {
    const newest = this.#options.outbox.letters().get(key);
    return newest?.order.epoch === order.epoch && newest.order.seq === order.seq;
  }
}

/** Only this class puts letters into its outbox. */
function newsIn({ value }: Letter): WebhookNews {
  return value as WebhookNews;
}

type Read = WebhookSecrets & { readonly ca: string | null };

/** A text: which file could not be read. */
async function readSecrets({ url, tokenFile, secretFile, caFile, way }: Webhook): Promise<Read | string> {
  const keyFile = way.kind === 'pagerduty' ? way.keyFile : null;
  const paths = [url.kind === 'file' ? url.path : null, tokenFile, secretFile, keyFile];
  const read = await Promise.all(paths.map(async (path) => (path === null ? null : readSecret(path))));
  const authorities = caFile === null ? null : await readSmall(caFile);
  const bad = [...read, authorities].find((one) => one?.kind === 'unreadable');
  if (bad !== undefined && bad !== null) return bad.text;
  const [urlText, token, secret, key] = read.map((one) => one?.text ?? null);
  return {
    url: urlText ?? null,
    token: token ?? null,
    secret: secret ?? null,
    key: key ?? null,
    ca: authorities?.text ?? null,
  };
}

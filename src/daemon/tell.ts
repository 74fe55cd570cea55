/**
 * Tells GeoDNS and webhooks, beside the tick: after each tick what is so now is compared with what was told, and what
 * differs goes into outboxes that are on the disk and are emptied by themselves. In mode observe nothing is told.
 */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { CourierClock } from '../adapters/courier.ts';
import { openExchange } from '../adapters/exchange.ts';
import { openNames } from '../adapters/name-lookup.ts';
import { startOrder } from '../core/tell/order.ts';
import { tell, type TellInput } from '../core/tell/tell.ts';
import { openJournal } from '../store/journal.ts';
import { openOutbox, type Outbox } from '../store/outbox.ts';
import type { NodeConfig } from '../types/config.ts';
import type { TellHistory } from '../types/history.ts';
import { announcementKey } from '../types/keys.ts';
import type { DnsFirst } from '../types/told.ts';
import type { Instant } from '../types/units.ts';
import type { StatusDocument } from '../types/wire/status.ts';
import type { Alarm } from './alarms.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import { seenOf } from './status-document.ts';
import { keepTold, type ToldKeeper } from './tell-geodns.ts';
import { openWebhooks, type Webhooks } from './tell-webhooks.ts';
import type { TickReport, World } from './tick.ts';
import { toldEvent, toldText } from './told-words.ts';

export interface Telling {
  /** After each tick; never waits. `alarms`: all that stand. */
  after(report: TickReport, world: World, alarms: StatusDocument['alarms']): void;
  /** How planned drains wait; null: they do not. */
  dnsFirst(): DnsFirst | null;
  alarms(): readonly Alarm[];
  status(): Pick<StatusDocument, 'geodns' | 'webhooks'>;
  /** Gives what is on its way half a second, then ends. */
  close(): Promise<void>;
}

export interface TellingTools {
  /** Of now; whom it tells is read at the start. */
  readonly config: () => NodeConfig;
  readonly log: Logger;
  readonly tell: TellHistory;
}

const keysAtMost = 2000;
const lastWordMillis = 500;

export async function openTelling(tools: TellingTools): Promise<Telling> {
  const config = tools.config();
  if (config.geodns === null && config.webhooks.length === 0) return silence;
  const telling = new Beside(tools);
  if (config.mode === 'live') await telling.begin();
  return telling;
}

const silence: Telling = {
  after: () => undefined,
  dnsFirst: () => null,
  alarms: () => [],
  status: () => ({}),
  close: async () => undefined,
};

const clock: CourierClock = {
  now: monotonicNow,
  after(waitMillis, act) {
    const timer = setTimeout(act, waitMillis);
    return () => clearTimeout(timer);
  },
};

interface Open {
  readonly told: ToldKeeper;
  readonly webhooks: Webhooks;
  readonly outboxes: readonly Outbox[];
  close(): Promise<void>;
}

class Beside implements Telling {
  readonly #tools: TellingTools;
  #open: Open | null = null;
  #turn: Promise<unknown> | null = null;

  constructor(tools: TellingTools) {
    this.#tools = tools;
  }

  async begin(): Promise<void> {
    this.#open = await open(this.#tools);
  }

  after(report: TickReport, world: World, alarms: StatusDocument['alarms']): void {
    const config = this.#tools.config();
    this.#followMode(config.mode);
    if (this.#open === null || config.mode !== 'live') return;
    const { told, webhooks } = this.#open;
    const now = tell(inputOf(config, report, world), told.last());
    told.tell(
      now,
      config.uplinks.map(({ name }) => name),
      world.operator.freeze !== null,
    );
    webhooks.tell(now, alarms);
  }

  dnsFirst(): DnsFirst | null {
    return this.#tools.config().mode === 'live' ? (this.#open?.told.dnsFirst(monotonicNow()) ?? null) : null;
  }

  alarms(): readonly Alarm[] {
    if (this.#open === null) return [];
    const now = monotonicNow();
    const trouble = this.#open.outboxes.map((one) => one.trouble()).find((text) => text !== null);
    const text = `what is told is not kept on the disk (${trouble}): a restart forgets what waits`;
    return [
      ...this.#open.told.alarms(now),
      ...this.#open.webhooks.alarms(now),
      ...(trouble === undefined ? [] : [{ code: 'outbox-behind', text } as const]),
    ];
  }

  status(): Pick<StatusDocument, 'geodns' | 'webhooks'> {
    if (this.#open === null) return {};
    const now: Instant = monotonicNow();
    const geodns = this.#open.told.status(now);
    return { ...(geodns === undefined ? {} : { geodns }), webhooks: this.#open.webhooks.status(now) };
  }

  async close(): Promise<void> {
    const until = monotonicNow() + lastWordMillis;
    const isDone = (): boolean =>
      this.#open === null || (this.#open.told.isDone() && this.#open.webhooks.isDone());
    while (!isDone() && monotonicNow() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    await this.#turn;
    await this.#open?.close();
    this.#open = null;
  }

  /** A reload may begin or end mode observe. */
  #followMode(mode: NodeConfig['mode']): void {
    if (this.#turn !== null || (mode === 'live') === (this.#open !== null)) return;
    const old = this.#open;
    this.#open = null;
    const turn = mode === 'live' ? this.begin() : (old?.close() ?? Promise.resolve());
    this.#turn = turn.finally(() => {
      this.#turn = null;
    });
  }
}

async function open({ config: configNow, log, tell: tellHistory }: TellingTools): Promise<Open> {
  const config = configNow();
  const outboxOf = (name: string): Promise<Outbox> => {
    const path = join(config.paths.state, 'outbox', `${name}.log`);
    return openOutbox({
      async open() {
        await mkdir(dirname(path), { recursive: true, mode: 0o750 });
        return openJournal(path);
      },
      start: (onDisk) => startOrder(Date.now(), onDisk),
      keysAtMost,
    });
  };
  const toldOutbox = await outboxOf('told');
  const names = config.webhooks.map(({ name }) => name);
  const webhookOutboxes = new Map(
    await Promise.all(names.map(async (name) => [name, await outboxOf(`webhook-${name}`)] as const)),
  );
  const exchange = openExchange(openNames(monotonicNow));
  const shared = { exchange, clock, wallTime: wallTimeNow };
  const told = keepTold(config, toldOutbox, {
    ...shared,
    openedAt: monotonicNow(),
    onAcknowledged(one) {
      log.info({ uplink: one.uplink, told: toldText(one), reason: one.reason }, 'geodns acknowledged');
      tellHistory(toldEvent(one));
    },
  });
  const webhooks = openWebhooks(config, webhookOutboxes, { ...shared, tell: tellHistory });
  const outboxes = [toldOutbox, ...webhookOutboxes.values()];
  return {
    told,
    webhooks,
    outboxes,
    async close() {
      told.close();
      webhooks.close();
      exchange.close();
      await Promise.all(outboxes.map((one) => one.close()));
    },
  };
}

function inputOf(config: NodeConfig, { wish, health, view }: TickReport, { operator }: World): TellInput {
  const bird = view.kind === 'seen' ? view : null;
  return {
    services: config.services,
    uplinks: config.uplinks,
    wish,
    health,
    sessions: operator.decided?.sessions ?? new Map(),
    seen: new Map(
      wish.announcements.map((one) => [
        announcementKey(one.uplink, one.service, one.family),
        seenOf(one, bird),
      ]),
    ),
    birdSeen: bird !== null,
    frozen: operator.freeze !== null,
  };
}

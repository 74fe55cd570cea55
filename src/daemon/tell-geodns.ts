/** What was told last, and GeoDNS where one is configured: its client, its alarms, its part of the status. */
import { GeoDnsClient } from '../adapters/geodns-client.ts';
import type { CourierClock } from '../adapters/courier.ts';
import type { Exchange } from '../adapters/exchange.ts';
import { saysSame } from '../core/tell/tell.ts';
import type { Outbox } from '../store/outbox.ts';
import type { NodeConfig } from '../types/config.ts';
import { announcementKey } from '../types/keys.ts';
import type { DnsFirst, ToldUplink } from '../types/told.ts';
import { families, type Instant } from '../types/units.ts';
import type { StatusDocument } from '../types/wire/status.ts';
import type { Alarm } from './alarms.ts';
import { putToGeoDns } from './geodns-way.ts';
import { behindAlarms, behindMillis } from './told-words.ts';

/** Where what was told is kept, and told on. */
export interface ToldKeeper {
  /** By uplink. */
  last(): ReadonlyMap<string, ToldUplink>;
  tell(told: readonly ToldUplink[], uplinks: readonly string[], isFrozen: boolean): void;
  dnsFirst(now: Instant): DnsFirst | null;
  alarms(now: Instant): readonly Alarm[];
  status(now: Instant): StatusDocument['geodns'];
  /** Whether everything was acknowledged. */
  isDone(): boolean;
  close(): void;
}

export interface GeoDnsTools {
  readonly exchange: Pick<Exchange, 'ask'>;
  readonly clock: CourierClock;
  readonly wallTime: () => string;
  readonly onAcknowledged: (told: ToldUplink) => void;
  readonly openedAt: Instant;
}

export function keepTold(config: NodeConfig, outbox: Outbox, tools: GeoDnsTools): ToldKeeper {
  return config.geodns === null ? keptOnly(outbox) : new GeoDnsKeeper(config, config.geodns, outbox, tools);
}

/** For webhooks alone: nobody is told from this outbox, but what was said last is known after a restart. */
function keptOnly(outbox: Outbox): ToldKeeper {
  const last = (): ReadonlyMap<string, ToldUplink> =>
    // Only this keeper puts letters into this outbox.
    new Map([...outbox.letters()].map(([key, { value }]) => [key, value as ToldUplink]));
  return {
    last,
    tell(told, uplinks) {
      const before = last();
      for (const one of told) {
        const known = before.get(one.uplink);
        if (known === undefined || !saysSame(known, one)) outbox.done(outbox.put(one.uplink, one));
      }
      for (const key of before.keys()) if (!uplinks.includes(key)) outbox.forget(key);
    },
    dnsFirst: () => null,
    alarms: () => [],
    status: () => undefined,
    isDone: () => true,
    close: () => undefined,
  };
}

class GeoDnsKeeper implements ToldKeeper {
  readonly #config: NodeConfig;
  readonly #geodns: NonNullable<NodeConfig['geodns']>;
  readonly #client: GeoDnsClient;
  readonly #openedAt: Instant;
  /** By announcementKey: since when it is known there that it is not up. */
  readonly #toldAt = new Map<string, Instant>();

  constructor(
    config: NodeConfig,
    geodns: NonNullable<NodeConfig['geodns']>,
    outbox: Outbox,
    { exchange, clock, wallTime, onAcknowledged, openedAt }: GeoDnsTools,
  ) {
    this.#config = config;
    this.#geodns = geodns;
    this.#openedAt = openedAt;
    this.#client = new GeoDnsClient({
      node: config.node.name,
      endpoints: geodns.urls.length,
      put: putToGeoDns(geodns, exchange),
      outbox,
      clock,
      random: Math.random,
      heartbeatMillis: geodns.heartbeatMillis,
      wallTime,
      onAcknowledged,
    });
  }

  last(): ReadonlyMap<string, ToldUplink> {
    return this.#client.last();
  }

  tell(told: readonly ToldUplink[], uplinks: readonly string[], isFrozen: boolean): void {
    this.#client.noteFrozen(isFrozen);
    this.#client.tell(told);
    this.#client.keepOnly(uplinks);
  }

  dnsFirst(now: Instant): DnsFirst {
    this.#noteAcknowledged(now);
    const { ttlMillis, deadlineMillis } = this.#geodns;
    return { ttlMillis, deadlineMillis, toldAt: this.#toldAt };
  }

  /** A key is forgotten when its announcement is told to be up again, not while another change is on its way. */
  #noteAcknowledged(now: Instant): void {
    const acknowledged = this.#client.acknowledged();
    for (const [uplink, told] of this.#client.last()) {
      for (const family of families) {
        for (const [service, state] of Object.entries(told.families[family]?.services ?? {})) {
          const key = announcementKey(uplink, service, family);
          if (state === 'up') this.#toldAt.delete(key);
          else if (acknowledged.has(uplink) && !this.#toldAt.has(key)) this.#toldAt.set(key, now);
        }
      }
    }
  }

  alarms(now: Instant): readonly Alarm[] {
    const { acknowledgedAt, trouble, unknownTargets } = this.#client.state();
    const alarms: Alarm[] = [...behindAlarms('geodns-behind', 'GeoDNS', this.#client.pending(), now)];
    const quietMillis = now - (acknowledgedAt ?? this.#openedAt);
    const isQuiet = quietMillis > behindMillis + 2 * this.#geodns.heartbeatMillis;
    if (alarms.length === 0 && isQuiet && this.#client.last().size > 0)
      alarms.push({ code: 'geodns-behind', text: `GeoDNS takes no heartbeat: ${trouble ?? 'no answer'}` });
    if (unknownTargets.length > 0) {
      const text = `the rules of GeoDNS have no target ${unknownTargets.join(', ')}: what is told of it is lost`;
      alarms.push({ code: 'geodns-target', text });
    }
    return alarms;
  }

  status(now: Instant): StatusDocument['geodns'] {
    const { endpoint, trouble, acknowledgedAt, order } = this.#client.state();
    const pending = new Map(this.#client.pending().map((one) => [one.key, one]));
    return {
      url: this.#geodns.urls[endpoint] ?? '',
      epoch: order.epoch,
      seq: order.seq,
      acknowledgedSeconds: acknowledgedAt === null ? null : Math.round((now - acknowledgedAt) / 1000),
      trouble,
      uplinks: this.#config.uplinks.flatMap(({ name }) => {
        const told = this.#client.last().get(name);
        if (told === undefined) return [];
        const waiting = pending.get(name);
        return {
          uplink: name,
          families: { '4': told.families[4], '6': told.families[6] },
          held: told.held,
          reason: told.reason,
          waitingSeconds: waiting === undefined ? null : Math.round((now - waiting.since) / 1000),
          trouble: waiting?.text ?? null,
        };
      }),
    };
  }

  isDone(): boolean {
    return this.#client.pending().length === 0;
  }

  close(): void {
    this.#client.close();
  }
}

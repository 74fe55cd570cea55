/** What GeoDNS and other APIs are told of an uplink, before it becomes a message (wire/node-to-geodns.ts). */
import type { Instant, Millis, PerFamily } from './units.ts';
import type { Guard, ToldState } from './wire/enums.ts';

/** Of one uplink in one family. */
export interface ToldFamily {
  /** The best of its services: the uplink itself. */
  readonly state: ToldState;
  /** Those that are not up. */
  readonly regions: Readonly<Record<string, ToldState>>;
  readonly services: Readonly<Record<string, ToldState>>;
}

export interface ToldUplink {
  readonly uplink: string;
  readonly carrier: string;
  readonly families: PerFamily<ToldFamily>;
  /** A guard that holds a wish about it; null: none does. */
  readonly held: Guard | null;
  /** One sentence. */
  readonly reason: string;
  readonly evidence: ToldEvidence | null;
}

/** Figures of the worse family; they explain. */
export interface ToldEvidence {
  /** 0 to 1; null: nothing was measured. */
  readonly loss: number | null;
  readonly rttP95Millis: number | null;
  readonly targets: number;
}

/** How a planned drain waits for GeoDNS (DESIGN §7.12). */
export interface DnsFirst {
  /** BGP follows so long after GeoDNS has acknowledged: the time that resolvers keep an answer. */
  readonly ttlMillis: Millis;
  /** BGP follows after this, told or not. */
  readonly deadlineMillis: Millis;
  /** By announcementKey: since when GeoDNS has acknowledged that it is drained or down. */
  readonly toldAt: ReadonlyMap<string, Instant>;
}

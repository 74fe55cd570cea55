/**
 * A node that tells GeoDNS over a bad network, in virtual time: requests and answers are lost, doubled, late and out of
 * order; either side dies; disks fail; wall clocks jump. The receiver judges with GeoDNS's own core.
 */
import { reportOf } from '../../geodns/service/messages.ts';
import { accept, emptyState, fold, type State } from '../../geodns/decision/state.ts';
import { GeoDnsClient, type GeoDnsReply } from '../../src/adapters/geodns-client.ts';
import { startOrder } from '../../src/core/tell/order.ts';
import { type Outbox, openOutbox } from '../../src/store/outbox.ts';
import type { ToldUplink } from '../../src/types/told.ts';
import type { ToldState } from '../../src/types/wire/enums.ts';
import { nodeState, uplinkState } from '../../src/types/wire/node-to-geodns.ts';
import { VirtualDisk } from './virtual-disk.ts';
import type { VirtualTime } from './virtual-time.ts';

/** From 0 to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How bad it is, each from 0 to 1. */
export interface Weather {
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
  readonly refused: number;
  readonly diskFails: number;
}

export const fair: Weather = { lost: 0, doubled: 0, late: 0, refused: 0, diskFails: 0 };

const timeoutMillis = 2000;
/** A late one may come long after everybody gave up on it. */
const latestMillis = 20_000;

/** A GeoDNS with a memory of its own. */
export class Receiver {
  state: State = emptyState;
  isUp = true;
  /** Versions that were taken, by target, in order. */
  readonly taken = new Map<string, number[]>();
  readonly #nowMillis: () => number;

  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis;
  }

  answer(path: string, message: unknown): GeoDnsReply {
    if (!this.isUp) return { kind: 'answer', status: 503, text: '{"detail":"not durable"}' };
    const uplink = /^\/v1\/nodes\/hk1\/uplinks\/([a-z]+)\?/.exec(path)?.[1];
    const body = JSON.parse(JSON.stringify(message)) as unknown;
    if (uplink !== undefined) {
      const { epoch, seq, ...rest } = uplinkState.parse(body);
      return this.#hear([[uplink, reportOf(rest, { epoch, seq })]]);
    }
    const { uplinks, epoch, seq } = nodeState.parse(body);
    return this.#hear(Object.entries(uplinks).map(([key, one]) => [key, reportOf(one, { epoch, seq })]));
  }

  /** As geodns/api/node-routes.ts answers. */
  #hear(reports: readonly (readonly [string, ReturnType<typeof reportOf>])[]): GeoDnsReply {
    const targets: Record<string, string> = {};
    let current: unknown = null;
    for (const [uplink, report] of reports) {
      const target = `hk1/${uplink}`;
      const answer = accept(this.state, target, report, this.#nowMillis());
      targets[target] = answer.kind;
      if (answer.kind === 'accepted') {
        this.state = fold(this.state, answer.event);
        this.taken.set(target, [...(this.taken.get(target) ?? []), Number(report.reason)]);
      } else if (answer.kind !== 'replay') current = { code: answer.kind, ...answer.current.order };
    }
    const kinds = new Set(Object.values(targets));
    if (!kinds.has('accepted') && !kinds.has('replay'))
      return { kind: 'answer', status: 409, text: JSON.stringify(current) };
    const status = kinds.has('accepted') ? 202 : 200;
    return { kind: 'answer', status, text: JSON.stringify({ revision: 1, targets }) };
  }

  /** What it believes of an uplink. */
  wordOf(uplink: string): ToldState | undefined {
    return this.state.records.get(`hk1/${uplink}`)?.families[4]?.state;
  }
}

/** The node's side: it can be killed at any moment, and what was written by then is what it finds again. */
export class Sender {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly receivers: readonly Receiver[];
  #weather: Weather = fair;
  wallOffsetMillis = 0;
  readonly disk: VirtualDisk;
  client: GeoDnsClient | null = null;
  #outbox: Outbox | null = null;
  /** Requests at once for each uplink; the most that there were. */
  mostFlying = 0;
  readonly #flying = new Map<string, number>();
  #life = 0;

  constructor(time: VirtualTime, random: () => number, receivers: readonly Receiver[]) {
    this.time = time;
    this.random = random;
    this.receivers = receivers;
    this.disk = new VirtualDisk(time, random);
  }

  get weather(): Weather {
    return this.#weather;
  }

  set weather(weather: Weather) {
    this.#weather = weather;
    this.disk.fails = weather.diskFails;
  }

  async start(): Promise<void> {
    const outbox = await openOutbox({
      open: this.disk.open,
      start: (onDisk) => startOrder(this.#wallMillis(), onDisk),
      keysAtMost: 100,
      after: this.time.after,
    });
    this.#outbox = outbox;
    this.client = new GeoDnsClient({
      node: 'hk1',
      endpoints: this.receivers.length,
      put: (endpoint, path, message) => this.#put(endpoint, path, message),
      outbox,
      clock: this.time,
      random: this.random,
      heartbeatMillis: 10_000,
      wallTime: () => '2026-11-30T01:00:00Z',
    });
  }

  /** kill -9: nothing more is written or sent by it; what is on the wire stays there. */
  kill(): void {
    this.#life += 1;
    this.disk.kill();
    this.client?.close();
    void this.#outbox?.close();
    this.client = null;
  }

  tell(uplink: string, state: ToldState, version: number): void {
    const family = { state, regions: {}, services: { web: state } };
    const told: ToldUplink = {
      uplink,
      carrier: uplink,
      families: { 4: family },
      held: null,
      reason: String(version),
      evidence: null,
    };
    this.client?.tell([told]);
  }

  #wallMillis(): number {
    return 1_796_000_000_000 + this.time.now() + this.wallOffsetMillis;
  }

  async #put(endpoint: number, path: string, message: unknown): Promise<GeoDnsReply> {
    // What a killed one had on its way is not this one's.
    const key = `${this.#life} ${path}`;
    const count = (by: number): void => {
      const now = (this.#flying.get(key) ?? 0) + by;
      this.#flying.set(key, now);
      this.mostFlying = Math.max(this.mostFlying, now);
    };
    count(1);
    const sent = JSON.parse(JSON.stringify(message)) as unknown;
    const reply = await new Promise<GeoDnsReply>((resolve) => {
      this.time.after(timeoutMillis, () => resolve({ kind: 'failed', text: 'timeout' }));
      this.#carry(endpoint, path, sent, resolve);
      if (this.random() < this.weather.doubled) this.#carry(endpoint, path, sent, () => undefined);
    });
    count(-1);
    return reply;
  }

  #carry(endpoint: number, path: string, message: unknown, answered: (reply: GeoDnsReply) => void): void {
    const { lost, late, refused } = this.weather;
    if (this.random() < refused) {
      this.time.after(1, () => answered({ kind: 'failed', text: 'ECONNREFUSED' }));
      return;
    }
    if (this.random() < lost) return;
    const delay = (): number => (this.random() < late ? this.random() * latestMillis : this.random() * 20);
    this.time.after(delay(), () => {
      const reply = this.receivers[endpoint]?.answer(path, message) ?? { kind: 'failed', text: 'nobody' };
      if (this.random() < lost) return;
      this.time.after(delay(), () => answered(reply));
    });
  }
}

/**
 * What systemd is told of the daemon.
 *
 *   starting ──a whole tick, BIRD read and the prober heard, or ten seconds of ticks──▶ running ⇄ reloading
 *       └────────────────────────────── SIGTERM ──────────────────────────────────────────▶ stopping
 *
 * Ready means at work: it never waits for a carrier, a target or Redis to be good. The watchdog is fed by finished ticks and
 * by nothing else, so a daemon whose ticks hang is killed and started again, which changes nothing in BIRD.
 */
import type { ServiceManager } from '../adapters/systemd-notify.ts';
import { elapsed, type Instant, type Millis } from '../types/units.ts';
import type { Reloader } from './reload.ts';
import { type SummaryFacts, summaryLine } from './summary-line.ts';

export interface TickFacts extends SummaryFacts {
  /** Whether the prober has said that it probes, or why it cannot. */
  readonly isProberHeard: boolean;
}

/** `as-meant`: BIRD was read and the prober heard; `bound`: ten seconds were over first. */
export type Readying = 'as-meant' | 'bound';

export interface Supervision {
  /** After each tick. What it returns is for the log: the one tick that made the service ready. */
  ticked(facts: TickFacts): Readying | null;
  /** Around the reading of the config. */
  reload<T>(work: () => Promise<T>): Promise<T>;
  /** From now on each tick asks for more time to stop in: `on_stop` has a deadline of its own. */
  stopping(): void;
  close(): void;
}

/** `owed`: it is ready, and the datagram that says so was not taken. */
type Ready = 'no' | 'owed' | 'told';

const readyBoundMillis = 10_000;
const statusEveryMillis = 1000;
const extendEveryMillis = 1000;
/** A stop that goes on is given this much more each time; TimeoutStopSec ends one that hangs. */
const extendByMillis = 15_000;
/** Told this many times within the watchdog's time. */
const feedings = 4;

/** `manager`: null where nobody supervises. */
export function openSupervision(manager: ServiceManager | null, now: () => Instant): Supervision {
  return new Told(manager, now);
}

/** The reloader, with systemd told that it reads. */
export function supervised(reloader: Reloader, supervision: Supervision): Reloader {
  return {
    ...reloader,
    reload: (request) => {
      const work = () => reloader.reload(request);
      return request.dryRun ? work() : supervision.reload(work);
    },
  };
}

class Told implements Supervision {
  readonly #manager: ServiceManager | null;
  readonly #now: () => Instant;
  #ready: Ready = 'no';
  #isStopping = false;
  /** Ready or not, it has come as far as ticking since. */
  #tickingSince: Instant | null = null;
  #status = '';
  readonly #toldAt = new Map<'status' | 'watchdog' | 'extend', Instant>();

  constructor(manager: ServiceManager | null, now: () => Instant) {
    this.#manager = manager;
    this.#now = now;
  }

  ticked(facts: TickFacts): Readying | null {
    const now = this.#now();
    this.#tickingSince ??= now;
    const readying = this.#ready === 'no' ? readyBy(facts, elapsed(this.#tickingSince, now)) : null;
    if (readying !== null) this.#ready = 'owed';
    if (this.#manager !== null) this.#tell(this.#manager, facts, now);
    return readying;
  }

  async reload<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ready !== 'told') return work();
    this.#manager?.send(['RELOADING=1', `MONOTONIC_USEC=${Math.floor(this.#now() * 1000)}`]);
    this.#ready = 'owed';
    try {
      return await work();
    } finally {
      if (this.#manager?.send(['READY=1']) !== false) this.#ready = 'told';
    }
  }

  stopping(): void {
    this.#isStopping = true;
    this.#manager?.send(['STOPPING=1']);
  }

  close(): void {
    this.#manager?.close();
  }

  /** What is due, in one datagram. One that was not taken is said again after the next tick. */
  #tell(manager: ServiceManager, facts: TickFacts, now: Instant): void {
    const { watchdogMillis } = manager;
    const status = summaryLine(facts, this.#ready === 'no');
    const isNews =
      status !== this.#status && (this.#ready === 'owed' || this.#isDue('status', now, statusEveryMillis));
    const isHungry = watchdogMillis !== null && this.#isDue('watchdog', now, watchdogMillis / feedings);
    const isLeaving = this.#isStopping && this.#isDue('extend', now, extendEveryMillis);
    const lines = [
      ...(this.#ready === 'owed' ? ['READY=1'] : []),
      ...(isNews ? [`STATUS=${status}`] : []),
      ...(isHungry ? ['WATCHDOG=1'] : []),
      ...(isLeaving ? [`EXTEND_TIMEOUT_USEC=${extendByMillis * 1000}`] : []),
    ];
    if (lines.length === 0 || !manager.send(lines)) return;
    if (this.#ready === 'owed') this.#ready = 'told';
    if (isNews) {
      this.#status = status;
      this.#toldAt.set('status', now);
    }
    if (isHungry) this.#toldAt.set('watchdog', now);
    if (isLeaving) this.#toldAt.set('extend', now);
  }

  #isDue(what: 'status' | 'watchdog' | 'extend', now: Instant, everyMillis: number): boolean {
    const toldAt = this.#toldAt.get(what);
    return toldAt === undefined || now - toldAt >= everyMillis;
  }
}

function readyBy({ report, isProberHeard }: TickFacts, tickingMillis: Millis): Readying | null {
  if (report.view.kind === 'seen' && isProberHeard) return 'as-meant';
  return tickingMillis >= readyBoundMillis ? 'bound' : null;
}

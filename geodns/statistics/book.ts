/**
 * The days on disk and the one that is being filled: a file for each day in `statistics`, written whole once a minute
 * while something changes, so a crash loses a minute at most; files older than `keepDays` are removed.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from '../../src/store/atomic-file.ts';
import type { EdgeSummary } from '../../src/types/wire/edge-to-geodns.ts';
import { bucketOf } from '../steering/histogram.ts';
import type { Counted } from '../steering/intake.ts';
import { addBeacon, addTraffic, type Day, dayOf, dayText, emptyDay, readDay } from './day.ts';
import { type Halved, halvedShares, usualRules } from './usual.ts';

export interface BookLog {
  readonly warn: (data: Readonly<Record<string, unknown>>, message: string) => void;
}

const everyMillis = 60_000;
const dayMillis = 86_400_000;
/** A message from the past or the future tells more of its clock than of traffic. */
const mostAwayMillis = 600_000;

/** counted: for the first time; known: it was counted before; away: its time is not ours. */
export type Entered = 'counted' | 'known' | 'away';

export class StatisticsBook {
  private today: Day;
  private earlier: readonly Day[];
  private dirty = false;
  /** Node → end of its newest message, Unix s. */
  private readonly newest = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();
  private readonly folder: string;
  private readonly keepDays: number;
  private readonly log: BookLog;

  private constructor(folder: string, keepDays: number, log: BookLog, days: readonly Day[], today: string) {
    this.folder = folder;
    this.keepDays = keepDays;
    this.log = log;
    this.today = days.find(({ day }) => day === today) ?? emptyDay(today);
    this.earlier = days.filter(({ day }) => day < today).slice(0, usualRules.days);
  }

  /** Reads what is there; a file that cannot be used is left where it is and told to the log. */
  static async open(
    folder: string,
    keepDays: number,
    log: BookLog,
    nowMillis: number,
  ): Promise<StatisticsBook> {
    await mkdir(folder, { recursive: true, mode: 0o750 });
    const today = dayOf(nowMillis);
    const days: Day[] = [];
    for (const day of (await daysIn(folder)).filter((one) => one <= today).slice(0, usualRules.days + 1)) {
      const read = readDay(await readFile(fileOf(folder, day), 'utf8').catch(() => ''));
      if (read === undefined) log.warn({ day }, 'statistics of a day cannot be used');
      else days.push(read);
    }
    return new StatisticsBook(folder, keepDays, log, days, today);
  }

  start(nowMillis: () => number): void {
    this.timer = setInterval(() => void this.write(nowMillis()), everyMillis);
    this.timer.unref();
  }

  async stop(nowMillis: number): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.write(nowMillis);
  }

  /** `carrierOf`: which carrier the node has up for an access network. */
  enter(summary: EdgeSummary, carrierOf: (network: string) => string | null, nowMillis: number): Entered {
    if (Math.abs(summary.at * 1000 - nowMillis) > mostAwayMillis) return 'away';
    if ((this.newest.get(summary.node) ?? 0) >= summary.at) return 'known';
    this.newest.set(summary.node, summary.at);
    const day = this.dayAt(nowMillis);
    const hour = new Date(nowMillis).getUTCHours();
    for (const row of summary.rows) {
      const { network, asn } = row;
      addTraffic(day, { network, asn, carrier: carrierOf(network), node: summary.node }, row, hour);
    }
    this.dirty = true;
    return 'counted';
  }

  measured({ segment, carrier, rttMillis }: Counted, nowMillis: number): void {
    const key = { network: segment.network ?? 'unknown', asn: segment.asn, carrier };
    addBeacon(this.dayAt(nowMillis), key, bucketOf(rttMillis));
    this.dirty = true;
  }

  halved(nowMillis: number): readonly Halved[] {
    return halvedShares(this.dayAt(nowMillis), this.earlier, new Date(nowMillis).getUTCHours());
  }

  /** undefined: nothing is kept of that day. */
  async day(name: string, nowMillis: number): Promise<Day | undefined> {
    const today = this.dayAt(nowMillis);
    if (today.day === name) return today;
    const kept = this.earlier.find(({ day }) => day === name);
    return kept ?? readDay(await readFile(fileOf(this.folder, name), 'utf8').catch(() => ''));
  }

  /** ASN → requests of the last whole day, or of this one: where users really are. null: nobody has told yet. */
  trafficByAsn(): ReadonlyMap<number, number> | null {
    const day = [this.earlier[0], this.today].find((one) => one !== undefined && one.traffic.size > 0);
    if (day === undefined) return null;
    const byAsn = new Map<number, number>();
    for (const { asn, sums } of day.traffic.values())
      if (asn !== null) byAsn.set(asn, (byAsn.get(asn) ?? 0) + sums.requests);
    return byAsn.size === 0 ? null : byAsn;
  }

  /** Days of which something is kept, the latest first. */
  days(): Promise<readonly string[]> {
    return daysIn(this.folder);
  }

  /** Writes what has changed; a disk that takes nothing is told to the log, and tried again in a minute. */
  write(nowMillis: number): Promise<void> {
    this.dayAt(nowMillis);
    if (!this.dirty) return this.writing;
    this.dirty = false;
    this.put(this.today);
    return this.writing;
  }

  private put(day: Day): void {
    const text = dayText(day);
    this.writing = this.writing
      .then(() => writeAtomic(fileOf(this.folder, day.day), text))
      .catch((error: unknown) => {
        this.dirty = true;
        this.log.warn({ error: String(error) }, 'statistics could not be written');
      });
  }

  private dayAt(nowMillis: number): Day {
    const name = dayOf(nowMillis);
    // A clock that goes back opens no day again: its traffic counts into the newest one.
    if (name <= this.today.day) return this.today;
    if (this.dirty) this.put(this.today);
    this.earlier = [this.today, ...this.earlier].slice(0, usualRules.days);
    this.today = emptyDay(name);
    this.dirty = false;
    void this.forget(nowMillis);
    return this.today;
  }

  private async forget(nowMillis: number): Promise<void> {
    const oldest = dayOf(nowMillis - this.keepDays * dayMillis);
    const days = await daysIn(this.folder).catch(() => []);
    for (const day of days.filter((one) => one < oldest))
      await rm(fileOf(this.folder, day), { force: true }).catch(() => undefined);
  }
}

function fileOf(folder: string, day: string): string {
  return join(folder, `${day}.json`);
}

async function daysIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder))
    .map((name) => /^(\d{4}-\d{2}-\d{2})\.json$/.exec(name)?.[1])
    .filter((day): day is string => day !== undefined)
    .sort()
    .reverse();
}

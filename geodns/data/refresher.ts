/**
 * New GeoIP databases, once a week by node-cron or when an operator asks:
 *
 *   fetch → judge (another process) → keep as a set → site after site: files, PowerDNS, canary questions → ourselves
 *                                                       └─ a wrong answer: all sites back to the set before
 *
 * Until the last site is right, this service decides by the old databases; a crash in the middle ends in the old ones
 * everywhere.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { schedule, type ScheduledTask } from 'node-cron';
import { formatAddress } from '../address.ts';
import { fetchDatabases } from './fetch.ts';
import { type JudgeAnswer, type Paths, runJudge } from './judge-run.ts';
import { type Memory, nothingRemembered, readMemory, writeMemory } from './memory.ts';
import { BusyError, type Outcome, type RefresherParts, type RefreshState } from './refresh-state.ts';
import { RollOut } from './roll-out.ts';
import { dropSets, idOf, keepSet, setOf } from './sets.ts';
import type { Aim } from './site-swap.ts';
import { messageOf } from '../../src/types/message-of.ts';

const stopMillis = 800;

/** New databases that were found good. */
interface Attempt {
  readonly author: string;
  /** What they change, as a sentence and 0…1. */
  readonly share: string;
  readonly changed: number;
}

export class Refresher {
  private readonly parts: RefresherParts;
  private readonly stopping = new AbortController();
  private readonly way: RollOut;
  private memory: Memory = nothingRemembered;
  private kind: RefreshState['kind'] = 'idle';
  private last: Outcome | null = null;
  private job: Promise<void> | null = null;
  private task: ScheduledTask | null = null;

  constructor(parts: RefresherParts) {
    this.parts = parts;
    this.way = new RollOut(parts, this.stopping.signal);
  }

  /** Ends what a crash left half done, then waits for the hour. */
  async start(): Promise<void> {
    const { config } = this.parts;
    await mkdir(join(config.folder, 'sets'), { recursive: true, mode: 0o755 });
    this.memory = await readMemory(config.folder);
    const { rolling } = this.memory;
    if (rolling !== null)
      this.begin(() => this.goBack(rolling.from, rolling.to, 'start', 'a roll-out was interrupted'));
    this.task = schedule(config.schedule, () => this.byItself(), {
      timezone: config.timezone,
      name: 'geoip-refresh',
      noOverlap: true,
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.task?.destroy();
    // What still waits for an answer then changes nothing any more.
    await Promise.race([this.job, new Promise((resolve) => setTimeout(resolve, stopMillis).unref())]);
  }

  state(): RefreshState {
    const { current, previous, refused } = this.memory;
    return {
      kind: this.kind,
      site: this.way.site,
      current,
      previous,
      refused,
      last: this.last,
      nextAt: this.task?.getNextRun()?.toISOString() ?? null,
      databases: this.parts.service.parts.databases.map(({ path, builtAt }) => ({
        path,
        builtAt: builtAt.toISOString(),
      })),
    };
  }

  /** Begins an attempt. `accept`: also when it moves more users than allowed, or was taken back before. Throws a BusyError. */
  refresh(author: string, accept: boolean): void {
    this.begin(() => this.attempt(author, accept));
  }

  /** Begins to go back to the set before. Throws a BusyError. False: there is none. */
  rollBack(author: string): boolean {
    const { current, previous, rolling } = this.memory;
    if (rolling !== null) {
      this.begin(() => this.goBack(rolling.from, rolling.to, author, 'as asked'));
      return true;
    }
    if (previous === null || current === null) return false;
    this.begin(() => this.goBack(previous, current, author, 'as asked'));
    return true;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.job;
  }

  private byItself(): void {
    if (this.parts.service.isFrozen())
      this.end('held', 'schedule', ['frozen: nothing is refreshed by itself until it is thawed']);
    else if (this.job === null && this.memory.rolling !== null) this.rollBack('schedule');
    else if (this.job === null) this.refresh('schedule', false);
  }

  private begin(work: () => Promise<void>): void {
    if (this.job !== null) throw new BusyError(`a refresh is under way (${this.kind})`);
    this.job = work()
      .catch((error: unknown) => {
        // What is left half done when we stop is ended by the next start.
        if (!this.stopping.signal.aborted) this.end('failed', 'service', [messageOf(error)]);
      })
      .finally(() => {
        this.kind = 'idle';
        this.job = null;
      });
  }

  private end(
    kind: Outcome['kind'],
    author: string,
    lines: readonly string[],
    changed: number | null = null,
  ): void {
    const { log, service } = this.parts;
    const atMillis = service.parts.nowMillis();
    this.last = { kind, at: new Date(atMillis).toISOString(), author, lines, changed };
    const isFine = kind === 'refreshed' || kind === 'unchanged';
    log[isFine ? 'info' : 'error']({ kind, author, lines }, 'GeoIP databases');
    service.events.add('geoip', `${author}: ${kind}: ${lines.join('; ')}`, atMillis);
  }

  private async attempt(author: string, accept: boolean): Promise<void> {
    const { config, own } = this.parts;
    if (this.memory.rolling !== null)
      return this.end('held', author, ['a roll-out is half done: ask for the rollback first']);
    this.kind = 'fetching';
    const fetched = await fetchDatabases(config.source, config.folder, this.stopping.signal);
    const from = (await setOf(config.folder, own.asn)) ?? (await keepSet(config.folder, own));
    const to = await idOf(fetched);
    if (to === from) return this.end('unchanged', author, ['the databases are those in use']);
    if (to === this.memory.refused && !accept)
      return this.end('held', author, [
        'these databases were taken back before; send accept: true to put them in again',
      ]);
    this.kind = 'judging';
    const verdict = await this.judged(fetched);
    if (verdict.kind !== 'judged') return this.end('refused', author, [verdict.why]);
    if (verdict.problems.length > 0) return this.end('refused', author, verdict.problems, verdict.changed);
    const share = `${(100 * verdict.changed).toFixed(2)} % of ${verdict.sampled} sampled users would be treated otherwise`;
    if (verdict.tooMuchChanged && !accept) {
      const most = (100 * config.check.most_changed).toFixed(1);
      const line = `${share}, at most ${most} % go by themselves; send accept: true to put it in`;
      return this.end('held', author, [line], verdict.changed);
    }
    await keepSet(config.folder, fetched);
    const [old, fresh] = [
      await this.way.aim(from, verdict.canaries),
      await this.way.aim(to, verdict.canaries),
    ];
    return this.rollOut(old, fresh, { author, share, changed: verdict.changed });
  }

  private judged(fresh: Paths): Promise<JudgeAnswer> {
    const { config, own, rules, networks, service, judge = runJudge } = this.parts;
    const { max_age, least_size, most_changed, sample, canaries } = config.check;
    const bounds = {
      maxAgeMillis: max_age,
      leastSize: least_size,
      mostChanged: most_changed,
      sample,
      canaries,
    };
    const nowMillis = service.parts.nowMillis();
    return judge({ present: own, fresh, rules, networks, bounds, nowMillis }, this.stopping.signal);
  }

  private async rollOut(old: Aim, fresh: Aim, { author, share, changed }: Attempt): Promise<void> {
    const { service, config, ask } = this.parts;
    this.kind = 'rolling';
    const canaries = fresh.canaries.map(formatAddress);
    await this.remember({ rolling: { from: old.id, to: fresh.id }, canaries });
    try {
      await this.way.forward(fresh);
      await service.useDatabases(await this.way.own(fresh));
      await this.remember({ rolling: null, current: fresh.id, previous: old.id, refused: null });
    } catch (error) {
      if (this.stopping.signal.aborted) throw error;
      this.kind = 'going-back';
      await this.way.back(old);
      await service.useDatabases(await this.way.own(old));
      await this.remember({ rolling: null, current: old.id, previous: null, refused: fresh.id });
      const lines = [messageOf(error), 'all sites have the databases of before'];
      this.end('rolled-back', author, lines, changed);
      return;
    }
    ask(fresh.canaries);
    this.end('refreshed', author, [share], changed);
    await dropSets(config.folder, [fresh.id, old.id]);
  }

  /** To the set `to` again, from `from`: on an operator's word, or after a crash. */
  private async goBack(to: string, from: string, author: string, why: string): Promise<void> {
    this.kind = 'going-back';
    const aim = await this.way.aim(to, this.memory.canaries);
    await this.remember({ rolling: { from: to, to: from } });
    await this.way.back(aim);
    await this.parts.service.useDatabases(await this.way.own(aim));
    await this.remember({ rolling: null, current: to, previous: null, refused: from });
    this.parts.ask(aim.canaries);
    this.end('rolled-back', author, [`${why}: all sites have the databases ${to}`]);
  }

  private async remember(change: Partial<Memory>): Promise<void> {
    const next = { ...this.memory, ...change };
    await writeMemory(this.parts.config.folder, next);
    this.memory = next;
  }
}

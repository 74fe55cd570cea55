/**
 * The fleet, beside the ticks: a cycle publishes what the last tick found, reads what the others said, and asks what is
 * to be asked; the tick takes the words as they stand. Redis may be away, hang or lie: a cycle ends by its own deadlines,
 * keeps nothing for later, and the next one says the newest.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type FleetBell, openFleetBell } from '../adapters/fleet-bell.ts';
import { type FleetSession, openFleetSession, type Reading } from '../adapters/fleet-session.ts';
import { RedisError } from '../adapters/redis.ts';
import { readSecret } from '../adapters/secret-file.ts';
import { dropUnwanted, hasNamesake, readMaster, spendTokens, type Want } from '../core/fleet/ask.ts';
import { groupsOf } from '../core/fleet/groups.ts';
import { goneNodes, hearBeats, heardPresences, hearPresence, isMeeting, unread } from '../core/fleet/hear.ts';
import { linkFailed, linkState } from '../core/fleet/link.ts';
import { emptyFleetMemory, type FleetMemory } from '../core/fleet/memory.ts';
import { wantsOf } from '../core/fleet/wants.ts';
import { fleetWords } from '../core/fleet/words.ts';
import { keepEpoch, nextEpoch } from '../store/epoch-file.ts';
import type { FleetConfig } from '../types/fleet-config.ts';
import type { FleetWord } from '../types/fleet-word.ts';
import type { FleetStatus } from '../types/wire/fleet-status.ts';
import type { EdgeNodeView } from '../types/wire/node-to-edge.ts';
import type { Presence } from '../types/wire/node-to-fleet.ts';
import type { Alarm } from './alarms.ts';
import { monotonicNow } from './clock.ts';
import { fleetAlarms } from './fleet-alarms.ts';
import { type OrderExchange, openOrders } from './fleet-orders.ts';
import { alone, type Fleet } from './fleet-alone.ts';
import { FleetQuestions } from './fleet-questions.ts';
import { presenceBody } from './fleet-presence.ts';
import { restMillis, type Rounds, startRounds } from './fleet-rounds.ts';
import { fleetRules } from './fleet-rules.ts';
import { FleetSpeaker } from './fleet-speaker.ts';
import { fleetStatusOf, redisName } from './fleet-status.ts';
import type { Readiness } from './readiness.ts';
import { RolloutKeeper } from './rollout.ts';
import type { SettingsHolder } from './settings.ts';
import type { TickReport, World } from './tick.ts';

export interface FleetTools {
  readonly settings: SettingsHolder;
  readonly world: Pick<World, 'decide' | 'operator'>;
  readonly readiness: () => ReturnType<Readiness['facts']>;
  readonly log: Logger;
  /** What the edges of other nodes are to know of this one; absent: nothing. */
  readonly edge?: () => EdgeNodeView | null;
}

export async function openFleet(tools: FleetTools): Promise<Fleet> {
  const { config } = tools.settings.now();
  if (config.fleet === null) return alone;
  const { ordersKeyFile } = config.fleet;
  const epochFile = join(config.paths.state, 'fleet-epoch');
  const epoch = await nextEpoch(epochFile, Date.now());
  // The book rings the cycle, and the cycle keeps the book.
  let fleet: Member | null = null;
  const orders = await openOrders(
    config.paths.state,
    () => fleet?.ring(),
    () => fleet?.trouble() ?? null,
    async () => (ordersKeyFile === null ? null : readSecret(ordersKeyFile)),
  );
  const rollout = await RolloutKeeper.open(config.paths.state, monotonicNow, Date.now());
  fleet = new Member(tools, config.fleet, { speaker: new FleetSpeaker(epoch), orders, rollout, epochFile });
  return fleet;
}

interface MemberParts {
  readonly speaker: FleetSpeaker;
  readonly orders: OrderExchange;
  readonly rollout: RolloutKeeper;
  readonly epochFile: string;
}

class Member implements Fleet {
  readonly orders: OrderExchange;
  readonly #tools: FleetTools;
  readonly #config: FleetConfig;
  readonly #speaker: FleetSpeaker;
  readonly #rollout: RolloutKeeper;
  readonly #epochFile: string;
  readonly #questions: FleetQuestions;
  readonly #bell: FleetBell;
  readonly #rounds: Rounds;
  #memory: FleetMemory = emptyFleetMemory;
  #report: TickReport | null = null;
  #session: FleetSession | null = null;
  #failures = 0;
  #hasSpoken = false;
  #kept: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(tools: FleetTools, config: FleetConfig, { speaker, orders, rollout, epochFile }: MemberParts) {
    this.#tools = tools;
    this.#config = config;
    this.#speaker = speaker;
    this.#rollout = rollout;
    this.#epochFile = epochFile;
    this.orders = orders;
    this.#questions = new FleetQuestions(tools.log);
    this.#rounds = startRounds(
      () => this.#goRound(),
      () => restMillis(this.#failures, this.#isMeeting(), this.#config.publishMillis),
    );
    this.#bell = openFleetBell(config, this.#rules().node, () => this.ring());
  }

  words(): ReadonlyMap<string, FleetWord> {
    return fleetWords(this.#memory, this.#groups(), this.#speaker.last, this.#rules(), monotonicNow());
  }

  after(report: TickReport): void {
    this.#report = report;
    this.#memory = spendTokens(this.#memory, this.#tools.world.decide.consented);
    const { settings, readiness, world } = this.#tools;
    const { config } = settings.now();
    const frozen = world.operator.freeze !== null;
    const said = presenceBody({ config, report, readiness: readiness(), frozen });
    const body = { ...said, base: this.#rollout.word(said.announcements, this.#config.soakMillis) };
    if (this.#speaker.note(body, this.#tools.edge?.() ?? null, report.at)) this.ring();
  }

  others(): readonly Presence[] | null {
    const rules = this.#rules();
    const now = monotonicNow();
    if (linkState(this.#memory.link, rules, now).kind !== 'reading') return null;
    return heardPresences(this.#memory.nodes, rules.expireMillis, now);
  }

  beginApply(isAsked: boolean): Promise<string | null> {
    const { soakMillis, publishMillis } = this.#config;
    const source = { node: this.#rules().node, soakMillis, publishMillis, others: () => this.others() };
    return this.#rollout.begin(source, isAsked);
  }

  endApply(isApplied: boolean): Promise<void> {
    return this.#rollout.end(isApplied);
  }

  status(): FleetStatus {
    return fleetStatusOf({
      config: this.#config,
      memory: this.#memory,
      rules: this.#rules(),
      self: this.#speaker.last,
      groups: this.#groups(),
      words: this.words(),
      now: monotonicNow(),
    });
  }

  alarms(): readonly Alarm[] {
    const { node } = this.#rules();
    return fleetAlarms({
      redis: redisName(this.#config),
      silent: this.#failures > 0 ? this.trouble() : null,
      namesake: hasNamesake(this.#memory, this.#rules(), monotonicNow()) ? node : null,
      refusals: [...this.orders.refusals().values()],
    });
  }

  /** Why the others do not hear this node now; null: they do. */
  trouble(): string | null {
    return this.#memory.link.trouble;
  }

  /** A cycle as soon as may be, unless Redis is known to be away. */
  ring(): void {
    if (this.#failures === 0) this.#rounds.ring();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#bell.stop();
    this.#session?.end();
    await this.#rounds.close();
    await this.#kept;
  }

  #isMeeting(): boolean {
    return isMeeting(this.#memory.nodes, this.#rules().expireMillis, monotonicNow());
  }

  #rules() {
    return fleetRules(this.#tools.settings.now().config, this.#config);
  }

  #groups() {
    return groupsOf(this.#tools.settings.now().config.services);
  }

  async #goRound(): Promise<void> {
    const publication = this.#speaker.next(monotonicNow());
    if (publication === null) return;
    const wants = this.#wants();
    this.#memory = dropUnwanted(this.#memory, wants);
    try {
      const session = await this.#openSession();
      const reading = await session.publish(publication);
      this.#hear(reading);
      await this.#readOthers(session);
      await this.#ask(session, wants, reading.master);
      for (const [name, order] of await this.orders.exchange(reading.orders))
        await session.order(name, order);
      await session.forget(goneNodes(this.#memory.nodes, monotonicNow()));
      if (this.#failures > 0)
        this.#tools.log.info({ redis: redisName(this.#config) }, 'fleet is heard again');
      this.#failures = 0;
    } catch (error) {
      this.#fail(error);
    }
  }

  async #openSession(): Promise<FleetSession> {
    if (this.#session !== null) return this.#session;
    const session = await openFleetSession(this.#config, this.#rules().node, this.#stop.signal);
    if (this.#stop.signal.aborted) {
      session.end();
      throw new RedisError('closed', 'the daemon stops');
    }
    this.#session = session;
    return session;
  }

  #hear({ master, beats, epochBefore }: Reading): void {
    const now = monotonicNow();
    const rules = this.#rules();
    const isAbove = epochBefore !== null && epochBefore > this.#speaker.epoch;
    if (master !== this.#memory.link.master)
      this.#tools.log.warn({ master, before: this.#memory.link.master }, 'fleet has another master of Redis');
    const read = readMaster(this.#memory, master, this.#groups(), now);
    this.#memory = {
      ...read,
      link: isAbove && this.#hasSpoken ? { ...read.link, namesakeAt: now } : read.link,
      nodes: hearBeats(read.nodes, beats, rules, now),
    };
    if (isAbove) {
      this.#speaker.goAbove(epochBefore);
      this.#kept = keepEpoch(this.#epochFile, this.#speaker.epoch);
    }
    this.#hasSpoken = true;
  }

  async #readOthers(session: FleetSession): Promise<void> {
    const names = unread(this.#memory.nodes);
    if (names.length === 0) return;
    for (const presence of await session.presences(names))
      this.#memory = { ...this.#memory, nodes: hearPresence(this.#memory.nodes, presence) };
  }

  async #ask(session: FleetSession, wants: readonly Want[], master: string): Promise<void> {
    const { last: self, epoch } = this.#speaker;
    // What was said under a lower epoch than another's is not asked for.
    if (self === null || self.epoch !== epoch) return;
    await this.#questions.ask(session, {
      rules: this.#rules(),
      self,
      wants,
      master,
      memory: () => this.#memory,
      remember: (memory) => {
        this.#memory = memory;
      },
    });
  }

  #wants(): readonly Want[] {
    const { world, settings } = this.#tools;
    const { decided, leaving } = world.operator;
    const isLive = settings.now().config.mode === 'live' && leaving === null;
    if (!isLive || decided === null || this.#report === null) return [];
    const held = new Set(this.#memory.tokens.keys());
    return wantsOf(decided, world.decide, this.#report.wish, held);
  }

  #fail(error: unknown): void {
    if (!(error instanceof RedisError)) throw error;
    this.#session?.end();
    this.#session = null;
    this.#speaker.unsaid();
    if (this.#stop.signal.aborted) return;
    const before = this.#memory.link.trouble;
    this.#memory = {
      ...this.#memory,
      link: linkFailed(this.#memory.link, `${error.code}: ${error.message}`),
    };
    if (this.#memory.link.trouble !== before)
      this.#tools.log.warn(
        { redis: redisName(this.#config), code: error.code, text: error.message },
        'fleet is silent',
      );
    this.#failures += 1;
  }
}

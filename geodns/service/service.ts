/**
 * The service behind the API: hears reports, decides, publishes. One change at a time: accepted, written to the journal,
 * folded in, rendered; and if that changes any record, a new revision is journalled and given to the sites.
 */
import type { Family } from '../../src/types/units.ts';
import { type View, viewOf } from '../decision/availability.ts';
import { clientOf, decide, type Decision } from '../decision/decide.ts';
import {
  accept,
  type Acceptance,
  fold,
  nextExpiryMillis,
  type Override,
  type Report,
  type StateEvent,
} from '../decision/state.ts';
import type { Address } from '../address.ts';
import { type GeoLookup } from '../mmdb/geo.ts';
import type { Networks } from '../networks/load.ts';
import { type Answers, answersIn, sameAnswers } from '../render/answers.ts';
import { assembleZone, compileZone, type CompiledZone, type RenderedZone } from '../render/zone.ts';
import type { Rules, Target } from '../rules/model.ts';
import { EventLog } from './event-log.ts';
import { wordsOf } from './event-words.ts';
import type { Database } from './files.ts';
import type { StateStore } from './store.ts';

export interface Publisher {
  want(zone: RenderedZone): void;
  settled(revision: number, timeoutMillis: number): Promise<boolean>;
}

export interface ServiceParts {
  readonly rules: Rules;
  readonly networks: Networks;
  readonly lookup: GeoLookup;
  readonly databases: readonly Database[];
  readonly store: StateStore;
  readonly publisher: Publisher;
  /** Wall time; everything durable is in it, and it is never compared with a node's. */
  readonly nowMillis: () => number;
  /** The first revision is above this: the highest serial that any site had at start. */
  readonly revisionAbove: number;
  /** Stands in each zone that we publish, so that two services do not overwrite each other unseen. */
  readonly writer: string;
}

const oldDatabaseMillis = 21 * 86_400_000;

/** Of one target of a message. */
export type Heard = {
  readonly target: string;
  readonly answer: Acceptance['kind'] | 'unknown-target';
  readonly current: { readonly epoch: number; readonly seq: number } | null;
};

export class GeoDnsService {
  readonly events: EventLog;
  private current: ServiceParts;
  private readonly heardAt = new Map<string, number>();
  private readonly frozen = new Set<string>();
  private turn: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;
  private published: RenderedZone | null = null;
  private answers: Answers = { texts: [], policies: [], degraded: [] };
  private compiled: CompiledZone;

  constructor(parts: ServiceParts) {
    this.current = parts;
    this.events = new EventLog(parts.nowMillis());
    this.compiled = compileZone(parts.rules, parts.networks);
    for (const { node } of parts.rules.targets.values()) this.heardAt.set(node, parts.nowMillis());
  }

  get parts(): ServiceParts {
    return this.current;
  }

  /**
   * Puts new rules, networks and databases in force together (those that are given), and publishes. Rejects, and keeps the
   * old ones, when they cannot be rendered or the journal cannot be written. `why` stands in the journal.
   */
  replace(
    files: Partial<Pick<ServiceParts, 'rules' | 'networks' | 'lookup' | 'databases'>>,
    why = 'files',
  ): Promise<void> {
    return this.inTurn(async () => {
      const before = { current: this.current, compiled: this.compiled };
      const next = { ...this.current, ...files };
      const compiled = compileZone(next.rules, next.networks);
      assembleZone(compiled, answersIn(viewOf(next.rules, next.store.state(), next.nowMillis())), 1);
      this.current = next;
      this.compiled = compiled;
      try {
        await this.change([], why, true);
      } catch (error) {
        this.current = before.current;
        this.compiled = before.compiled;
        throw error;
      }
      for (const { node } of next.rules.targets.values())
        if (!this.heardAt.has(node)) this.heardAt.set(node, next.nowMillis());
    });
  }

  /** Publishes what the journal says, under a revision above all that any site has. */
  start(): Promise<void> {
    return this.inTurn(() => this.change([], 'start'));
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    await this.turn;
    await this.parts.store.close();
  }

  view(): View {
    return viewOf(this.parts.rules, this.parts.store.state(), this.parts.nowMillis());
  }

  zone(): RenderedZone | null {
    return this.published;
  }

  /** Nodes that have said nothing for too long; their last states stay. */
  silentNodes(): readonly string[] {
    const least = this.parts.nowMillis() - this.parts.rules.guards.staleAfterMillis;
    return [...this.heardAt].filter(([, at]) => at < least).map(([node]) => node);
  }

  /** Databases that were built too long ago: prefixes move between networks every week. */
  oldDatabases(): readonly string[] {
    const least = this.parts.nowMillis() - oldDatabaseMillis;
    return this.parts.databases.filter(({ builtAt }) => builtAt.getTime() < least).map(({ path }) => path);
  }

  /** Judges each report and publishes what the accepted ones change. Rejects when the journal cannot be written. */
  hear(node: string, reports: ReadonlyMap<string, Report>): Promise<readonly Heard[]> {
    return this.inTurn(async () => {
      const now = this.parts.nowMillis();
      const heard: Heard[] = [];
      const events: StateEvent[] = [];
      for (const [uplink, report] of reports) {
        const target = `${node}/${uplink}`;
        const answer = this.parts.rules.targets.has(target)
          ? accept(this.parts.store.state(), target, report, now)
          : null;
        heard.push({ target, answer: answer?.kind ?? 'unknown-target', current: orderOf(answer) });
        if (answer?.kind === 'accepted') events.push(answer.event);
      }
      // A node that is in no rule is nobody whose silence could be missed.
      if (heard.some((one) => one.answer !== 'unknown-target')) this.heardAt.set(node, now);
      if (events.length > 0) await this.change(events, 'report');
      return heard;
    });
  }

  /** Targets of a carrier, of one node or of all. */
  targetsOfCarrier(carrier: string, node: string | null): readonly Target[] {
    return [...this.parts.rules.targets.values()].filter(
      (target) => target.carrier === carrier && (node === null || target.node === node),
    );
  }

  override(override: Override): Promise<void> {
    return this.inTurn(() =>
      this.change([{ kind: 'override', override, atMillis: this.parts.nowMillis() }], 'override'),
    );
  }

  release(glob: string, family: Family | null, author: string): Promise<void> {
    return this.inTurn(() =>
      this.change([{ kind: 'release', glob, family, author, atMillis: this.parts.nowMillis() }], 'release'),
    );
  }

  /** Whether an operator, here or in the fleet of a node that speaks to us, has frozen what happens by itself. */
  isFrozen(): boolean {
    return this.parts.store.state().freeze !== null || this.frozenNodes().length > 0;
  }

  /** What a heartbeat says of the node's own freeze; silence changes nothing. */
  noteFrozen(node: string, isFrozen: boolean): void {
    if (isFrozen) this.frozen.add(node);
    else this.frozen.delete(node);
  }

  /** Nodes whose last heartbeat said that they are frozen; one that fell silent says nothing any more. */
  frozenNodes(): readonly string[] {
    const silent = new Set(this.silentNodes());
    return [...this.frozen].filter((node) => !silent.has(node)).sort();
  }

  /** Other databases, older or newer, with the rules as they are; always a revision of its own. */
  useDatabases(fresh: Pick<ServiceParts, 'lookup' | 'databases'>): Promise<void> {
    return this.inTurn(async () => {
      const before = this.current;
      this.current = { ...before, ...fresh };
      await this.change([], 'databases', true).catch((error: unknown) => {
        this.current = before;
        throw error;
      });
    });
  }

  /** What is neither a report nor an override: `make` sees the state in its turn. Returns what was made. */
  enact(make: (view: View) => readonly StateEvent[], why: string): Promise<readonly StateEvent[]> {
    return this.inTurn(async () => {
      const events = make(this.view());
      if (events.length > 0) await this.change(events, why);
      return events;
    });
  }

  /** undefined: no such name. `resolver`: where the databases look for a user whose own address is private. */
  decide(name: string, address: Address, family: Family): Decision | undefined {
    const full = name.endsWith('.') ? name : `${name}.`;
    const policy =
      this.parts.rules.names.get(full) ?? this.parts.rules.names.get(wildcardOf(full, this.parts.rules));
    if (policy === undefined) return undefined;
    return decide(
      this.view(),
      policy,
      clientOf(this.parts.networks, address, this.parts.lookup(address)),
      family,
    );
  }

  /**
   * Makes events durable and true; where they change an answer, together with the revision that says so, in one write.
   * `always` makes a revision of its own, for a change that is not in the answers.
   */
  private async change(events: readonly StateEvent[], why: string, always = false): Promise<void> {
    const { rules, store, publisher } = this.parts;
    const now = this.parts.nowMillis();
    const next = events.reduce(fold, store.state());
    const answers = answersIn(viewOf(rules, next, now));
    const same = !always && this.published !== null && sameAnswers(this.answers, answers);
    const revision = Math.max(next.revision, this.parts.revisionAbove) + 1;
    const zone = same ? null : assembleZone(this.compiled, answers, revision, { writer: this.parts.writer });
    const told: readonly StateEvent[] =
      zone === null ? [] : [{ kind: 'revision', revision, atMillis: now, text: why }];
    await store.commit([...events, ...told], now);
    if (zone !== null) {
      this.published = zone;
      this.answers = answers;
      publisher.want(zone);
    }
    for (const event of [...events, ...told]) this.events.add(event.kind, wordsOf(event), now);
    this.waitForExpiry(now);
  }

  private waitForExpiry(now: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const next = nextExpiryMillis(this.parts.store.state(), now);
    if (next === null) return;
    this.expireIn(Math.min(next - now + 1, 3_600_000));
  }

  /** A change that cannot be written now is tried again. */
  private expireIn(millis: number): void {
    this.timer = setTimeout(() => {
      this.inTurn(() => this.change([], 'expiry')).catch(() => this.expireIn(1000));
    }, millis);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }
}

function orderOf(answer: Acceptance | null): Heard['current'] {
  return answer?.kind === 'stale' || answer?.kind === 'order-required' ? answer.current.order : null;
}

/** The name of rules that a name below a wildcard falls to: `*.v.geo.test.` for `a.b.v.geo.test.` (RFC 4592). */
function wildcardOf(name: string, rules: Rules): string {
  const labels = name.split('.');
  for (let cut = 1; cut < labels.length; cut += 1) {
    const wildcard = `*.${labels.slice(cut).join('.')}`;
    if (rules.names.has(wildcard)) return wildcard;
  }
  return name;
}

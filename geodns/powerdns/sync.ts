/**
 * Keeps all sites at the newest zone. The primary is written first; each secondary is then brought up by a loop of its
 * own, so that a site that hangs delays nobody. After a push only the newest wish counts, so a burst of changes is one
 * push. Failures are retried for ever, and nothing is taken as done but what a site's own DNS answers.
 */
import { messageOf } from '../../src/types/message-of.ts';
import { type RenderedZone, type Rrset, writerOf } from '../render/zone.ts';
import { notifyZone, patchZone } from './client.ts';
import { differenceOf } from './difference.ts';
import { whyLate } from './late.ts';
import { pullSecondary, serialOf, servedSerial, type Site, writePrimary } from './site.ts';
import { SiteBoard, type SiteState } from './site-board.ts';
import { Worker } from './worker.ts';

export interface SyncState {
  readonly wanted: number;
  /** fenced: the primary's zone is another writer's, or above ours; we stop until a restart. */
  readonly kind: 'idle' | 'pushing' | 'failing' | 'fenced';
  readonly error: string | null;
  readonly sites: readonly SiteState[];
}

export interface SyncLog {
  readonly warn: (data: Readonly<Record<string, unknown>>, message: string) => void;
}

/** Whose zones we write; without a name nobody is fenced off by name. */
export interface Claim {
  readonly writer: string;
  /** The first zone may be written over another writer's. */
  readonly takeOver: boolean;
}

const repairMillis = 30_000;
/** The primary's DNS has so long to say that nobody else wrote; else its records are read. */
const glanceMillis = 100;
/** A secondary that has not followed by then is looked into. */
const lateMillis = 5000;
/** Unless it has come by then, a secondary is told again to fetch. */
const pullAgainMillis = 500;
const notifyAfterMillis = 500;

export class Sync {
  private readonly primary: Site;
  private readonly board: SiteBoard;
  private readonly writer: Worker;
  private readonly followers: readonly Worker[];
  private readonly notifier: Worker;
  private readonly timer: NodeJS.Timeout;
  private readonly log: SyncLog;
  private readonly claim: Claim;
  private wanted: RenderedZone | null = null;
  /** The zone that the primary was last made to hold. */
  private written: RenderedZone | null = null;
  /** Its records by our last writing; null: to be read first. */
  private held: readonly Rrset[] | null = null;
  /** The revision that we wrote last; null: none yet. */
  private last: number | null = null;
  private kind: SyncState['kind'] = 'idle';
  private error: string | null = null;

  /** The primary first. */
  constructor(
    [primary, ...secondaries]: readonly [Site, ...Site[]],
    log: SyncLog,
    claim: Claim = { writer: '', takeOver: false },
  ) {
    this.primary = primary;
    this.log = log;
    this.claim = claim;
    this.board = new SiteBoard([primary, ...secondaries]);
    this.writer = new Worker(
      () => this.write(),
      (error) => this.writeFailed(error),
    );
    this.followers = secondaries.map((site) => this.follow(site));
    this.notifier = new Worker(
      () => this.notifyLate(),
      (error) => log.warn({ error: String(error) }, 'NOTIFY was not sent'),
    );
    this.timer = setInterval(() => this.repair(), repairMillis);
  }

  /** Makes this the zone that all sites shall have. */
  want(zone: RenderedZone): void {
    this.wanted = zone;
    this.writer.poke();
  }

  /** Looks at the sites' records again, and repairs what differs. */
  repair(): void {
    this.held = null;
    this.written = null;
    this.writer.poke();
  }

  settled(revision: number, timeoutMillis: number): Promise<boolean> {
    return this.board.settled(revision, timeoutMillis);
  }

  state(): SyncState {
    return {
      wanted: this.wanted?.revision ?? 0,
      kind: this.kind,
      error: this.error,
      sites: this.board.states(),
    };
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([this.writer, this.notifier, ...this.followers].map((worker) => worker.stop()));
  }

  private async write(): Promise<'done' | 'again'> {
    const zone = this.wanted;
    if (zone === null || zone === this.written || this.kind === 'fenced') return 'done';
    this.kind = 'pushing';
    await this.writeZone(zone);
    this.written = zone;
    this.kind = 'idle';
    this.error = null;
    for (const follower of this.followers) follower.poke();
    this.notifier.poke();
    await this.board.look(this.primary, zone.zone);
    return this.wanted === zone ? 'done' : 'again';
  }

  /** Only the difference is sent; what is there is read first when we cannot know it. */
  private async writeZone(zone: RenderedZone): Promise<void> {
    const before = await this.heldStill(zone.zone);
    this.held = null;
    if (before === null) {
      const check = (present: readonly Rrset[]): void => this.fenceOff(zone, present);
      const sent = await writePrimary(this.primary, zone.zone, zone.rrsets, check);
      if (sent > 0 && this.last === zone.revision)
        this.log.warn({ rrsets: sent }, "another hand had changed the primary's records; they are put right");
    } else {
      const difference = differenceOf(before, zone.rrsets);
      if (difference.length > 0) await patchZone(this.primary.api, zone.zone, difference);
    }
    this.held = zone.rrsets;
    this.last = zone.revision;
  }

  /** What we wrote, if the primary still has that serial; null: it must be read. */
  private async heldStill(zone: string): Promise<readonly Rrset[] | null> {
    if (this.held === null) return null;
    const serial = await servedSerial(this.primary, zone, glanceMillis).catch(() => null);
    return serial === this.last ? this.held : null;
  }

  /** Throws, and stops us until a restart, where the zone is not ours to write. */
  private fenceOff(zone: RenderedZone, present: readonly Rrset[]): void {
    const { writer, takeOver } = this.claim;
    const serial = serialOf(present);
    const found = writerOf(present);
    const isForeign = found !== null && writer !== '' && found !== writer;
    if (serial <= zone.revision && (!isForeign || (takeOver && this.last === null))) return;
    this.kind = 'fenced';
    throw new Error(
      serial > zone.revision
        ? `the primary has serial ${serial}, above our ${zone.revision}: another writer is at work; stop it, then restart`
        : foreignText(found ?? ''),
    );
  }

  /** For secondaries whose API is out of reach. PowerDNS takes a second for each, so only those that are late are told. */
  private async notifyLate(): Promise<'done'> {
    const zone = this.written;
    if (zone !== null && !(await this.board.settled(zone.revision, notifyAfterMillis)))
      await notifyZone(this.primary.api, zone.zone);
    return 'done';
  }

  private writeFailed(error: unknown): void {
    this.held = null;
    this.error = messageOf(error);
    if (this.kind === 'pushing') this.kind = 'failing';
    this.board.fail(this.primary.name, error);
    this.log.warn({ revision: this.wanted?.revision, error: this.error }, 'the primary was not written');
  }

  private follow(site: Site): Worker {
    let pulled = { revision: -1, atMillis: 0 };
    let begun = { revision: -1, atMillis: 0 };
    const step = async (): Promise<'done' | 'again'> => {
      const zone = this.written;
      if (zone === null) return 'done';
      const now = Date.now();
      if (begun.revision !== zone.revision) begun = { revision: zone.revision, atMillis: now };
      if (pulled.revision !== zone.revision || now - pulled.atMillis > pullAgainMillis) {
        pulled = { revision: zone.revision, atMillis: now };
        await pullSecondary(site, this.primary, zone.zone);
      }
      const serial = await this.board.look(site, zone.zone);
      if (serial !== null && serial >= zone.revision) return 'done';
      if (now - begun.atMillis > lateMillis) throw await whyLate(site, this.primary, zone);
      return 'again';
    };
    return new Worker(step, (error) => {
      this.board.fail(site.name, error);
      this.log.warn({ site: site.name, error: String(error) }, 'a secondary was not brought up to date');
    });
  }
}

export function foreignText(writer: string): string {
  return `the zone at the primary is written by another causeway-geodns (${writer}); stop that one, then start this one with --take-over`;
}

/** The highest serial at any site that answers; 0 where none has the zone. Our next revision goes above it. */
export async function highestSerial(sites: readonly Site[], zone: string): Promise<number> {
  const serials = await Promise.all(sites.map((site) => servedSerial(site, zone).catch(() => null)));
  return Math.max(0, ...serials.map((serial) => serial ?? 0));
}

/** Verifies the sites after each revision, and now and then, one round at a time. */
import type { Address } from '../address.ts';
import type { Site } from '../powerdns/site.ts';
import type { Sync } from '../powerdns/sync.ts';
import { Worker } from '../powerdns/worker.ts';
import type { ComposeLog } from './compose.ts';
import type { GeoDnsService } from './service.ts';
import { type Verification, verifySites } from './verify.ts';

const settleMillis = 2000;
/** What a site's databases say may change without us. */
const everyMillis = 60_000;
/** So long after a change, lest questions of our own delay the next one. */
const quietMillis = 1000;

export class Verifier {
  /** null: no round is done yet. */
  last: Verification | null = null;
  private stopped = false;
  private hurry: () => void = () => undefined;
  private addresses: readonly Address[];
  private readonly worker: Worker;
  private readonly timer: NodeJS.Timeout;

  constructor(
    service: GeoDnsService,
    sync: Pick<Sync, 'settled' | 'state'>,
    sites: readonly Site[],
    addresses: readonly Address[],
    log: ComposeLog,
  ) {
    this.addresses = addresses;
    const round = async (): Promise<'done' | 'again'> => {
      const revision = service.zone()?.revision ?? 0;
      await sync.settled(revision, settleMillis);
      await this.quiet();
      if (service.zone()?.revision !== revision || this.stopped) return this.stopped ? 'done' : 'again';
      // A site that is behind or away is told by the sync, and must not keep the others from being looked at.
      const there = new Set(
        sync
          .state()
          .sites.filter(({ serial, error }) => error === null && serial !== null && serial >= revision)
          .map(({ name }) => name),
      );
      const asked = sites.filter(({ name }) => there.has(name));
      if (asked.length === 0) return 'again';
      const found = await verifySites(service, asked, this.addresses);
      // Answers of a zone that changed while we asked prove nothing.
      if (service.zone()?.revision !== revision) return 'again';
      this.last = found;
      if (found.wrong.length > 0) log.error({ ...found }, 'sites answer otherwise than decided');
      return 'done';
    };
    this.worker = new Worker(round, (error) =>
      log.warn({ error: String(error) }, 'the sites could not be verified'),
    );
    this.timer = setInterval(() => this.poke(), everyMillis);
  }

  /** Asks about these users from now on. */
  ask(addresses: readonly Address[]): void {
    this.addresses = addresses;
    this.poke();
  }

  poke(): void {
    this.worker.poke();
  }

  private quiet(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, quietMillis);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopped = true;
    this.hurry();
    return this.worker.stop();
  }
}

/** Verifies the sites after each revision, one round at a time. */
import type { Address } from '../address.ts';
import type { Site } from '../powerdns/site.ts';
import type { Sync } from '../powerdns/sync.ts';
import { Worker } from '../powerdns/worker.ts';
import type { ComposeLog } from './compose.ts';
import type { GeoDnsService } from './service.ts';
import { type Verification, verifySites } from './verify.ts';

const settleMillis = 2000;
/** So long after a change, lest questions of our own delay the next one. */
const quietMillis = 1000;

export class Verifier {
  /** null: no round is done yet. */
  last: Verification | null = null;
  private stopped = false;
  private hurry: () => void = () => undefined;
  private addresses: readonly Address[];
  private readonly worker: Worker;

  constructor(
    service: GeoDnsService,
    sync: Pick<Sync, 'settled'>,
    sites: readonly Site[],
    addresses: readonly Address[],
    log: ComposeLog,
  ) {
    this.addresses = addresses;
    const round = async (): Promise<'done' | 'again'> => {
      const revision = service.zone()?.revision ?? 0;
      if (!(await sync.settled(revision, settleMillis))) return 'again';
      await this.quiet();
      if (service.zone()?.revision !== revision || this.stopped) return this.stopped ? 'done' : 'again';
      const found = await verifySites(service, sites, this.addresses);
      // Answers of a zone that changed while we asked prove nothing.
      if (service.zone()?.revision !== revision) return 'again';
      this.last = found;
      if (found.wrong.length > 0) log.error({ ...found }, 'sites answer otherwise than decided');
      return 'done';
    };
    this.worker = new Worker(round, (error) =>
      log.warn({ error: String(error) }, 'the sites could not be verified'),
    );
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
    this.stopped = true;
    this.hurry();
    return this.worker.stop();
  }
}

/** What each site's own DNS last answered, and who waits for it. */
import { messageOf } from '../../src/types/message-of.ts';
import { servedSerial, type Site } from './site.ts';

export interface SiteState {
  readonly name: string;
  /** What its DNS last answered; null: it has never had the zone. */
  readonly serial: number | null;
  /** Why it could not be asked or brought up to date just now. */
  readonly error: string | null;
}

export class SiteBoard {
  private readonly seen = new Map<string, SiteState>();
  private readonly waiters = new Set<() => void>();

  constructor(sites: readonly Site[]) {
    for (const { name } of sites) this.seen.set(name, { name, serial: null, error: null });
  }

  states(): readonly SiteState[] {
    return [...this.seen.values()];
  }

  /** Asks a site for its serial and keeps the answer; null where it has none to give. */
  async look(site: Site, zone: string): Promise<number | null> {
    try {
      const serial = await servedSerial(site, zone);
      this.note(site.name, { serial, error: null });
      return serial;
    } catch (error) {
      this.fail(site.name, error);
      return null;
    }
  }

  fail(name: string, error: unknown): void {
    this.note(name, { error: messageOf(error) });
  }

  private note(name: string, change: Partial<SiteState>): void {
    const before = this.seen.get(name) ?? { name, serial: null, error: null };
    this.seen.set(name, { ...before, ...change });
    for (const waiter of this.waiters) waiter();
  }

  /** Resolves true when every site has answered with at least this revision, false when time runs out first. */
  settled(revision: number, timeoutMillis: number): Promise<boolean> {
    const there = (): boolean => this.states().every(({ serial }) => serial !== null && serial >= revision);
    if (there()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (answer: boolean): void => {
        clearTimeout(late);
        this.waiters.delete(check);
        resolve(answer);
      };
      const check = (): void => {
        if (there()) end(true);
      };
      const late = setTimeout(() => end(false), timeoutMillis);
      this.waiters.add(check);
    });
  }
}

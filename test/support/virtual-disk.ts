/** A disk in virtual time: writes take a while, or fail; what a killed process had not written yet is never written. */
import type { Journal } from '../../src/store/journal.ts';
import type { JournalRead } from '../../src/store/journal-text.ts';
import type { VirtualTime } from './virtual-time.ts';

export class VirtualDisk {
  /** Entries that are on it. */
  entries: unknown[] = [];
  /** Share of the writes that fail. */
  fails = 0;
  readonly #time: VirtualTime;
  readonly #random: () => number;
  #life = 0;

  constructor(time: VirtualTime, random: () => number) {
    this.#time = time;
    this.#random = random;
  }

  /** What was written until now, and a journal that goes on behind it. */
  readonly open = async (): Promise<{ readonly journal: Journal; readonly read: JournalRead }> => {
    const life = this.#life;
    const write = async (change: () => void): Promise<void> => {
      await this.#time.wait(this.#random() < 0.8 ? 0 : this.#random() * 100);
      if (this.#random() < this.fails) throw new Error('ENOSPC: no space left on device');
      if (life === this.#life) change();
    };
    const copy = (entries: readonly unknown[]): unknown[] => JSON.parse(JSON.stringify(entries)) as unknown[];
    return {
      read: { entries: [...this.entries], goodBytes: 0, tornBytes: 0, damagedLines: [] },
      journal: {
        append: (entry) => write(() => this.entries.push(...copy([entry]))),
        appendAll: (entries) => write(() => this.entries.push(...copy(entries))),
        compact: (entries) => write(() => (this.entries = copy(entries))),
        sizeBytes: () => this.entries.length * 100,
        close: async () => undefined,
      },
    };
  };

  /** Whoever writes now was killed. */
  kill(): void {
    this.#life += 1;
  }
}

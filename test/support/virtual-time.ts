/** Time that passes when a test says so: timers in the order of their moments, each with all that follows from it. */
export class VirtualTime {
  #now = 0;
  #number = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly act: () => void }>();

  readonly now = (): number => this.#now;

  readonly after = (waitMillis: number, act: () => void): (() => void) => {
    this.#number += 1;
    const own = this.#number;
    this.#timers.set(own, { at: this.#now + Math.max(0, waitMillis), act });
    return () => this.#timers.delete(own);
  };

  readonly wait = (waitMillis: number): Promise<void> =>
    new Promise((resolve) => void this.after(waitMillis, resolve));

  /** Lets it run; ends at the moment, with what is due then done. */
  async runTo(atMillis: number): Promise<void> {
    await settle();
    for (;;) {
      const due = this.#nextDue(atMillis);
      if (due === null) break;
      this.#timers.delete(due.own);
      this.#now = Math.max(this.#now, due.at);
      due.act();
      await settle();
    }
    this.#now = Math.max(this.#now, atMillis);
  }

  #nextDue(atMillis: number): { readonly own: number; readonly at: number; readonly act: () => void } | null {
    let found: { readonly own: number; readonly at: number; readonly act: () => void } | null = null;
    for (const [own, { at, act }] of this.#timers)
      if (at <= atMillis && (found === null || at < found.at)) found = { own, at, act };
    return found;
  }
}

/** All that follows in microtasks, however long the chain. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

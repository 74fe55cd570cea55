/** A loop that does one piece of work at a time, again whenever it is poked, and after growing pauses while it fails. */

const leastPauseMillis = 200;
const mostPauseMillis = 5000;

export class Worker {
  private stopped = false;
  private poked = false;
  private wake: () => void = () => undefined;
  private readonly running: Promise<void>;
  private readonly work: () => Promise<'done' | 'again'>;
  private readonly failed: (error: unknown) => void;

  /** `work` says `again` to be called after a short pause; it must not reject for what is expected. */
  constructor(work: () => Promise<'done' | 'again'>, failed: (error: unknown) => void) {
    this.work = work;
    this.failed = failed;
    this.running = this.run();
  }

  poke(): void {
    this.poked = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.poke();
    await this.running;
  }

  private async run(): Promise<void> {
    let pauseMillis = leastPauseMillis;
    let quickMillis = 4;
    while (!this.isStopped()) {
      if (!this.poked) await this.sleep(null);
      if (this.isStopped()) return;
      this.poked = false;
      try {
        const result = await this.work();
        pauseMillis = leastPauseMillis;
        if (result === 'again') {
          await this.sleep(quickMillis);
          quickMillis = Math.min(quickMillis * 1.5, 250);
          this.poked = true;
        } else quickMillis = 4;
      } catch (error) {
        this.failed(error);
        await this.sleep(pauseMillis);
        pauseMillis = Math.min(pauseMillis * 2, mostPauseMillis);
        this.poked = true;
      }
    }
  }

  private isStopped(): boolean {
    return this.stopped;
  }

  /** Until poked, or for so long. */
  private sleep(millis: number | null): Promise<void> {
    return new Promise((resolve) => {
      if (this.poked || this.stopped) {
        resolve();
        return;
      }
      const timer = millis === null ? null : setTimeout(() => this.wake(), millis);
      this.wake = () => {
        if (timer !== null) clearTimeout(timer);
        this.wake = () => undefined;
        resolve();
      };
    });
  }
}

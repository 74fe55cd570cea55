/** What a person should look at, each with the time since when it is so. */
import type { Logger } from 'pino';
import type { StatusDocument } from '../types/wire/status.ts';

export type AlarmCode =
  | 'bird-unreachable'
  | 'prober-silent'
  | 'prober-unable'
  | 'file-behind'
  | 'protocol-missing'
  | 'routing-wrong'
  | 'all-bad'
  | 'last-resort'
  | 'foreign-file'
  | 'step-failed';

export interface Alarm {
  readonly code: AlarmCode;
  readonly text: string;
}

export class Alarms {
  readonly #log: Logger;
  #standing = new Map<string, StatusDocument['alarms'][number]>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** All that is alarming now; what is new is logged, and what has ended too. */
  set(alarms: readonly Alarm[], at: string): void {
    const now = new Map<string, StatusDocument['alarms'][number]>();
    for (const { code, text } of alarms) {
      const key = `${code} ${text}`;
      const known = this.#standing.get(key);
      if (known === undefined) this.#log.error({ alarm: code, text }, 'alarm');
      now.set(key, known ?? { code, text, since: at });
    }
    for (const [key, { code, text }] of this.#standing) {
      if (!now.has(key)) this.#log.info({ alarm: code, text }, 'alarm ended');
    }
    this.#standing = now;
  }

  list(): StatusDocument['alarms'] {
    return [...this.#standing.values()];
  }
}

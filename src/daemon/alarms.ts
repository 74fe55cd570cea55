/** What a person should look at, each with the time since when it is so. */
import type { Logger } from 'pino';
import type { TellHistory } from '../types/history.ts';
import type { StatusDocument } from '../types/wire/status.ts';
import { alarmEvent } from './history-words.ts';

export type AlarmCode =
  | 'bird-unreachable'
  | 'bird-restricted'
  | 'prober-silent'
  | 'prober-unable'
  | 'file-behind'
  | 'protocol-missing'
  | 'export-differs'
  | 'routing-wrong'
  | 'all-bad'
  | 'last-resort'
  | 'no-consent'
  | 'rate'
  | 'capacity'
  | 'foreign-file'
  | 'step-failed'
  | 'apply-unfinished'
  | 'not-ready'
  | 'check-not-run'
  | 'overrides-not-kept'
  | 'override-stands'
  | 'frozen'
  | 'reload-refused'
  | 'config-waits'
  | 'fleet-silent'
  | 'fleet-name-taken'
  | 'fleet-order-refused'
  | 'geodns-behind'
  | 'geodns-target'
  | 'webhook-behind'
  | 'webhook-refused'
  | 'outbox-behind'
  | 'history-behind'
  | 'edge-behind'
  | 'recording-failed';

export interface Alarm {
  readonly code: AlarmCode;
  readonly text: string;
}

export class Alarms {
  readonly #log: Logger;
  readonly #tell: TellHistory;
  #standing = new Map<string, StatusDocument['alarms'][number]>();

  constructor(log: Logger, tell: TellHistory = () => undefined) {
    this.#log = log;
    this.#tell = tell;
  }

  /** All that is alarming now; what is new is logged, and what has ended too. */
  set(alarms: readonly Alarm[], at: string): void {
    const now = new Map<string, StatusDocument['alarms'][number]>();
    for (const { code, text } of alarms) {
      const key = `${code} ${text}`;
      const known = this.#standing.get(key);
      if (known === undefined) {
        this.#log.error({ alarm: code, text }, 'alarm');
        this.#tell(alarmEvent('raised', code, text));
      }
      now.set(key, known ?? { code, text, since: at });
    }
    for (const [key, { code, text }] of this.#standing) {
      if (now.has(key)) continue;
      this.#log.info({ alarm: code, text }, 'alarm ended');
      this.#tell(alarmEvent('ended', code, text));
    }
    this.#standing = now;
  }

  list(): StatusDocument['alarms'] {
    return [...this.#standing.values()];
  }
}

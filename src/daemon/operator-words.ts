/** What operators and windows did, in the log and in the history. */
import type { Logger } from 'pino';
import { subjectText } from '../core/overrides/selection.ts';
import type { Freeze } from '../types/freeze.ts';
import type { HistoryEvent, TellHistory } from '../types/history.ts';
import type { Override } from '../types/override.ts';

export interface OperatorWords {
  /** `by`: who said so; of an override that expired: nobody. */
  override(event: 'set' | 'released' | 'expired', override: Override, by: string): void;
  freeze(event: 'frozen' | 'thawed', freeze: Freeze, by: string): void;
  maintenance(event: 'begins' | 'ends', override: Override): void;
  reload(effect: string, by: string, text: string): void;
}

export function operatorWords(log: Logger, tell: TellHistory): OperatorWords {
  const say = (level: 'info' | 'warn', message: string, event: HistoryEvent): void => {
    const { kind: _, ...told } = event;
    log[level](told, message);
    tell(event);
  };
  return {
    override(event, override, by) {
      const { subject, state, reason, expires } = override;
      const what = subjectText(subject);
      const told = { kind: 'override', event, subject: what, state, expires, author: by } as const;
      say('warn', `override ${event}`, { ...told, reason: 'override', text: reason });
    },
    freeze(event, { reason }, by) {
      say('warn', `wish ${event}`, { kind: 'freeze', event, author: by, reason: 'frozen', text: reason });
    },
    maintenance(event, { subject, state, expires, reason }) {
      const what = subjectText(subject);
      const told = { kind: 'maintenance', event, subject: what, state, expires } as const;
      say('info', `maintenance ${event}`, {
        ...told,
        author: 'maintenance',
        reason: 'maintenance',
        text: reason,
      });
    },
    reload(effect, by, text) {
      say(effect === 'taken' ? 'info' : 'warn', `reload ${effect}`, {
        kind: 'apply',
        step: 'reload',
        effect,
        author: by,
        reason: 'reload',
        text,
      });
    },
  };
}

/** What stands by people's word for longer than people remember it. */
import { subjectText } from '../core/overrides/selection.ts';
import type { Freeze } from '../types/freeze.ts';
import type { Override } from '../types/override.ts';
import type { Alarm } from './alarms.ts';

const dayMillis = 86_400_000;

/** An override without an end is an alarm from its second day on; the text changes daily, so it is told daily. */
export function overrideAlarms(overrides: readonly Override[], wallMillis: number): readonly Alarm[] {
  return overrides.flatMap((override): readonly Alarm[] => {
    const days = Math.floor((wallMillis - Date.parse(override.at)) / dayMillis);
    if (override.expires !== null || !(days >= 1)) return [];
    const { subject, state, author, reason } = override;
    const text = `${state} of ${subjectText(subject)} by ${author} stands for ${days} ${days === 1 ? 'day' : 'days'} without an end (${reason}): release it, or give it one`;
    return [{ code: 'override-stands', text }];
  });
}

export function freezeAlarms(freeze: Freeze | null): readonly Alarm[] {
  if (freeze === null) return [];
  const { author, at, reason } = freeze;
  return [{ code: 'frozen', text: `no verdict changes anything, by ${author} since ${at}: ${reason}` }];
}

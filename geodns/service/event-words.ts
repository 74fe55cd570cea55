/** What happened, in a line for people. */
import { unreachable } from '../../src/types/unreachable.ts';
import type { StateEvent } from '../decision/state.ts';
import { steeringText } from '../steering/entry.ts';

export function wordsOf(event: StateEvent): string {
  switch (event.kind) {
    case 'report': {
      const { target, reason, families } = event.record;
      return `${target}: v4 ${families[4]?.state ?? '-'}, v6 ${families[6]?.state ?? '-'} (${reason})`;
    }
    case 'override':
      return `${event.override.author}: ${event.override.glob} ${event.override.state}: ${event.override.reason}`;
    case 'release':
      return `${event.author}: ${event.glob}`;
    case 'steer':
      return steeringText(event.entry);
    case 'freeze':
      return `${event.author}: ${event.freeze === null ? 'thawed' : `frozen: ${event.freeze.reason}`}`;
    case 'revision':
      return `${event.revision}: ${event.text}`;
    default:
      return unreachable(event);
  }
}

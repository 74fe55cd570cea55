/** What a person can do in BIRD when the daemon does not run. Hands in BIRD are adopted by the daemon's next start. */
import type { Selection } from '../core/overrides/selection.ts';
import type { AnnounceState } from '../types/wire/enums.ts';

export function birdcAdvice(state: AnnounceState, { uplink, service, family }: Selection): readonly string[] {
  const tail = `${uplink ?? '*'}_${service ?? '*'}${family ?? '*'}`;
  const announce = `'"announce_${tail}"'`;
  const drain = `'"drain_${tail}"'`;
  return [
    'Meanwhile, in BIRD (the next start of the daemon adopts it):',
    ...commandsFor(state, announce, drain).map((command) => `  birdc ${command}`),
    'See what it does with `birdc show protocols`. Any `birdc configure` undoes it until the daemon runs again.',
  ];
}

function commandsFor(state: AnnounceState, announce: string, drain: string): readonly string[] {
  switch (state) {
    case 'announce':
      return [`enable ${announce}`, `disable ${drain} "reason"`];
    case 'drain':
      return [`enable ${drain}`];
    case 'withdraw':
      return [`disable ${announce} "reason"`, `disable ${drain} "reason"`];
  }
}

/** Gauges of the whole node: BIRD, the prober, overrides, freeze, budgets, alarms, and the age of the tick. */
import { announceState } from '../../types/wire/enums.ts';
import type { StatusDocument } from '../../types/wire/status.ts';
import { single, stateSet, type StatusGauge } from './status-gauge.ts';
import { seconds } from './uplink-gauges.ts';

const proberStates = ['starting', 'running', 'unable', 'silent'];
/** Who speaks: people are one, whatever their names. */
const overrideSources = ['operator', 'birdc', 'maintenance'];

export const nodeGauges: readonly StatusGauge[] = [
  {
    name: 'causeway_config_info',
    help: 'Always 1; the name of the node and the mode of its config.',
    labels: ['node', 'mode'],
    rows: ({ node, mode }) => [{ labels: { node, mode }, value: 1 }],
  },
  {
    name: 'causeway_start_time_seconds',
    help: 'Wall time of the start of the daemon, in seconds since 1970.',
    labels: [],
    rows: ({ startedAt }) => single(Date.parse(startedAt) / 1000),
  },
  {
    name: 'causeway_tick_age_seconds',
    help: 'How long ago the last tick ended.',
    labels: [],
    rows: ({ tickAgeMillis }) => single(seconds(tickAgeMillis)),
  },
  {
    name: 'causeway_bird_reachable',
    help: 'Whether BIRD was read in the last tick.',
    labels: [],
    rows: ({ bird }) => single(Number(bird.kind === 'seen')),
  },
  {
    name: 'causeway_bird_info',
    help: 'Always 1; the version of BIRD. Absent while BIRD is unreachable.',
    labels: ['version'],
    rows: ({ bird }) => (bird.kind === 'seen' ? [{ labels: { version: bird.version }, value: 1 }] : []),
  },
  {
    name: 'causeway_prober_state',
    help: 'The prober process: 1 for the state that it has.',
    labels: ['state'],
    rows: ({ prober }) => stateSet({}, proberStates, prober.kind),
  },
  {
    name: 'causeway_prober_resident_memory_bytes',
    help: 'Resident memory of the prober process.',
    labels: [],
    rows: ({ prober }) => single(prober.kind === 'running' ? prober.rssBytes : null),
  },
  {
    name: 'causeway_prober_loop_lag_seconds',
    help: 'Longest delay of the event loop of the prober in its last report, a fifth of a second.',
    labels: [],
    rows: ({ prober }) => single(prober.kind === 'running' ? seconds(prober.lagMillis) : null),
  },
  {
    name: 'causeway_frozen',
    help: 'Whether the wish is frozen.',
    labels: [],
    rows: ({ freeze }) => single(Number(freeze !== null && freeze !== undefined)),
  },
  {
    name: 'causeway_overrides',
    help: 'Overrides that stand, by what they say and who said it: operator, birdc (a hand in BIRD) or maintenance (a window).',
    labels: ['state', 'source'],
    rows: ({ overrides }) =>
      announceState.options.flatMap((state) =>
        overrideSources.map((source) => ({
          labels: { state, source },
          value: overrides.filter((one) => one.state === state && sourceOf(one.author) === source).length,
        })),
      ),
  },
  {
    name: 'causeway_overrides_without_end',
    help: 'Overrides that do not expire.',
    labels: [],
    rows: ({ overrides }) => single(overrides.filter(({ expires }) => expires === null).length),
  },
  {
    name: 'causeway_withdrawals_in_window',
    help: 'Uplink events that guards.max_withdrawals counts now.',
    labels: [],
    rows: ({ guards }) => single(guards?.maxWithdrawals.used),
  },
  {
    name: 'causeway_withdrawals_limit',
    help: 'Uplink events that guards.max_withdrawals allows in its window.',
    labels: [],
    rows: ({ guards }) => single(guards?.maxWithdrawals.count),
  },
  {
    name: 'causeway_alarms',
    help: 'Alarms that stand, by code; a code that has none has no series.',
    labels: ['code'],
    rows: ({ alarms }) => [...countedByCode(alarms)].map(([code, value]) => ({ labels: { code }, value })),
  },
  {
    name: 'causeway_shadow_disagreeing_announcements',
    help: 'Announcements that the shadow policy wishes otherwise now; absent where the config has no shadow.',
    labels: [],
    rows: ({ shadow }) => single(shadow?.disagreeing.length),
  },
];

function sourceOf(author: string): string {
  return overrideSources.includes(author) ? author : 'operator';
}

function countedByCode(alarms: StatusDocument['alarms']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of alarms) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/** Metrics of what is measured and refreshed: beacons, measured steering, statistics, databases. */
import type { DataParts } from '../data/parts.ts';
import type { GeoDnsService } from '../service/service.ts';
import { halvedText } from '../statistics/usual.ts';
import { acts } from '../steering/entry.ts';
import { counter, gauge, labels, type Sample } from './metrics.ts';

/** Lines of `/metrics`, each ended. */
export function dataMetricsText(data: DataParts | undefined, service: GeoDnsService): string {
  return data === undefined ? '' : `${dataMetrics(data, service).join('\n')}\n`;
}

function dataMetrics(data: DataParts, service: GeoDnsService): readonly string[] {
  const { state, nowMillis } = service.view();
  const proposals = data.steerer.proposals();
  const byHold = new Map<string, number>();
  for (const { held } of proposals) byHold.set(held ?? 'none', (byHold.get(held ?? 'none') ?? 0) + 1);
  const acting = [...state.steering.values()].filter((entry) => acts(entry, nowMillis));
  return [
    ...counter(
      'causeway_geodns_beacons_total',
      'Beacons, by what became of them.',
      [...(data.rum?.intake.totals ?? [])].map(([fate, count]): Sample => [labels({ fate }), count]),
    ),
    ...gauge('causeway_geodns_beacon_cells', 'Segments and carriers that were measured in this slot.', [
      ['', data.collector.size],
    ]),
    ...gauge(
      'causeway_geodns_steering_proposals',
      'Rules that should try another pool first, by what holds it.',
      [...byHold].map(([held, count]): Sample => [labels({ held }), count]),
    ),
    ...gauge('causeway_geodns_steered_rules', 'Rules whose order is another than written.', [
      ['', acting.length],
    ]),
    ...gauge('causeway_geodns_frozen', '1 while nothing changes by itself.', [
      ['', service.isFrozen() ? 1 : 0],
    ]),
    ...gauge(
      'causeway_geodns_halved_shares',
      'Networks, ASNs and carriers with less than half of their share.',
      [['', data.statistics.halved(nowMillis).length]],
    ),
    ...refreshMetrics(data),
  ];
}

function refreshMetrics({ refresher }: DataParts): readonly string[] {
  if (refresher === null) return [];
  const { last } = refresher.state();
  const samples: Sample[] =
    last === null ? [] : [[labels({ outcome: last.kind }), Date.parse(last.at) / 1000]];
  return gauge(
    'causeway_geodns_refresh_seconds',
    'When the last refresh of databases ended, Unix time.',
    samples,
  );
}

/** Sentences of `/v1/state`: who lost half of their share, and a refresh that needs a person. */
export function dataAlarms(
  data: DataParts | undefined,
  nowMillis: number,
): { readonly halvedShares: readonly string[]; readonly databases: readonly string[] } {
  const last = data?.refresher?.state().last ?? null;
  const isFine = last === null || last.kind === 'refreshed' || last.kind === 'unchanged';
  return {
    halvedShares: (data?.statistics.halved(nowMillis) ?? []).map(halvedText),
    databases: isFine ? [] : [`${last.kind} at ${last.at}: ${last.lines.join('; ')}`],
  };
}

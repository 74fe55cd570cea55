/** The text of `/metrics` (Prometheus exposition format 0.0.4). Names are part of the contract. */
import type { SyncState } from '../powerdns/sync.ts';
import type { GeoDnsService } from '../service/service.ts';
import type { Verification } from '../service/verify.ts';

export function metricsText(
  service: GeoDnsService,
  sync: SyncState,
  verification: Verification | null,
): string {
  const view = service.view();
  const degraded = service.zone()?.degraded ?? [];
  const lines = [
    ...gauge('causeway_geodns_revision', 'Serial that all sites shall have.', [['', sync.wanted]]),
    ...gauge(
      'causeway_geodns_site_serial',
      'Serial that a site last answered with.',
      sync.sites.map(({ name, serial }) => [`{site="${name}"}`, serial ?? 0]),
    ),
    ...gauge(
      'causeway_geodns_site_behind',
      '1 while a site does not have the wanted serial.',
      sync.sites.map(({ name, serial }) => [`{site="${name}"}`, serial === sync.wanted ? 0 : 1]),
    ),
    ...gauge('causeway_geodns_fenced', '1 when another writer has a higher serial.', [
      ['', sync.kind === 'fenced' ? 1 : 0],
    ]),
    ...gauge('causeway_geodns_held_reports', 'Reports of down that the guard holds.', [['', view.held.size]]),
    ...gauge('causeway_geodns_degraded_answers', 'Answers below the level normal.', [['', degraded.length]]),
    ...gauge('causeway_geodns_silent_nodes', 'Nodes that have said nothing for too long.', [
      ['', service.silentNodes().length],
    ]),
    ...gauge(
      'causeway_geodns_wrong_answers',
      'Answers of sites that were not as decided when last verified.',
      [['', verification?.wrong.length ?? 0]],
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function gauge(
  name: string,
  help: string,
  samples: readonly (readonly [string, number])[],
): readonly string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
  ];
}

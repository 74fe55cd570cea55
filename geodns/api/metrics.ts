/** The text of `/metrics` (Prometheus exposition format 0.0.4). Names are part of the contract, listed in docs/geodns.md. */
import { availabilityOf } from '../decision/availability.ts';
import type { ToldState } from '../../src/types/wire/enums.ts';
import { families } from '../../src/types/units.ts';
import type { SyncState } from '../powerdns/sync.ts';
import type { Heard, GeoDnsService } from '../service/service.ts';
import type { Verification } from '../service/verify.ts';
import type { SiteLag } from './site-lag.ts';

/** What is counted from the start on. */
export class RequestCounts {
  private readonly requests = new Map<string, number>();
  private readonly reports = new Map<string, number>();
  /** Of the event stream, now. */
  followers = 0;

  /** `route` as it is declared; null: of none. */
  add(method: string, route: string | null, status: number): void {
    const key = labels({ method, route: route ?? 'none', status: String(status) });
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1);
  }

  heard(heard: readonly Heard[]): void {
    for (const { answer } of heard) {
      const key = labels({ answer });
      this.reports.set(key, (this.reports.get(key) ?? 0) + 1);
    }
  }

  lines(): readonly string[] {
    return [
      ...metric('counter', 'causeway_geodns_requests_total', 'Requests that were answered.', [
        ...this.requests,
      ]),
      ...metric('counter', 'causeway_geodns_reports_total', 'Reports of uplinks, by what became of them.', [
        ...this.reports,
      ]),
      ...metric('gauge', 'causeway_geodns_event_followers', 'Clients that follow the events.', [
        ['', this.followers],
      ]),
    ];
  }
}

export interface Measured {
  readonly service: GeoDnsService;
  readonly sync: SyncState;
  readonly verification: Verification | null;
  readonly counts: RequestCounts;
  readonly lag: SiteLag;
  /** Number of the rules that are in force. */
  readonly rules: number;
}

export function metricsText(measured: Measured): string {
  const { service, sync, counts } = measured;
  const lines = [
    ...siteMetrics(measured),
    ...stateMetrics(measured),
    ...gauge(
      'causeway_geodns_database_built_seconds',
      'When a database in use was built, Unix time.',
      service.parts.databases.map(({ path, builtAt }) => [labels({ path }), builtAt.getTime() / 1000]),
    ),
    ...gauge('causeway_geodns_fenced', '1 when another writer has a higher serial.', [
      ['', sync.kind === 'fenced' ? 1 : 0],
    ]),
    ...counts.lines(),
  ];
  return `${lines.join('\n')}\n`;
}

function siteMetrics({ sync, lag, verification }: Measured): readonly string[] {
  const site = (name: string): string => labels({ site: name });
  return [
    ...gauge('causeway_geodns_revision', 'Serial that all sites shall have.', [['', sync.wanted]]),
    ...gauge(
      'causeway_geodns_site_serial',
      'Serial that a site last answered with.',
      sync.sites.map(({ name, serial }) => [site(name), serial ?? 0]),
    ),
    ...gauge(
      'causeway_geodns_site_behind',
      '1 while a site does not have the wanted serial.',
      sync.sites.map(({ name, serial }) => [site(name), serial === sync.wanted ? 0 : 1]),
    ),
    ...gauge(
      'causeway_geodns_site_behind_seconds',
      'For how long a site has lacked a revision.',
      sync.sites.flatMap((one): Sample[] => {
        const { behindSeconds } = lag.of(one, sync.wanted);
        return behindSeconds === null ? [] : [[site(one.name), behindSeconds]];
      }),
    ),
    ...gauge('causeway_geodns_verified_answers', 'Answers of sites that were asked for when last verified.', [
      ['', verification?.asked ?? 0],
    ]),
    ...gauge(
      'causeway_geodns_wrong_answers',
      'Answers of sites that were not as decided when last verified.',
      [['', verification?.wrong.length ?? 0]],
    ),
  ];
}

const steps: Readonly<Record<ToldState, number>> = { up: 1, drain: 0.5, down: 0 };

function stateMetrics({ service, rules }: Measured): readonly string[] {
  const view = service.view();
  const degraded = service.zone()?.degraded ?? [];
  const targets = [...view.rules.targets.values()].flatMap((target) =>
    families
      .filter((family) => target.addresses[family] !== undefined)
      .map((family): Sample => {
        const { state } = availabilityOf(view, target, { family, country: null, service: null });
        return [labels({ target: target.name, family: String(family) }), steps[state]];
      }),
  );
  const overrides = view.state.overrides.filter(({ untilMillis }) => untilMillis > view.nowMillis);
  return [
    ...gauge('causeway_geodns_rules_revision', 'Number of the rules in force.', [['', rules]]),
    ...gauge('causeway_geodns_target_up', '1: in the answers, 0.5: drained, 0: down.', targets),
    ...gauge('causeway_geodns_overrides', 'Overrides that stand.', [['', overrides.length]]),
    ...gauge('causeway_geodns_held_reports', 'Reports of down that the guard holds.', [['', view.held.size]]),
    ...gauge('causeway_geodns_degraded_answers', 'Answers below the level normal.', [['', degraded.length]]),
    ...gauge('causeway_geodns_silent_nodes', 'Nodes that have said nothing for too long.', [
      ['', service.silentNodes().length],
    ]),
  ];
}

/** Labels in braces, or nothing; and the value. */
export type Sample = readonly [string, number];

export function counter(name: string, help: string, samples: readonly Sample[]): readonly string[] {
  return metric('counter', name, help, samples);
}

export function gauge(name: string, help: string, samples: readonly Sample[]): readonly string[] {
  return metric('gauge', name, help, samples);
}

function metric(
  type: 'gauge' | 'counter',
  name: string,
  help: string,
  samples: readonly Sample[],
): readonly string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([text, value]) => `${name}${text} ${value}`),
  ];
}

/** `{site="hkg"}`, escaped as the format wants it. */
export function labels(values: Readonly<Record<string, string>>): string {
  const escaped = (value: string): string =>
    value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `{${Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`;
}

/**
 * The Grafana dashboard and the alert rules ask for labels that the metrics have, in expressions that Prometheus takes; and the
 * dashboard is one that Grafana shows as it is meant.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type HttpWorld, openHttpWorld } from '../support/http-world.ts';
import { statusOf } from './host-node.ts';

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: unknown;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: unknown;
  readonly targets?: readonly Target[];
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly options?: { readonly yAxis?: { readonly unit?: string } };
}
interface Variable {
  readonly name: string;
  readonly type: string;
  readonly datasource?: unknown;
  readonly query: string | { readonly query: string };
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly { readonly expr: string; readonly textFormat: string }[] };
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const dashboard: Dashboard = JSON.parse(readFileSync('docs/grafana/causeway.json', 'utf8'));
const rules: readonly Rule[] = parse(
  readFileSync('docs/prometheus/causeway.rules.yaml', 'utf8'),
).groups.flatMap((group: { readonly rules: readonly Rule[] }) => group.rules);
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const targets = panels.flatMap((panel) => panel.targets ?? []);
const source = { type: 'prometheus', uid: '${datasource}' };

/** Prometheus puts these on every series. */
const ofEverySeries = ['instance', 'job'];

let world: HttpWorld;
/** Labels by metric; a histogram has a name for each of its parts. */
const labelsOf = new Map<string, readonly string[]>([
  ['up', []],
  ['process_resident_memory_bytes', []],
  ['process_cpu_seconds_total', []],
]);
/** What is written in `/metrics`, as `name state`. */
const states = new Set<string>();

beforeAll(async () => {
  world = await openHttpWorld({ ticks: false });
  for (const { name, labels } of world.metrics.list()) {
    for (const part of ['', '_count', '_sum']) labelsOf.set(`${name}${part}`, labels);
    labelsOf.set(`${name}_bucket`, [...labels, 'le']);
  }
  const web = { service: 'web', readiness: 'ready', text: '', sinceSeconds: 1, checks: [] } as const;
  world.document = statusOf({ services: [web] });
  const { body } = await ask(world.port, { path: '/metrics' });
  for (const [, name, state] of body.matchAll(/^(\w+)\{.*state="([^"]*)"/gm)) states.add(`${name} ${state}`);
});
afterAll(() => world.close());

interface Use {
  readonly metric: string;
  readonly label: string;
  readonly value: string;
}

/** `NAME{label="value", …}` wherever it stands. */
function matchersIn(expr: string): readonly Use[] {
  return [...expr.matchAll(/\b([a-z_]+)\{([^}]*)\}/g)].flatMap(([, metric = '', inside = '']) =>
    [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', value = '']) => ({
      metric,
      label,
      value,
    })),
  );
}

/** Labels that the result of the expression may have: of what it is summed by last, else of all of its metrics. */
function labelsLeft(expr: string): ReadonlySet<string> {
  const outermost = /^(?:histogram_quantile\([\d.]+, )?(?:sum|min|max|count) by \(([^)]*)\)/.exec(
    expr.trim(),
  )?.[1];
  return new Set(outermost === undefined ? labelsIn(expr) : outermost.split(/,\s*/));
}

function labelsIn(expr: string): readonly string[] {
  const metrics = [...labelsOf.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(expr));
  return [...ofEverySeries, ...metrics.flatMap((name) => labelsOf.get(name) ?? [])];
}

/** What an expression names that no metric has, one sentence each. */
function faultsIn(expr: string): readonly string[] {
  const strange = matchersIn(expr).flatMap(({ metric, label, value }) => {
    const labels = labelsOf.get(metric);
    if (labels === undefined) return [`no metric ${metric}`];
    if (![...labels, ...ofEverySeries].includes(label)) return [`${metric} has no label ${label}`];
    const unknown =
      label === 'state' ? value.split('|').filter((one) => !states.has(`${metric} ${one}`)) : [];
    return unknown.map((one) => `${metric} has no state ${one}`);
  });
  const grouped = [...expr.matchAll(/\b(?:by|on|ignoring|without) ?\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/,\s*/),
  );
  const known = labelsIn(expr);
  return [...strange, ...grouped.filter((one) => !known.includes(one)).map((one) => `nothing has ${one}`)];
}

describe('expressions', () => {
  const expressions = (): readonly string[] => [
    ...targets.map(({ expr }) => expr),
    ...dashboard.annotations.list.map(({ expr }) => expr),
    ...rules.map(({ expr }) => expr),
  ];

  test('name labels and states that their metrics have', () => {
    expect(expressions().length).toBeGreaterThan(50);
    expect(states.size).toBeGreaterThan(10);
    expect(expressions().flatMap((expr) => faultsIn(expr).map((fault) => `${fault}: ${expr}`))).toEqual([]);
  });

  test('that name others are found out', () => {
    expect(faultsIn('sum by (instance, colour) (causeway_frozen{node="x"})')).toEqual([
      'causeway_frozen has no label node',
      'nothing has colour',
    ]);
    expect(faultsIn('causeway_uplink_health_state{state=~"failed|broken"}')).toEqual([
      'causeway_uplink_health_state has no state broken',
    ]);
    expect(faultsIn('causeway_nothing{state="x"}')).toEqual(['no metric causeway_nothing']);
  });

  test('keep the labels that legends and sentences show', () => {
    const shown = [
      ...targets.map(({ expr, legendFormat }) => ({ expr, text: legendFormat })),
      ...dashboard.annotations.list.map(({ expr, textFormat }) => ({ expr, text: textFormat })),
      ...rules.map(({ expr, annotations }) => ({ expr, text: Object.values(annotations).join(' ') })),
    ];
    const lost = shown.flatMap(({ expr, text }) =>
      [...text.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)]
        .map(([, label = '']) => label)
        .filter((label) => !labelsLeft(expr).has(label))
        .map((label) => `${label}: ${expr}`),
    );
    expect(lost).toEqual([]);
  });

  test('of the dashboard are such that Prometheus takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-dashboard-'));
    try {
      const plain = (expr: string): string =>
        expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*');
      const all = [...targets, ...dashboard.annotations.list];
      const recorded = all.map(({ expr }, index) => ({ record: `dashboard:${index}`, expr: plain(expr) }));
      const file = join(folder, 'rules.yaml');
      writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
      const { exitCode, stderr } = await execa('promtool', ['check', 'rules', file], { reject: false });
      expect([exitCode, stderr]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the dashboard', () => {
  test('has a place, a title and a number of its own for each panel', () => {
    expect(dashboard).toMatchObject({
      uid: 'causeway',
      title: 'Causeway',
      schemaVersion: expect.any(Number),
    });
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const wide = dashboard.panels.filter(({ title, gridPos: { x, w } }) => title === '' || x + w > 24);
    expect(wide.map(({ id }) => id)).toEqual([]);
    const places = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    // No two panels lie over each other.
    expect(new Set(places).size).toBe(places.length);
  });

  test('asks the chosen data source alone, each question under a letter of its own', () => {
    const [first, ...others] = dashboard.templating.list;
    expect(first).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    for (const one of [...others, ...panels, ...targets, ...dashboard.annotations.list])
      expect(one).toMatchObject({ datasource: source });
    const unclear = panels.filter(({ targets: asked = [] }) => {
      const letters = new Set(asked.map(({ refId }) => refId));
      return letters.size === 0 || letters.size !== asked.length;
    });
    expect(unclear.map(({ title }) => title)).toEqual([]);
  });

  test('uses variables that it declares, made of labels that there are', () => {
    const names = dashboard.templating.list.map(({ name }) => name);
    const used = JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g);
    const known = [...names, '__rate_interval', '__all'];
    expect([...used].map(([, name = '']) => name).filter((name) => !known.includes(name))).toEqual([]);
    const queries = dashboard.templating.list.flatMap(({ query }) =>
      typeof query === 'string' ? [] : [query.query],
    );
    expect(queries).toHaveLength(names.length - 1);
    const strange = queries.filter((query) => {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
      const labels = labelsOf.get(metric);
      return labels === undefined || ![...labels, 'instance'].includes(label);
    });
    expect(strange).toEqual([]);
  });

  test('says the unit of what has one', () => {
    const wrong = panels.flatMap(({ title, type, targets: asked = [], fieldConfig, options }) => {
      if (type !== 'timeseries' && type !== 'heatmap') return [];
      const unit = options?.yAxis?.unit ?? fieldConfig?.defaults.unit ?? 'none';
      const wanted = new Set(asked.map(({ expr }) => unitOf(expr)));
      return wanted.size === 1 && wanted.has(unit)
        ? []
        : [`${title}: ${unit}, not ${[...wanted].join(', ')}`];
    });
    expect(wrong).toEqual([]);
  });

  /** As Grafana calls it; by the names that metrics have by convention. */
  function unitOf(expr: string): string {
    if (/_cpu_seconds_total/.test(expr)) return 'percentunit';
    if (/\brate\(.*_requests_total/.test(expr)) return 'reqps';
    if (/\brate\(.*_total/.test(expr)) return 'cps';
    if (/_seconds(_bucket)?\b/.test(expr)) return 's';
    if (/_ratio\b/.test(expr)) return 'percentunit';
    return /_bytes\b/.test(expr) ? 'bytes' : 'none';
  }
});

/** The metrics: what they say is what the status says, they are well formed, and the documents name those that are. */
import { readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notRunReasons, type ProbeTask, type Sample } from '../../src/types/outcome.ts';
import { instant, millis } from '../../src/types/units.ts';
import { statusDocument, type StatusDocument } from '../../src/types/wire/status.ts';
import { ask, event, type HttpWorld, openHttpWorld } from '../support/http-world.ts';
import { familyStatus, statusOf } from './host-node.ts';

let world: HttpWorld;
beforeAll(async () => {
  world = await openHttpWorld({ ticks: false });
});
afterAll(() => world.close());

/** Series by name and labels, as they are written. */
async function scrape(document: StatusDocument = world.document): Promise<ReadonlyMap<string, number>> {
  world.document = document;
  const { body } = await ask(world.port, { path: '/metrics' });
  return seriesOf(body);
}

function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** A node in trouble: cmi has failed, is held and its session is away; things are frozen and overridden. */
function troubled(): StatusDocument {
  const base = statusOf();
  const [cmi, ...others] = base.uplinks;
  if (cmi === undefined) throw new Error('no uplink');
  const sick = familyStatus({
    health: 'failed',
    reason: 'loss',
    evidence: { ...familyStatus().evidence, loss: 0.31, rttP95Millis: null, badTargets: 7 },
    session: { state: 'Active' },
  });
  const announcements = sick.announcements.map((one) => ({
    ...one,
    held: { guard: 'last-resort' as const, text: 'the last one', remainingSeconds: null },
    seen: 'session-down' as const,
    changesLeft: 2,
  }));
  const families = { ...cmi.families, 4: { ...sick, announcements } };
  return {
    ...base,
    alarms: [{ code: 'rate', text: 'x', since: base.startedAt }],
    bird: { kind: 'unreachable', path: '/run/bird/bird.ctl', code: 'ENOENT', text: 'gone' },
    prober: { kind: 'silent', text: 'no message' },
    uplinks: [{ ...cmi, families }, ...others],
    freeze: { author: 'kim', reason: 'x', at: base.startedAt },
  };
}

describe('within one tick', () => {
  test.each([
    ['a node that is well', () => statusOf()],
    ['a node in trouble', () => troubled()],
  ])('the metrics of %s are what its status says', async (_name, make) => {
    const series = await scrape(make());
    const { body } = await ask(world.port, { path: '/v1/status' });
    const status = statusDocument.parse(JSON.parse(body));
    let compared = 0;
    for (const { uplink, families } of status.uplinks)
      for (const [family, of] of Object.entries(families)) {
        if (of === undefined) continue;
        const at = (name: string, more = '') =>
          series.get(`${name}{uplink="${uplink}",family="${family}"${more}}`);
        expect(at('causeway_uplink_loss_ratio') ?? null).toBe(of.evidence.loss);
        const { rttP95Millis } = of.evidence;
        expect(at('causeway_uplink_rtt_p95_seconds') ?? null).toBe(
          rttP95Millis === null ? null : rttP95Millis / 1000,
        );
        expect(at('causeway_session_established')).toBe(of.session.state === 'Established' ? 1 : 0);
        for (const state of ['unknown', 'healthy', 'degraded', 'failed'])
          expect(at('causeway_uplink_health_state', `,state="${state}"`)).toBe(state === of.health ? 1 : 0);
        for (const { service, wish, seen, held } of of.announcements) {
          const one = `{service="${service}",uplink="${uplink}",family="${family}"`;
          expect(series.get(`causeway_announcement_wish_state${one},state="${wish}"}`)).toBe(1);
          expect(series.get(`causeway_announcement_seen_state${one},state="${seen}"}`)).toBe(1);
          expect(series.get(`causeway_announcement_held${one}}`)).toBe(held === null ? 0 : 1);
          compared += 1;
        }
      }
    expect(compared).toBeGreaterThan(0);
    expect(series.get('causeway_bird_reachable')).toBe(status.bird.kind === 'seen' ? 1 : 0);
    expect(series.get(`causeway_prober_state{state="${status.prober.kind}"}`)).toBe(1);
    expect(series.get('causeway_frozen')).toBe(status.freeze === null || status.freeze === undefined ? 0 : 1);
  });

  test('the companions are told of where there are some', async () => {
    const group = { service: 'web', family: 4, consent: 'refused', announcingNodes: 2, text: 'x' } as const;
    const told = { epoch: 1, seq: 1, at: statusOf().startedAt, result: 'older', text: 'x' } as const;
    const origin = { pool: 'app', address: '192.0.2.10', port: 443, up: true, via: [] };
    const fleet = {
      redis: 'x',
      link: 'settling',
      text: 'x',
      consentInSeconds: 3,
      nodes: [],
      groups: [group],
      findings: [],
    } as const;
    const series = await scrape({
      ...statusOf(),
      fleet,
      webhooks: [{ name: 'old', waiting: 2, refused: 1, waitingSeconds: 9, trouble: null }],
      edge: { host: 'x', accepting: true, nodesActive: 1, told, origins: [origin, { ...origin, up: false }] },
    });
    expect(series.get('causeway_fleet_link_state{state="settling"}')).toBe(1);
    expect(series.get('causeway_fleet_other_announcing_nodes{service="web",family="4"}')).toBe(2);
    expect(series.get('causeway_fleet_consent_state{service="web",family="4",state="refused"}')).toBe(1);
    expect(series.get('causeway_webhook_waiting{webhook="old"}')).toBe(3);
    expect(series.get('causeway_edge_taken')).toBe(0);
    expect(series.get('causeway_edge_origins_up{pool="app"}')).toBe(1);
    const none = [...(await scrape(statusOf())).keys()];
    expect(none.filter((name) => /^causeway_(fleet|geodns|webhook|edge)/.test(name))).toEqual([]);
  });

  test('both are made from one document, however many ask', async () => {
    const ticking = await openHttpWorld();
    try {
      const paths = ['/metrics', '/v1/status', '/v1/uplinks/cmi', '/healthz', '/readyz', '/v1/explain/cmi'];
      await Promise.all([...paths, ...paths, ...paths].map((path) => ask(ticking.port, { path })));
      // Where no tick ends, ages must grow: on a slow machine it is made once more.
      expect(ticking.made).toBeGreaterThan(0);
      expect(ticking.made).toBeLessThan(paths.length);
    } finally {
      await ticking.close();
    }
  });

  test('what is not known has no series', async () => {
    const series = await scrape(troubled());
    const names = [...series.keys()];
    expect(names.filter((name) => name.startsWith('causeway_prober_resident_memory_bytes'))).toEqual([]);
    expect(names.filter((name) => name.startsWith('causeway_bird_info'))).toEqual([]);
    const well = await scrape(statusOf());
    expect([...well.keys()].filter((name) => name.startsWith('causeway_alarms'))).toEqual([]);
  });
});

describe('counters', () => {
  const task = (id: number, more: Partial<ProbeTask> = {}): ProbeTask => ({
    id,
    uplink: 'cmi',
    interface: 'eth1',
    source: '192.0.2.1',
    family: 4,
    address: '198.51.100.10',
    target: 'jkt-1',
    region: 'ID',
    class: 'target',
    kind: 'icmp',
    port: 0,
    intervalMillis: millis(200),
    timeoutMillis: millis(1000),
    ...more,
  });
  const sample = (of: number, outcome: Sample['outcome']): Sample => ({
    task: of,
    sentAt: instant(0),
    outcome,
  });

  test('probes are counted by what came of them', async () => {
    const { meters } = world.metrics;
    const tasks = [task(1), task(2, { kind: 'dns' })];
    meters.probed(
      [
        sample(1, { kind: 'answered', rttMillis: millis(40) }),
        sample(1, { kind: 'answered', rttMillis: millis(60) }),
        sample(1, { kind: 'lost' }),
        sample(2, { kind: 'answered', rttMillis: millis(40) }),
        ...notRunReasons.map((why) => sample(1, { kind: 'not-run', why })),
        sample(99, { kind: 'lost' }),
      ],
      tasks,
    );
    const series = await scrape();
    const of = (name: string, more: string) =>
      series.get(`causeway_${name}{uplink="cmi",family="4",${more}}`);
    expect(of('probes_sent_total', 'kind="icmp"')).toBe(3);
    expect(of('probes_answered_total', 'kind="icmp"')).toBe(2);
    expect(of('probes_lost_total', 'kind="icmp"')).toBe(1);
    expect(of('probes_answered_total', 'kind="dns"')).toBe(1);
    for (const why of notRunReasons) expect(of('probes_not_run_total', `reason="${why}"`)).toBe(1);
    // DNS holds the server's own time.
    expect(series.get('causeway_uplink_rtt_seconds_count{uplink="cmi",family="4"}')).toBe(2);
    expect(series.get('causeway_uplink_rtt_seconds_bucket{le="0.05",uplink="cmi",family="4"}')).toBe(1);
  });

  test('a prober that was started again goes on counting', async () => {
    const { meters } = world.metrics;
    for (const [cpuMicros, strays] of [
      [1e6, 5],
      [2e6, 5],
      [500_000, 1],
    ] as const)
      meters.prober(cpuMicros, strays);
    const series = await scrape();
    expect(series.get('causeway_prober_cpu_seconds_total')).toBeCloseTo(2.5);
    expect(series.get('causeway_probes_stray_replies_total')).toBe(6);
  });

  test('the history is counted by kind, and what BIRD said is no label', async () => {
    world.history.follow(world.metrics.meters.told);
    world.history.tell(event('one'));
    const command = {
      command: 'disable',
      protocol: 'announce_cmi_web4',
      author: 'causeway',
      reason: 'x',
      text: 'x',
    };
    world.history.tell({ kind: 'command', ...command, effect: 'failed: 8007 access denied' });
    const series = await scrape();
    expect(series.get('causeway_history_entries_total{kind="alarm"}')).toBe(1);
    expect(series.get('causeway_bird_commands_total{command="disable",effect="failed"}')).toBe(1);
  });

  test('nothing that a client sends becomes a label', async () => {
    await ask(world.port, { path: '/v1/secret-path?x=1' });
    await ask(world.port, { path: '/v1/uplinks/unheard-of' });
    await ask(world.port, { path: '/v1/status', method: 'PROPFIND' }).catch(() => undefined);
    const text = [...(await scrape()).keys()].join('\n');
    expect(text).toContain('causeway_http_requests_total{method="GET",route="none",code="404"}');
    expect(text).toContain(
      'causeway_http_requests_total{method="GET",route="/v1/uplinks/:uplink",code="404"}',
    );
    expect(text).not.toMatch(/secret|unheard|PROPFIND/);
  });
});

describe('documents', () => {
  const file = 'docs/metrics.md';
  const [opened, closed] = ['<!-- table: ', '<!-- end of table -->'];

  test('every metric is listed in docs/metrics.md, as it is', () => {
    const rows = world.metrics
      .list()
      .map(({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`);
    const table = ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
    const text = readFileSync(file, 'utf8');
    const from = text.indexOf('\n', text.indexOf(opened)) + 1;
    const renewed = `${text.slice(0, from)}\n${table}\n\n${text.slice(text.indexOf(closed))}`;
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, renewed);
    expect(readFileSync(file, 'utf8')).toBe(renewed);
  });

  test('alert rules, their tests and the dashboard ask for metrics that are', () => {
    const known = new Set(world.metrics.list().map(({ name }) => name));
    const files = [
      'docs/prometheus/causeway.rules.yaml',
      'docs/prometheus/causeway.test.yaml',
      'docs/prometheus/causeway-slow.test.yaml',
      'docs/grafana/causeway.json',
      file,
    ];
    for (const one of files) {
      const named = new Set(readFileSync(one, 'utf8').match(/\bcauseway_[a-z0-9_]+/g));
      expect(named.size).toBeGreaterThan(2);
      const isKnown = (name: string) =>
        known.has(name) || known.has(name.replace(/_(bucket|sum|count)$/, ''));
      expect([...named].filter((name) => !isKnown(name)).map((name) => `${one}: ${name}`)).toEqual([]);
    }
  });

  test('every alert has a severity, a sentence and a place in the runbook, and is tested', () => {
    const rules = parse(readFileSync('docs/prometheus/causeway.rules.yaml', 'utf8')).groups.flatMap(
      (group: { readonly rules: readonly unknown[] }) => group.rules,
    );
    const tests = ['causeway', 'causeway-slow'].map((name) =>
      readFileSync(`docs/prometheus/${name}.test.yaml`, 'utf8'),
    );
    const titles = readFileSync('docs/runbook.md', 'utf8').matchAll(/^## (.*)$/gm);
    const anchors = [...titles].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
    expect(anchors).toEqual(expect.arrayContaining(['all-bad', 'last-resort', 'no-consent', 'rate']));
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      const place = String(annotations.runbook_url).replace(/^docs\/runbook\.md#/, '');
      // By code, or by guard: those have a section each.
      if (!place.startsWith('{{')) expect(anchors).toContain(place);
      expect(tests.join('\n')).toContain(alert);
    }
  });
});

describe('promtool', () => {
  test('finds no fault in the metrics', async () => {
    world.document = troubled();
    const { body, headers } = await ask(world.port, { path: '/metrics' });
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { stdout, stderr, exitCode } = await execa('promtool', ['check', 'metrics'], {
      input: body,
      reject: false,
    });
    expect(`${stdout}${stderr}`).toBe('');
    expect(exitCode).toBe(0);
  });

  test('finds no fault in the alert rules, and they fire on what they should', async () => {
    const options = { cwd: 'docs/prometheus', reject: false } as const;
    const checked = await execa(
      'promtool',
      ['check', 'rules', '--lint-fatal', 'causeway.rules.yaml'],
      options,
    );
    expect([checked.exitCode, checked.stderr]).toEqual([0, '']);
    const files = ['causeway.test.yaml', 'causeway-slow.test.yaml'];
    const tested = await execa('promtool', ['test', 'rules', ...files], options);
    expect([tested.exitCode, tested.stderr]).toEqual([0, '']);
  });
});

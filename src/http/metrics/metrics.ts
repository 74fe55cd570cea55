/**
 * `GET /metrics` for Prometheus (text format 0.0.4). Gauges are read from the status document, at most once in a tick;
 * counters and histograms are fed as things happen. All of them are listed in docs/metrics.md.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { StatusDocument } from '../../types/wire/status.ts';
import { announcementGauges } from './announcement-gauges.ts';
import { companionGauges } from './companion-gauges.ts';
import { type Meters, openMeters } from './meters.ts';
import { nodeGauges } from './node-gauges.ts';
import type { StatusGauge } from './status-gauge.ts';
import { uplinkGauges } from './uplink-gauges.ts';

/** Of the program that runs. */
export interface BuildInfo {
  readonly version: string;
  /** Of Node.js. */
  readonly runtime: string;
}

/** A metric as docs/metrics.md lists it. */
export interface MetricWords {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

export interface Metrics {
  readonly meters: Meters;
  readonly contentType: string;
  /** All of it as text, with the gauges of this document. */
  readonly text: (document: StatusDocument) => Promise<string>;
  /** Of Causeway's own ones. */
  list(): readonly MetricWords[];
}

/** Gauges of prom-client's that are named like counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];
/** The event loop's delay is sampled this often. */
const lagMillis = 20;

export function openMetrics(build: BuildInfo): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagMillis });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const info = new Gauge({
    name: 'causeway_build_info',
    help: 'Always 1; the version of Causeway and of Node.js.',
    labelNames: ['version', 'runtime'],
    registers: [registry],
  });
  info.set({ version: build.version, runtime: build.runtime }, 1);
  const gauges = [...nodeGauges, ...uplinkGauges, ...announcementGauges, ...companionGauges].map((gauge) => ({
    gauge,
    metric: metricOf(gauge, registry),
  }));
  const meters = openMeters(registry);
  return {
    meters,
    contentType: registry.contentType,
    text(document) {
      for (const { gauge, metric } of gauges) {
        const rows = gauge.rows(document);
        metric.reset();
        // One without labels is 0 after a reset; what is not known is absent.
        if (rows.length === 0 && gauge.labels.length === 0) metric.remove();
        for (const { labels, value } of rows) metric.set(labels, value);
      }
      return registry.metrics();
    },
    list: () => wordsOf(registry),
  };
}

function metricOf({ name, help, labels }: StatusGauge, registry: Registry): Gauge {
  return new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
}

function wordsOf(registry: Registry): readonly MetricWords[] {
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('causeway_'))
    .map((metric) => {
      const labels: unknown = Object.getOwnPropertyDescriptor(metric, 'labelNames')?.value;
      const { name, help, type } = metric;
      return { name, help, type: String(type), labels: Array.isArray(labels) ? labels.map(String) : [] };
    });
}

/**
 * How long the text for BIRD takes to make, against how much there is of it: many sessions, many prefixes, and each size
 * doubled, so that a cost that grows faster than the text shows.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSyntax } from '../bird/owned-file.ts';
import { renderConfig } from '../bird/render/config.ts';
import { birdVersions } from '../lab/bird-versions.ts';
import { readConfig } from '../src/config/read.ts';
import type { NodeConfig, Service, Uplink } from '../src/types/config.ts';
import { report } from './report.ts';

export const help = `bird-render [--bird] [--write FILE.md] [--json]
  renders 1,000 sessions with 10,000 prefixes and other sizes; --bird: has every BIRD that is there check the largest`;

/** DESIGN 10. */
const limitMillis = 200;
/** Twice the text may cost so much more: the rest is what the collector and the caches make of it. */
const linearFactor = 3;

interface Size {
  readonly sessions: number;
  /** Announced on each session. */
  readonly prefixes: number;
}

/** Doubled from one to the next; the last of each row is the size that the limit is for. */
const rows: readonly (readonly Size[])[] = [
  [
    { sessions: 250, prefixes: 10 },
    { sessions: 500, prefixes: 10 },
    { sessions: 1000, prefixes: 10 },
  ],
  [
    { sessions: 3, prefixes: 2500 },
    { sessions: 3, prefixes: 5000 },
    { sessions: 3, prefixes: 10_000 },
  ],
];

interface Result extends Size {
  readonly bytes: number;
  readonly routes: number;
  readonly medianMillis: number;
  /** Of the processor, which other work on the machine lengthens less. */
  readonly medianCpuMillis: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const results = rows.map((sizes) => sizes.map((size) => measure(size)));
  const passed = results.every((row) => isLinear(row)) && results.every((row) => isFast(row));
  const checks = args.includes('--bird') ? await checkAll() : [];
  const accepted = checks.every(({ answer }) => answer === 'ok');
  report(args, {
    name: 'bird-render',
    text: textOf(results, checks),
    json: { limitMillis, results, checks, passed },
  });
  return passed && accepted ? 0 : 1;
}

/** Half of the sessions in each family; a service for each ten prefixes. */
export function nodeOf({ sessions, prefixes }: Size): NodeConfig {
  const template = templateConfig();
  const [uplink] = template.uplinks;
  const [service] = template.services;
  if (uplink === undefined || service === undefined) throw new Error('the template is empty');
  const uplinks = Array.from(
    { length: sessions },
    (_, index): Uplink => ({ ...uplink, name: `u${index}`, table: 1001 + index }),
  );
  const services = Array.from({ length: Math.ceil(prefixes / 10) }, (_, index): Service => {
    const count = Math.min(10, prefixes - 10 * index);
    return {
      ...service,
      name: `s${index}`,
      prefixes: Array.from({ length: count }, (_each, at) => prefixAt(10 * index + at)),
    };
  });
  return { ...template, uplinks, services };
}

function prefixAt(index: number): Service['prefixes'][number] {
  return { family: 4, text: `${20 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.0/24` };
}

function measure(size: Size): Result {
  const config = nodeOf(size);
  const text = renderConfig(config, new Map());
  const runs = Array.from({ length: 9 }, () => {
    const [from, cpuFrom] = [performance.now(), process.cpuUsage()];
    renderConfig(config, new Map());
    const { user, system } = process.cpuUsage(cpuFrom);
    return { millis: performance.now() - from, cpuMillis: (user + system) / 1000 };
  });
  const medianMillis = median(runs.map(({ millis }) => millis));
  const medianCpuMillis = median(runs.map(({ cpuMillis }) => cpuMillis));
  // Both of a pair.
  return {
    ...size,
    bytes: text.length,
    routes: 2 * size.sessions * size.prefixes,
    medianMillis,
    medianCpuMillis,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function isLinear(row: readonly Result[]): boolean {
  return row
    .slice(1)
    .every(({ medianMillis }, index) => medianMillis <= linearFactor * (row[index]?.medianMillis ?? 0));
}

function isFast(row: readonly Result[]): boolean {
  return (row.at(-1)?.medianMillis ?? Number.POSITIVE_INFINITY) <= limitMillis;
}

interface Check extends Size {
  readonly version: string;
  readonly answer: string;
  readonly millis: number;
}

/** What `bird -p` of every version says of the largest texts. */
async function checkAll(): Promise<readonly Check[]> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  try {
    const checks: Check[] = [];
    for (const size of rows.flatMap((row) => row.at(-1) ?? [])) {
      const file = join(folder, 'bird.conf');
      writeFileSync(file, renderConfig(nodeOf(size), new Map()));
      for (const { version, bird } of birdVersions()) {
        const from = performance.now();
        const answer = await checkSyntax(file, { binary: bird });
        checks.push({ ...size, version, answer: answer.kind, millis: performance.now() - from });
      }
    }
    return checks;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function textOf(results: readonly (readonly Result[])[], checks: readonly Check[]): string {
  const lines = results.flatMap((row) =>
    row.map(
      ({ sessions, prefixes, routes, bytes, medianMillis, medianCpuMillis }) =>
        `${sessions.toString().padStart(6)} sessions × ${prefixes.toString().padStart(6)} prefixes  ${routes.toString().padStart(6)} routes  ${(bytes / 1e6).toFixed(1).padStart(5)} MB  ${medianMillis.toFixed(1).padStart(7)} ms (processor ${medianCpuMillis.toFixed(1)} ms)`,
    ),
  );
  const checked = checks.map(
    ({ sessions, prefixes, version, answer, millis }) =>
      `bird -p ${version}: ${answer} after ${millis.toFixed(0)} ms (${sessions} × ${prefixes})`,
  );
  return `${[...lines, `limit: ${limitMillis} ms for the last of each row`, ...checked].join('\n')}\n`;
}

function templateConfig(): NodeConfig {
  const target = (n: number): string => `{ name: t${n}, region: ID, ping: 198.18.0.${n} }`;
  const read = readConfig(
    'bench.yaml',
    `node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
services: { web: { prefixes: [203.0.113.0/24] } }
bird: { layout: whole }
uplinks:
  cmi:
    carrier: cmi
    interface: eth1
    source: 223.118.10.2
    peer: { asn: 58453, address: 223.118.10.1 }
    targets: [${target(1)}, ${target(2)}, ${target(3)}]
`,
  );
  if (read.kind === 'bad') throw new Error(read.problems.map(({ text }) => text).join('\n'));
  return read.config;
}

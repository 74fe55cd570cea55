/** What one step of a large fleet costs, measured, and what all its steps cost together, added up. */
import { numberOption } from '../number-option.ts';
import { report } from '../report.ts';
import { measureRedis, type RedisUnits } from './redis.ts';
import { type FleetShape, type Sum, sumOf } from './sum.ts';
import { measureZone, type ZoneUnits } from './zone.ts';

export const help = `scale [--uplinks N] [--targets N] [--changes N] [--seconds N] [--write FILE.md] [--json]
  Redis, a node's fleet part and the zone of GeoDNS at 100 to 2,000 nodes: each step measured alone, then added up.
  --uplinks  of a node (4); --targets  probed over each of them in both families (50); --changes  of a node in an hour (12)`;

const sizes = [100, 200, 500, 1000, 2000];

export async function run(args: readonly string[]): Promise<number> {
  const fleet: FleetShape = {
    uplinks: numberOption(args, 'uplinks', 4),
    targets: numberOption(args, 'targets', 50),
    changesPerHour: numberOption(args, 'changes', 12),
  };
  const rows = [];
  for (const nodes of sizes) {
    const redis = await measureRedis(nodes, fleet, numberOption(args, 'seconds', 4));
    const zone = measureZone(nodes, fleet.uplinks);
    process.stderr.write(`scale: ${nodes} nodes\n`);
    rows.push({ nodes, redis, zone, sum: sumOf(nodes, fleet, redis) });
  }
  const text = [
    `${fleet.uplinks} uplinks with ${fleet.targets} targets in two families, ${fleet.changesPerHour} changes of a node in an hour: a presence has ${kilobytes(rows[0]?.redis.presenceBytes ?? 0)} kB.`,
    '',
    '| nodes | cycle: Redis / node, µs | reading a presence: Redis / node, µs | ringing one node: Redis, µs | Redis, share of a core | Redis in / out, MB/s | a node, share of a core | zone: records, kB, ms to render |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${cellsOf(row).join(' | ')} |`),
  ].join('\n');
  report(args, { name: 'scale', text, json: { fleet, rows }, isMarkdown: true });
  return 0;
}

interface Row {
  readonly nodes: number;
  readonly redis: RedisUnits;
  readonly zone: ZoneUnits;
  readonly sum: Sum;
}

function cellsOf({ nodes, redis, zone, sum }: Row): readonly string[] {
  const { cycle, reading, ringing } = redis;
  return [
    nodes.toLocaleString('en'),
    `${Math.round(cycle.redisMicros)} / ${Math.round(cycle.nodeMicros)}`,
    `${Math.round(reading.redisMicros)} / ${Math.round(reading.nodeMicros)}`,
    ringing.redisMicros.toFixed(1),
    percent(sum.redisShare),
    `${megabytes(sum.redisInBytes)} / ${megabytes(sum.redisOutBytes)}`,
    percent(sum.nodeShare),
    typeof zone === 'string' ? zone : `${zone.records}, ${kilobytes(zone.bytes)}, ${Math.round(zone.millis)}`,
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
